import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Entry, entriesOf, Journal, layerFile } from "@wcs/conformance/evidence/Journal"
import { Effect } from "effect"
import * as fc from "fast-check"

const text = fc.string({ unit: "grapheme", maxLength: 12 })
const type = fc.constantFrom("worker", "credential", "applicant")

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ entry: fc.constant("run"), run: text, target: text, profile: text }),
  fc.record({ entry: fc.constantFrom("intended", "refused"), type, unique: text }),
  fc.record({ entry: fc.constant("made"), type, unique: text, id: text }),
  fc.record({ entry: fc.constant("deleted"), type, id: text })
)

const textOf = (entries: ReadonlyArray<Entry>) => entries.map((one) => `${JSON.stringify(one)}\n`).join("")

describe("a journal", () => {
  it.effect("keeps every complete entry and no other when it is cut anywhere", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(entry, { maxLength: 6 }), fc.nat(), async (entries, where) => {
          const whole = textOf(entries)
          const cut = whole.slice(0, where % (whole.length + 1))
          const read = await Effect.runPromise(entriesOf(cut))
          assert.deepStrictEqual(read, entries.slice(0, cut.split("\n").length - 1))
        })
      )
    )
  )
  it.effect("is refused when a line is not an entry", () =>
    Effect.gen(function* () {
      for (const line of ["{}", "nonsense", '{"entry":"built","type":"worker","unique":"u","id":"1"}', ""]) {
        yield* Effect.flip(entriesOf(`${line}\n`))
      }
    })
  )

  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const intended = (unique: string): Entry => ({ entry: "intended", type: "worker", unique })
  const writing = (file: string, one: Entry) =>
    Effect.provide(
      Effect.flatMap(Journal, ({ write }) => write(one)),
      layerFile(file)
    )

  it.effect("is written immediately to a file that only its owner can read, in a new folder", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "reports", "journal.ndjson")
      yield* writing(file, intended("conf-r-1"))
      assert.deepStrictEqual(yield* entriesOf(readFileSync(file, "utf8")), [intended("conf-r-1")])
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
    })
  )
  it.effect("continues after the last complete line when a kill cut the last one", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "journal.ndjson")
      yield* writing(file, intended("conf-r-1"))
      appendFileSync(file, '{"entry":"made","type":"wor')
      yield* writing(file, intended("conf-r-2"))
      const read = yield* entriesOf(readFileSync(file, "utf8"))
      assert.deepStrictEqual(read, [intended("conf-r-1"), intended("conf-r-2")])
    })
  )
})
