import { endpointsOf } from "@wcs/api/Endpoints"
import { type Guard, judgedWithin } from "@wcs/api/Guard"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { Ban } from "@wcs/domain/holding/Ban"
import { MethodNotAllowed, UnknownPath } from "@wcs/domain/service/HttpRefusal"
import { InvalidArgument, InvalidUrn } from "@wcs/domain/shared/InvalidArgument"
import { Effect } from "effect"
import * as Authenticate from "../request/Authenticate.ts"
import * as Authorize from "../request/Authorize.ts"
import * as LimitRate from "../request/LimitRate.ts"
import { countNameless } from "../request/LimitRate.ts"
import * as ResolveTenant from "../request/ResolveTenant.ts"
import { type Surface, surfaceOf } from "../Surface.ts"
import type { Answer, Call } from "./Call.ts"
import { inOrder } from "./Endpoints.ts"
import type { Route } from "./Route.ts"

/** A known route. */
interface Known {
  readonly form: RegExp
  /** The id in the path is a ban's. Only the ids of bans are URNs. */
  readonly namesBan: boolean
  readonly methods: ReadonlyArray<string>
  readonly guard: Guard | undefined
}

const known = (method: string, path: string, guard: Guard | undefined): Known => ({
  form: new RegExp(`^${path.replaceAll(/:[^/]+/g, "[^/]+").replace(/\*$/, ".*")}/?$`),
  namesBan: path.includes(`/${Ban.collection}/`),
  methods: [method, ...(method === "GET" ? ["HEAD"] : [])],
  guard
})

/**
 * The places of the newer surface and outside of both. The legacy surface answers 404 in place of 405. The root is a place for
 * browsers alone.
 */
const placesOf = (routes: ReadonlyArray<Route>): ReadonlyArray<Known> => [
  ...endpointsOf(NewerSurface).map(({ guard, method, path }) => known(method, path, guard)),
  ...routes
    .filter(({ method, path }) => method !== "*" && path !== "/" && surfaceOf(path) === "outside")
    .map(({ method, path }) => known(method, path, undefined))
]

/** Returns the route that matched but was not reached, because the id in the path is unreadable. */
const unreached = (knownHere: ReadonlyArray<Known>, { request }: Call): Known | undefined =>
  knownHere.find(({ methods }) => methods.includes(request.method))

const refusalOf = (knownHere: ReadonlyArray<Known>, call: Call) => {
  const allowed = [...new Set(knownHere.flatMap(({ methods }) => methods))]
  if (allowed.length === 0) return new UnknownPath()
  const known = unreached(knownHere, call)
  if (known === undefined) return new MethodNotAllowed({ allowed })
  // Outside the surfaces the parameter is a secret link. An answer does not tell a malformed link from an unknown one.
  if (call.surface === "outside") return new UnknownPath()
  // The id is too long or has an invalid %-escape.
  return known.namesBan
    ? new InvalidUrn({ field: "id" })
    : new InvalidArgument({ field: "id", reason: "is too long or has an invalid escape in the path" })
}

/**
 * Answers calls that match no route: 404, or 405 if the path supports other methods. On the newer surface this needs
 * authentication and counts as a call, so these responses also have the three headers (RTL-01, PRV-07, PRV-08).
 */
export const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const places = placesOf(routes)
  const knownAt = ({ path }: Call) => places.filter(({ form }) => form.test(path))
  const refuse: Answer = (call) => Effect.fail(refusalOf(knownAt(call), call))
  const limiter = yield* RateLimiter
  const resolveTenant = (yield* ResolveTenant.make)({ guard: undefined })
  const gate = [yield* Authenticate.make, yield* LimitRate.make, yield* Authorize.make]

  /** Runs the steps of the matching endpoint, or of any call, before the refusal. */
  const asAnyCall: Answer = (call) => {
    const guard = unreached(knownAt(call), call)?.guard ?? judgedWithin
    return inOrder([resolveTenant, ...gate.map((step) => step({ guard }))], refuse)(call)
  }

  // Callers of the token endpoint have no token yet, so failures count by address.
  const atTokenEndpoint = inOrder([resolveTenant, (call) => countNameless(limiter, call)], refuse)

  const answers: Readonly<Record<Surface, Answer>> = {
    newer: asAnyCall,
    token: atTokenEndpoint,
    legacy: refuse,
    outside: refuse
  }
  const answer: Answer = (call) => answers[call.surface](call)
  return answer
})
