import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Serve } from "@wcs/specimens/Serve"
import type { Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import * as Rewrite from "@wcs/specimens/seams/Rewrite"
import { judge } from "@wcs/specimens/selftest/Judging"
import type { Contract, Judgement } from "@wcs/store-suite/contract/Contract"
import { Effect } from "effect"
import { contractOf, differencesIn, judgementOf } from "./Described.ts"

/** Checks every answer of a deployment against its OpenAPI document. */
const held =
  (serve: Serve, contract: Contract, judgements: Array<Judgement>): Serve =>
  (request) =>
    Effect.tap(serve(request), (answer) =>
      Effect.sync(() => void judgements.push(judgementOf(contract, request, answer)))
    )

/** Runs the walks for some rules, and checks every exchange against the document. Returns the differences. */
const judged = Effect.fnUntraced(function* (specimen: Specimen) {
  const start = yield* Specimens.make
  const target = yield* start(specimen, true)
  const judgements: Array<Judgement> = []
  const serve = held(target.serve, yield* contractOf(target.serve), judgements)
  yield* judge({ ...target, serve }, new Set<RuleId>(["WRK-01", "WRK-05", "AUT-07"]))
  return differencesIn(judgements)
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

// `OurServer.test.ts` compares every answer of our own server.
describe("the OpenAPI document and the answers to the conformance suite", () => {
  it.live.each(defects)("are found to differ when an answer is broken: %s", ([difference, rewrite]) =>
    Effect.gen(function* () {
      const differences = yield* judged({ name: "broken", rewrite })
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
