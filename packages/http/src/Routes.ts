import { endpointsOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as AnswerRefusals from "./AnswerRefusals.ts"
import * as ApplicantsHandlers from "./ApplicantsHandlers.ts"
import * as Authenticate from "./Authenticate.ts"
import * as Authorize from "./Authorize.ts"
import * as Begin from "./Begin.ts"
import * as CredentialsHandlers from "./CredentialsHandlers.ts"
import * as Documents from "./Documents.ts"
import * as Edge from "./Edge.ts"
import * as LimitRate from "./LimitRate.ts"
import * as OAuthHandlers from "./OAuthHandlers.ts"
import * as ResolveTenant from "./ResolveTenant.ts"
import * as UnknownPath from "./UnknownPath.ts"
import * as WorkersHandlers from "./WorkersHandlers.ts"

/** What runs before every endpoint, in the order that its group says. */
export const steps = Layer.mergeAll(
  Begin.layer,
  ResolveTenant.layer,
  Authenticate.layer,
  LimitRate.layer,
  Authorize.layer,
  AnswerRefusals.layer
)

const newerSurface = HttpApiBuilder.layer(NewerSurface).pipe(
  Layer.provide([OAuthHandlers.layer, WorkersHandlers.layer, ApplicantsHandlers.layer, CredentialsHandlers.layer]),
  Layer.provide(steps)
)

/** A route that nobody guarded stops the start: its callers would only learn of it one by one. */
const everyEndpointIsGuarded = Layer.effectDiscard(
  Effect.suspend(() => {
    const open = endpointsOf(NewerSurface).filter(({ guard, name }) => guard === undefined && !unguarded.includes(name))
    return open.length === 0 ? Effect.void : Effect.die(new Error(`no guard on ${open.map(({ name }) => name)}`))
  })
)

/** Every route there is, with what goes around all of them. */
export const layer = Layer.mergeAll(newerSurface, Documents.layer, everyEndpointIsGuarded).pipe(
  Layer.provideMerge(Edge.layer),
  Layer.provide(UnknownPath.layer),
  Layer.provide(Authenticate.layerGate)
)
