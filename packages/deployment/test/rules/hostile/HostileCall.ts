import fc from "fast-check"
import type { Call } from "../../Service.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { root } from "../NewerSurface.ts"
import { anyBody, nearlyGoodBody } from "./HostileBody.ts"
import { hostileHeaders, hostileToken } from "./HostileHeaders.ts"
import { hostilePath } from "./HostilePath.ts"

const method = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("GET", "POST", "PUT", "PATCH") },
  { weight: 1, arbitrary: fc.constantFrom("DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY") }
)

/** Well-formed calls. About half of them conflict with the slots. */
const contendingCall = (of: EveryRoute.Subjects, doomed: EveryRoute.Subjects): fc.Arbitrary<Call> => {
  const owners = (type: "worker" | "applicant") =>
    fc.constantFrom(of[type], doomed[type], EveryRoute.missing[type]).map((id) => ({ type, id }))
  const owner = fc.oneof(owners("worker"), owners("applicant"))
  const verb = fc.constantFrom("link", "unlink", "transfer")
  return fc
    .tuple(verb, fc.constantFrom(of.credential, of.shared), owner, owner)
    .map(([verb, credential, from, to]) => ({
      method: "POST",
      path: `${root}/credentials/${credential}/${verb}`,
      body: { from, to }
    }))
}

/**
 * Any request: to a random path, or to a valid path with or without an error. Deletions only hit the `doomed` entities,
 * so that the others remain for the last request.
 */
export const hostileCall = (of: EveryRoute.Subjects, doomed: EveryRoute.Subjects): fc.Arbitrary<Call> => {
  const idsInPaths = [...Object.values(doomed), ...Object.values(EveryRoute.missing)]
  const ids = [...Object.values(of), ...idsInPaths]
  const goodCalls = EveryRoute.routes.map((route) =>
    EveryRoute.goodCall(route, route.method === "DELETE" ? doomed : of)
  )
  const goodBodies = goodCalls.flatMap(({ body }) => (body === undefined ? [] : [body]))
  const body = anyBody(goodBodies, ids)

  const random = fc
    .tuple(method, hostilePath(idsInPaths), body, hostileHeaders, hostileToken)
    .map(([method, path, body, headers, token]): Call => ({ method, path, headers, ...body, ...token }))
  // A valid call with another body, so that more than the first check of each is reached.
  const spoilt = fc
    .tuple(
      fc.constantFrom(...goodCalls),
      fc.oneof(
        nearlyGoodBody(goodBodies, ids).map((body) => ({ body })),
        body
      ),
      hostileHeaders
    )
    .map(([call, body, headers]): Call => ({ ...call, headers, ...body }))
  return fc.oneof(
    { weight: 2, arbitrary: random },
    { weight: 2, arbitrary: spoilt },
    { weight: 1, arbitrary: contendingCall(of, doomed) }
  )
}
