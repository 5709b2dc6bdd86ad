import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { mutants } from "@wcs/specimens/Mutants"
import type { Serve } from "@wcs/specimens/Serve"
import * as Rewrite from "@wcs/specimens/seams/Rewrite"
import { Effect } from "effect"
import { command, scriptCode, served, writeProfile } from "../Served.ts"

/** Defects that show with Basic, with a token from Basic, and with a token of another organization. */
const broken: Partial<Record<RuleId, string>> = {
  "LEG-02": "legacy-organization-has-no-name-with-basic",
  "LEG-14": "legacy-constituents-are-opened-by-basic",
  "LEG-31": "legacy-revoked-tokens-get-a-new-token",
  "LEG-30": "legacy-empty-password-gets-a-token",
  "LEG-19": "legacy-revoked-tokens-are-forbidden",
  "LEG-21": "legacy-records-of-another-organization-are-not-found"
}

const rewriteOf = (name: string) => mutants.find((mutant) => mutant.name === name)?.rewrite ?? assert.fail(name)

/** A deployment with all of these defects while `isBroken` returns true. */
const brokenWhile = (isBroken: () => boolean) => (serve: Serve) => {
  const defective = Rewrite.all(...Object.values(broken).map(rewriteOf))(serve)
  return (request: Parameters<Serve>[0]) => (isBroken() ? defective(request) : serve(request))
}

describe("scripts that reproduce failures of a legacy surface", () => {
  it.live("LEG-02, LEG-14, LEG-19, LEG-21, LEG-30, LEG-31: log in, report the failure, and report its fix", () =>
    Effect.gen(function* () {
      let isBroken = true
      const { environment, folder, left, profile } = yield* served({
        name: "x",
        rewrite: brokenWhile(() => isBroken)
      })
      const out = join(folder, "out")
      const only = Object.keys(broken).join()
      const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", only, "--quiet"]
      assert.strictEqual((yield* command(args, environment)).code, 1)
      const codes = Effect.forEach(Object.keys(broken), (rule) =>
        scriptCode(join(out, "repro", `${rule}.sh`), environment)
      )
      assert.deepStrictEqual([...new Set(yield* codes)], [1])
      isBroken = false
      assert.deepStrictEqual([...new Set(yield* codes)], [0])
      assert.deepStrictEqual(yield* left, [])
      const script = readFileSync(join(out, "repro", "LEG-21.sh"), "utf8")
      assert.include(script, '"$CONF_LEGACY_OF_THE_SECOND_TENANT_PASSWORD"')
    })
  )
})
