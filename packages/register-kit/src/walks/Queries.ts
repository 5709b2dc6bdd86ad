import * as Expect from "@wcs/conformance/judgement/Expect"
import { control } from "@wcs/conformance/judgement/Judge"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { Effect } from "effect"
import {
  type Asked,
  aboutNobody,
  anyQuery,
  ask,
  judge,
  madeUp,
  notApplicable,
  servedTypes,
  unlike,
  walk
} from "../Asking.ts"
import type { Target } from "../Target.ts"

/** A query with null at a path, such as `holder.lastName`. */
const without = (query: Asked, [first = "", second]: ReadonlyArray<string>): object =>
  second === undefined ? { ...query, [first]: null } : { ...query, holder: { ...query.holder, [second]: null } }

/** Bodies that are no query: no JSON, and JSON of another form. */
const otherBodies = ["", "{", "null", "[]", '"query"', '{"credentialType":7}']

/** More than any query has. */
const tooMany = 70 * 1024

/** What a gateway accepts. */
export const queryWalks = (target: Target) => [
  walk("query/further", ["GWY-04"], function* () {
    const query = yield* anyQuery(target)
    const { exchange } = yield* control(ask(target, query))
    const further = { ...query, ofALaterRelease: true, holder: { ...query.holder, ofALaterRelease: null } }
    const headers = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "X-Later": "1" }
    const told = yield* ask(target, further, { headers })
    yield* judge("GWY-04", [exchange, told], unlike(exchange, told).slice(0, 1))
  }),
  walk("query/incomplete", ["GWY-05"], function* () {
    const queries = (yield* servedTypes(target)).flatMap((code) => {
      const paths = CredentialType.find(code)?.askedWith ?? []
      return paths.length === 0 ? [] : [...paths.map((path) => without(madeUp(code), path)), aboutNobody(code)]
    })
    if (queries.length === 0) return yield* notApplicable("GWY-05", "no served type needs a field")
    const told = yield* Effect.forEach(queries, (query) => ask(target, query))
    yield* judge(
      "GWY-05",
      told,
      told.flatMap((one) => Expect.status(one, 400, 422))
    )
  }),
  walk("query/other-type", ["GWY-06"], function* () {
    const query = yield* anyQuery(target)
    yield* control(ask(target, query))
    const told = yield* Effect.forEach(["FIRST_AID", "NO_SUCH_TYPE"], (credentialType) =>
      ask(target, { ...query, credentialType })
    )
    yield* judge("GWY-06", told, told.flatMap(Expect.rejected))
  }),
  walk("query/other-body", ["GWY-07"], function* () {
    const told = yield* Effect.forEach(otherBodies, (body) =>
      ask(target, undefined, { raw: { body, type: "application/json" } })
    )
    yield* judge("GWY-07", told, told.flatMap(Expect.rejected))
  }),
  walk("query/too-large", ["GWY-08"], function* () {
    const query = yield* anyQuery(target)
    const told = yield* ask(target, { ...query, ofALaterRelease: "x".repeat(tooMany) })
    yield* judge("GWY-08", [told], Expect.rejected(told))
  }),
  walk("query/method", ["GWY-09"], function* () {
    const query = yield* anyQuery(target)
    const told = [yield* ask(target, undefined, { method: "GET" }), yield* ask(target, query, { method: "PUT" })]
    yield* judge("GWY-09", told, told.flatMap(Expect.rejected))
  })
]
