import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { at, type Json, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimen/target/Serve"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"
import { started } from "../Specimen.ts"

/**
 * A business rule beyond the specification (§7.1): a worker has at most one credential. It knows single calls only, and
 * looks at the rule before the caller's privileges.
 */
const oneCredential = (serve: Serve): Serve => {
  const holders = new Map<string, Json | undefined>()

  const note = (shown: Json | undefined) => {
    const id = at(shown, "data.id")
    if (typeof id === "string") holders.set(id, at(shown, "data.attributes.owners.worker"))
  }

  /** The worker that a call would give a credential. */
  const taker = (request: Request): Json | undefined => {
    const body = parse(request.body)
    return /^\/credentials$/.test(Rewrite.pathOf(request))
      ? at(body, "workerId")
      : (at(body, "owner.id") ?? at(body, "to.id"))
  }

  return (request) =>
    Effect.gen(function* () {
      const path = Rewrite.pathOf(request)
      if (!/^\/credentials(?:\/cred_[^/]+)?(?:\/(?:link|unlink|transfer))?$/.test(path)) return yield* serve(request)
      const worker = request.method === "POST" ? taker(request) : undefined
      const [, , id = ""] = path.split("/")
      const has = [...holders].some(([one, holder]) => one !== id && holder === worker)
      if (typeof worker === "string" && has) {
        const answer = yield* serve({ ...request, method: "GET", url: request.url.replace(path, "/workers"), body: "" })
        return Rewrite.refusal(answer, 422, "ONE_CREDENTIAL", "The worker has a credential.")
      }
      const answer = yield* serve(request)
      if (answer.status < 300) note(answer.json)
      if (answer.status === 204) holders.delete(id)
      return answer
    })
}

const rules: ReadonlyArray<RuleId> = ["OWN-01", "OWN-02", "OWN-07", "OWN-08", "OWN-12"]

describe("a deployment with at most one credential of a worker", () => {
  it.live(
    "passes the rules about accepted links and transfers",
    () =>
      Effect.gen(function* () {
        const target = yield* started({ rewrite: oneCredential })
        const findings = findingsOf(yield* judge(target, new Set(rules)))
        for (const rule of rules) {
          const outcomes = findings.filter((finding) => finding.rule === rule).map(({ outcome }) => outcome)
          assert.deepStrictEqual([...new Set(outcomes)], ["pass"], rule)
        }
      }).pipe(Effect.scoped),
    240_000
  )
})
