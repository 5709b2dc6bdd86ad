import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Serve } from "@wcs/specimens/Serve"
import type { Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import * as Rewrite from "@wcs/specimens/seams/Rewrite"
import { judge } from "@wcs/specimens/selftest/Judging"
import type { Contract, Judgement } from "@wcs/store-suite/contract/Contract"
import { Effect } from "effect"
import { contractOf, countsOf, differencesIn, judgementOf, undescribed } from "./Described.ts"

/** Checks every answer of a deployment against its OpenAPI document. */
const held =
  (serve: Serve, contract: Contract, judgements: Array<Judgement>): Serve =>
  (request) =>
    Effect.tap(serve(request), (answer) =>
      Effect.sync(() => void judgements.push(judgementOf(contract, request, answer)))
    )

/** A delivery to a webhook is not a call of the API. */
const isCall = (event: Event): boolean => event.type === "exchange" && event.exchange.kind !== "delivery"

/** Runs the suite, or its walks for some rules, and checks every exchange against the document. */
const judged = Effect.fnUntraced(function* (specimen: Specimen, rules?: ReadonlySet<RuleId>) {
  const start = yield* Specimens.make
  const target = yield* start(specimen, true)
  const contract = yield* contractOf(target.serve)
  const judgements: Array<Judgement> = []
  const events = yield* judge({ ...target, serve: held(target.serve, contract, judgements) }, rules)
  return { contract, judgements, exchanges: events.filter(isCall).length }
}, Effect.scoped)

/** Defects that the document must detect, and the expected difference of each. */
const defects: ReadonlyArray<readonly [difference: RegExp, rewrite: (serve: Serve) => Serve]> = [
  [
    /^workers\.list 200: no X-RateLimit-Reset header$/,
    Rewrite.answers({ method: "GET", path: /^\/workers\?/, status: 200 }, (answer) =>
      Rewrite.withHeader(answer, "x-ratelimit-reset", undefined)
    )
  ],
  [
    /^workers\.create 201: no Location header$/,
    Rewrite.answers({ method: "POST", path: /^\/workers$/, status: 201 }, (answer) =>
      Rewrite.withHeader(answer, "location", undefined)
    )
  ],
  [
    /^workers\.list 206: a status that is not described$/,
    Rewrite.answers({ method: "GET", path: /^\/workers\?/, status: 200 }, (answer) => ({ ...answer, status: 206 }))
  ],
  [
    /^workers\.create 201: body\/data\/createdAt breaks .*\/format$/,
    Rewrite.answers({ method: "POST", path: /^\/workers$/, status: 201 }, (answer) =>
      Rewrite.withText(answer, answer.text.replace(/"createdAt":"[^"]*"/, '"createdAt":"yesterday"'))
    )
  ],
  [
    /^workers\.create 201: body\/meta\/secret breaks .*\/additionalProperties$/,
    Rewrite.answers({ method: "POST", path: /^\/workers$/, status: 201 }, (answer) =>
      Rewrite.withText(answer, answer.text.replace('"meta":{', '"meta":{"secret":1,'))
    )
  ],
  [
    /^workers\.create 400: body(\/error\/code)? breaks .*\/(enum|anyOf)$/,
    Rewrite.answers({ method: "POST", path: /^\/workers$/, status: 400 }, (answer) =>
      Rewrite.withText(answer, answer.text.replace(/"code":"[^"]*"/, '"code":"FORBIDDEN"'))
    )
  ],
  [
    /^[a-zA-Z]+\.[a-zA-Z]+ 401: no WWW-Authenticate header$/,
    Rewrite.answers({ status: 401 }, (answer) => Rewrite.withHeader(answer, "www-authenticate", undefined))
  ],
  [
    /^workers\.list 200: a body of text\/plain$/,
    Rewrite.answers({ method: "GET", path: /^\/workers\?/, status: 200 }, (answer) =>
      Rewrite.withHeader(answer, "content-type", "text/plain; charset=utf-8")
    )
  ]
]

describe("the OpenAPI document and the answers to the conformance suite", () => {
  it.live("agree everywhere; every undescribed request has a reason", () =>
    Effect.gen(function* () {
      const { contract, exchanges, judgements } = yield* judged({ name: "ours" })
      assert.deepStrictEqual(differencesIn(judgements), [])
      assert.lengthOf(judgements, exchanges)
      const { described = 0, ...others } = countsOf(judgements)
      assert.isAbove(described, 1000)
      // unusual external ids have characters that clients may or may not escape
      assert.sameMembers(Object.keys(others), [...undescribed, "URL is not in its normal form"])
      for (const [reason, count] of Object.entries(others)) assert.isBelow(count, described / 40, reason)
      const met = new Set(judgements.map((judgement) => (judgement.within ? judgement.operation : "")))
      const unmet = contract.operations.filter((name) => /^(oauth|workers|credentials)\./.test(name) && !met.has(name))
      // operations that the specification does not document and the suite does not call
      assert.sameMembers(unmet, [
        "workers.restore",
        ...["restore", "verifications", "ownership", "review"].map((name) => `credentials.${name}`)
      ])
    })
  )

  it.live.each(defects)("are found to differ when an answer is broken: %s", ([difference, rewrite]) =>
    Effect.gen(function* () {
      const { judgements } = yield* judged({ name: "broken", rewrite }, new Set<RuleId>(["WRK-01", "WRK-05", "AUT-07"]))
      const differences = differencesIn(judgements)
      assert.isTrue(
        differences.some((one) => difference.test(one)),
        differences.join("\n")
      )
      assert.isTrue(
        differences.every((one) => difference.test(one)),
        differences.join("\n")
      )
    })
  )
})
