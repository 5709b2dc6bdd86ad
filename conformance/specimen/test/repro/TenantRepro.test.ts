import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { command, scriptCode, served, writeProfile } from "../command/Served.ts"
import { brokenWhile, faultsOf } from "../Specimen.ts"

describe("a script that reproduces access to another tenant's host", () => {
  for (const point of ["another tenant's token is accepted", "another tenant's client is granted"]) {
    it.live(`TRN-10: exits with 1 while it is open and 0 once it is closed, and deletes on both hosts: ${point}`, () =>
      Effect.gen(function* () {
        let isBroken = true
        const hit = brokenWhile(() => isBroken, ...faultsOf("TRN-10", point))
        const { environment, folder, left, profile } = yield* served({ hit })
        const out = join(folder, "out")
        const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", "TRN-10", "--quiet"]
        assert.strictEqual((yield* command(args, environment)).code, 1)
        assert.deepStrictEqual(yield* left, [])
        const script = join(out, "repro", "TRN-10.sh")
        assert.strictEqual(yield* scriptCode(script, environment), 1)
        isBroken = false
        assert.strictEqual(yield* scriptCode(script, environment), 0)
        assert.deepStrictEqual(yield* left, [])
      })
    )
  }
})
