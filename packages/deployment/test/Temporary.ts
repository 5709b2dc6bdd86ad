import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A directory that is removed after the test. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The permission bits of a file. */
export const modeOf = (path: string): number => statSync(path).mode & 0o777
