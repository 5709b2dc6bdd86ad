import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { runFolders, write } from "@wcs/conformance/commands/Artefacts"
import { Effect } from "effect"
import { inFolder } from "../CommandLine.ts"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"
import { profile } from "../Invented.ts"

const red = { events: redRun, report: reported(redRun) }
const green = { ...red, report: { ...red.report, rules: [] } }

const writing = (folder: string, ...runs: ReadonlyArray<typeof red>) =>
  Effect.runPromise(write(folder, { runs, report: runs[0]?.report ?? red.report, profile }, "must"))

/** Files of the user under names that the suite uses too. */
const users = ["notes.txt", "repro/mine.sh", "run-1/mine.txt", "run-7/kept/mine.txt"]

describe("the report folder", () => {
  it("keeps the user's own files, also in folders that the suite uses", () =>
    inFolder(async (folder) => {
      for (const name of users) {
        mkdirSync(join(folder, name, ".."), { recursive: true })
        writeFileSync(join(folder, name), "mine")
      }
      await writing(folder, red, red)
      assert.deepStrictEqual(runFolders(folder), [join(folder, "run-1"), join(folder, "run-2")])
      await writing(folder, red)
      await writing(folder, green)
      for (const name of users) assert.isTrue(existsSync(join(folder, name)), name)
    }))

  it("loses the files of earlier runs, and the folders that are then empty", () =>
    inFolder(async (folder) => {
      await writing(folder, red, red)
      assert.isTrue(existsSync(join(folder, "run-2", "report.json")))
      assert.isNotEmpty(readdirSync(join(folder, "repro")))
      await writing(folder, green)
      assert.isFalse(existsSync(join(folder, "run-2")))
      assert.isFalse(existsSync(join(folder, "repro")))
    }))

  it("trusts no manifest that names files outside the folder", () =>
    inFolder(async (folder) => {
      const out = join(folder, "out")
      mkdirSync(out)
      writeFileSync(join(folder, "mine"), "mine")
      writeFileSync(join(out, "manifest.json"), JSON.stringify({ files: ["../mine"] }))
      await writing(out, green)
      assert.isTrue(existsSync(join(folder, "mine")))
    }))
})
