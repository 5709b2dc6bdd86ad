import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { initialProfile } from "@wcs/conformance/profile/InitialProfile"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Report } from "@wcs/conformance/report/Report"
import { Effect } from "effect"
import { command, served, writeProfile } from "./Served.ts"

/** A profile without a second tenant and without limited principals. */
const tellingLess = ({ principals, secondTenant: _, ...profile }: Profile): Profile => {
  const { limited: __, ...others } = principals
  return { ...profile, principals: others }
}

const reportIn = (folder: string): Report => JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))

describe("the command, against a deployment that keeps every rule", () => {
  it.live("exits with 4 when the profile lacks parts, and explains the unjudged rules in the headline", () =>
    Effect.gen(function* () {
      const { environment, folder, left, profile } = yield* served()
      const [file, out] = [writeProfile(folder, tellingLess(profile)), join(folder, "out")]
      const ran = yield* command(["run", "-p", file, "--out", out, "--quiet"], environment)
      const { headline, residue, rules } = reportIn(out)
      const failing = rules.filter(({ verdict }) => verdict === "fail").map(({ id, findings }) => [id, findings])
      assert.deepStrictEqual(failing, [])
      assert.deepStrictEqual([ran.code, ran.err], [4, ""])
      assert.strictEqual(ran.out, `${headline}\n`)
      assert.match(headline, /^judged \d+ of \d+ musts: \d+ passed, 0 failed; \d+ blocked: \d+ need limited tokens, /)
      assert.match(headline, /, \d+ second tenant[,;]/)
      const lacking = rules.filter(({ verdict }) => verdict === "blocked").flatMap(({ lacks }) => lacks)
      assert.sameMembers([...new Set(lacking)], ["limited tokens", "second tenant"])
      assert.deepStrictEqual([residue, yield* left], [[], []])
    })
  )
  it.live("judges what it can with only an OAuth client, and plan shows how to unlock the rest", () =>
    Effect.gen(function* () {
      const { environment, folder, left, port, profile } = yield* served()
      const { admin } = profile.principals
      const { clientId, clientSecret } = "oauth" in admin ? admin.oauth : assert.fail("the admin is no OAuth client")
      const known = (text: string) => environment[text.slice(2, -1)] ?? text
      const out = join(folder, "out")
      const file = writeProfile(folder, initialProfile(`http://localhost:${port}`, known(clientId)))
      const secret = { CONF_CLIENT_SECRET: known(clientSecret) }
      const ran = yield* command(["run", "-p", file, "--out", out, "--no-color"], secret)
      assert.deepStrictEqual([ran.code, ran.err], [4, ""])
      const { counts, headline, residue } = reportIn(out)
      assert.isAbove(counts.MUST.pass, 30)
      assert.strictEqual(counts.MUST.fail, 0)
      assert.deepStrictEqual([residue, yield* left], [[], []])
      assert.include(ran.out, headline)
      const planned = yield* command(["plan", "-p", file], {})
      for (const line of [
        'second tenant: another tenant\'s host, with a principal of its own; unlocks EVT-13 TRN-05 TRN-06 TRN-10\n      "secondTenant": ',
        '\n      "groups": { "credential": { "create": { "body": ',
        '\n      "principals": { "limited": [{ "token": "${CONF_WORKER_READ}"'
      ]) {
        assert.include(planned.out, line)
      }
      const missing = yield* command(["run", "-p", file, "--out", out], {})
      assert.strictEqual(missing.code, 2)
      assert.include(missing.err, "environment variables that are not set: CONF_CLIENT_SECRET")
    })
  )
  it.live("doctor finds no problem, and leaves no resources", () =>
    Effect.gen(function* () {
      const { count, environment, folder, left, profile } = yield* served()
      const ran = yield* command(["doctor", "-p", writeProfile(folder, profile)], environment)
      assert.deepStrictEqual([ran.code, ran.err], [0, ""])
      const states = ran.out
        .trimEnd()
        .split("\n")
        .map((line) => line.split(":", 1)[0]?.replaceAll(/ +/g, " "))
      assert.deepStrictEqual(states, [
        ...["well answers", "well clock", "well rate limit"],
        ...[
          "well create and delete",
          "well credential body",
          "well second tenant",
          "well legacy surface",
          "well plain HTTP",
          "well receiver"
        ]
      ])
      assert.deepStrictEqual([count(), yield* left], [3, []])
    })
  )

  it.live("doctor reports a refused body with its reason, and leaves no resources", () =>
    Effect.gen(function* () {
      const { environment, folder, left, profile } = yield* served()
      const create = { body: { attributes: { owners: { worker: "{{worker}}" } } } }
      const groups = { ...profile.groups, credential: { ...profile.groups?.["credential"], create } }
      const ran = yield* command(["doctor", "-p", writeProfile(folder, { ...profile, groups })], environment)
      assert.strictEqual(ran.code, 3)
      assert.match(ran.out, /\nill +credential body: POST \/openapi\/v1\/credentials answered 400: .*what.*\n/)
      assert.deepStrictEqual(yield* left, [])
    })
  )
})
