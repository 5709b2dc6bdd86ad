import { otherEnding } from "@wcs/conformance/calls/Grants"
import * as Expect from "@wcs/conformance/judgement/Expect"
import { control } from "@wcs/conformance/judgement/Judge"
import { Session } from "@wcs/conformance/judgement/Session"
import { Effect } from "effect"
import { aboutNobody, anyQuery, ask, authorizationWith, judge, walk } from "../Asking.ts"
import { secretReference, type Target } from "../Target.ts"

const anotherSecret = "no-secret-of-this-gateway"

/** The secret with another last character, its beginning, and another secret. */
const wrongSecrets = Effect.gen(function* () {
  const { derive, reveal } = yield* Session
  const near = yield* derive("another", reveal(secretReference), (secret) => [otherEnding(secret), `${secret}x`])
  return [...near, anotherSecret]
})

/** Who may ask. */
export const accessWalks = (target: Target) => [
  walk("access", ["GWY-01", "GWY-02"], function* () {
    const { reveal } = yield* Session
    const query = yield* anyQuery(target)
    yield* control(ask(target, query))
    const without = yield* ask(target, query, { as: null })
    yield* judge("GWY-01", [without], Expect.status(without, 401, 403))
    const wrong = yield* Effect.forEach(
      [...(yield* wrongSecrets).map((one) => authorizationWith(target, one)), reveal(secretReference)],
      (authorization) => ask(target, query, { as: { authorization } })
    )
    yield* judge(
      "GWY-02",
      wrong,
      wrong.flatMap((one) => Expect.status(one, 401, 403))
    )
  }),
  walk("access/first", ["GWY-28"], function* () {
    const query = yield* anyQuery(target)
    const authorization = authorizationWith(target, anotherSecret)
    const refused = yield* Effect.forEach(
      [
        ...[aboutNobody(query.credentialType), aboutNobody("NO_SUCH_TYPE")].map((json) => ({ json })),
        { raw: { body: "{", type: "application/json" } }
      ],
      (one) => ask(target, undefined, { as: { authorization }, ...one })
    )
    yield* judge(
      "GWY-28",
      refused,
      refused.flatMap((one) => Expect.status(one, 401, 403))
    )
  })
]
