import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { mutants } from "@wcs/specimens/Mutants"
import { Effect } from "effect"
import { command, served, writeProfile } from "./Served.ts"

const mutant = mutants.find(({ name }) => name === "link-refuses-and-overwrites-the-holder") ?? assert.fail()

describe("wcs-conformance judge", () => {
  it.live("says of a run's folder what the run said, and sends nothing: OWN-04", () =>
    Effect.gen(function* () {
      let calls = 0
      const answered = () => {
        calls += 1
      }
      const { environment, folder, profile } = yield* served(mutant, { answered })
      const [out, again, third] = ["out", "again", "third"].map((name) => join(folder, name))
      if (out === undefined || again === undefined || third === undefined) return
      const args = ["run", "-p", writeProfile(folder, profile), "--only", "OWN,OAU,LEG,EVT", "--quiet"]
      const ran = yield* command([...args, "--out", out], environment)
      assert.deepStrictEqual([ran.code, ran.err], [1, ""])
      const sent = calls

      const judged = yield* command(["judge", out, "--quiet"], {})
      assert.deepStrictEqual(judged, ran)
      const written = yield* command(["judge", out, "--out", again], {})
      assert.deepStrictEqual([written.code, written.err], [1, ""])
      assert.include(written.out, "FAIL    OWN-04")
      for (const name of ["report.json", "junit.xml", "report.md", "exchanges.ndjson", "repro/OWN-04.sh"]) {
        const [one, other] = [out, again].map((from) => readFileSync(join(from, name), "utf8"))
        assert.isTrue(one === other, name)
      }
      assert.deepStrictEqual(yield* command(["judge", again, "--out", third, "--quiet"], {}), ran)
      const { code } = yield* command(["diff", out, third], {})
      assert.deepStrictEqual([code, calls], [0, sent])

      const altered = (name: string, file: string, change: (text: string) => string) => {
        const copy = join(folder, name)
        cpSync(out, copy, { recursive: true })
        writeFileSync(join(copy, file), change(readFileSync(join(copy, file), "utf8")))
        return command(["judge", copy, "--quiet"], {})
      }
      const refused = yield* altered("refused", "exchanges.ndjson", (text) =>
        text.replaceAll('"answer":{"status":409,', '"answer":{"status":200,')
      )
      assert.strictEqual(refused.code, 1)
      assert.notStrictEqual(refused.out, ran.out)
    })
  )
})
