import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { mutants } from "@wcs/specimens/Mutants"
import type { Serve } from "@wcs/specimens/Serve"
import { Effect } from "effect"
import { command, scriptCode, served, writeProfile } from "../Served.ts"

const rewriteOf = (name: string) => mutants.find((mutant) => mutant.name === name)?.rewrite ?? assert.fail(name)

describe("a script that reproduces access to another tenant's host", () => {
  for (const name of ["tokens-of-every-tenant-read-workers", "clients-of-every-tenant-get-tokens"]) {
    it.live(`TRN-10: exits with 1 while it is open and 0 once it is closed, and deletes on both hosts: ${name}`, () =>
      Effect.gen(function* () {
        let isBroken = true
        const brokenWhile = (serve: Serve): Serve => {
          const defective = rewriteOf(name)(serve)
          return (request) => (isBroken ? defective(request) : serve(request))
        }
        const { environment, folder, left, profile } = yield* served({ name: "x", rewrite: brokenWhile })
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
