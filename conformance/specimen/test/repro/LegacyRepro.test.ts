import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { command, scriptCode, served, writeProfile } from "../command/Served.ts"
import { brokenWhile, faultOf } from "../Specimen.ts"

/** Rules whose faults show with Basic, with a token from Basic, and with a token of another organization. */
const rules = ["LEG-02", "LEG-17", "LEG-20", "LEG-21", "LEG-27", "LEG-30", "LEG-31"] as const

describe("scripts that reproduce failures of a legacy surface", () => {
  it.live(
    "LEG-02, LEG-17, LEG-20, LEG-21, LEG-27, LEG-30, LEG-31: log in, report the failure, and report its fix",
    () =>
      Effect.gen(function* () {
        let isBroken = true
        const faults = rules.map((rule) => faultOf(rule))
        const { environment, folder, left, profile } = yield* served({ hit: brokenWhile(() => isBroken, ...faults) })
        const out = join(folder, "out")
        const only = rules.join()
        const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", only, "--quiet"]
        assert.strictEqual((yield* command(args, environment)).code, 1)
        const codes = Effect.forEach(rules, (rule) =>
          Effect.map(scriptCode(join(out, "repro", `${rule}.sh`), environment), (code) => `${rule} ${code}`)
        )
        assert.deepStrictEqual(
          yield* codes,
          rules.map((rule) => `${rule} 1`)
        )
        isBroken = false
        assert.deepStrictEqual(
          yield* codes,
          rules.map((rule) => `${rule} 0`)
        )
        assert.deepStrictEqual(yield* left, [])
      })
  )
})
