import { type ChildProcessByStdio, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { filename, open, within } from "./temporary.ts"

const program = fileURLToPath(new URL("./holder.ts", import.meta.url))

/** A process that opens the database and writes to it. Killed with the scope at the latest. */
const holder = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** The lines that a process prints, up to a count. */
const listen = (child: ChildProcessByStdio<null, Readable, null>, count: number) =>
  Effect.promise(async () => {
    const lines: Array<string> = []
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) >= count) break
    return lines
  })

const kill = (child: ChildProcessByStdio<null, Readable, null>) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        child.once("exit", () => resolve())
        child.kill("SIGKILL")
      })
  )

describe("two processes", () => {
  it.effect("refuses the second with a sentence until the first is killed", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const first = yield* holder(file)
      assert.deepStrictEqual(yield* listen(first, 1), ["ready"])
      const second = yield* holder(file)
      const [said] = yield* listen(second, 1)
      assert.strictEqual(
        said,
        `in use: ${file} is in use by another process: stop that process, or choose another file.`
      )
      const error = yield* Effect.flip(Effect.scoped(open(file)))
      assert.strictEqual(error.reason, "in use")
      yield* kill(first)
      yield* within(file, (sql) => sql`SELECT 1`)
    })
  )

  it.effect("keeps everything that a killed process committed, undamaged", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const child = yield* holder(file)
      const told = (yield* listen(child, 40)).filter((line) => line !== "ready")
      yield* kill(child)
      const rows = yield* within(file, (sql) => sql<{ readonly id: number }>`SELECT id FROM kept ORDER BY id`)
      assert.isAtLeast(told.length, 39)
      assert.deepStrictEqual(
        rows.slice(0, told.length).map(({ id }) => String(id)),
        told
      )
    })
  )
})
