import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import { Constituents } from "@wcs/domain/legacy/Constituents"
import { legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import { LegacyAuthentication, LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import { Scans } from "@wcs/domain/legacy/Scans"
import { showByBasic, showByBearer, showOrganization } from "@wcs/domain/user/User"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { legacyUnauthorized } from "../Surface.ts"
import type { OfOne } from "./CollectionHandlers.ts"

const answering = <E, R>(body: Effect.Effect<unknown, E, R>) =>
  Effect.map(body, (json) => HttpServerResponse.jsonUnsafe(json))

/** The calls of §4.1. */
export const make = Effect.gen(function* () {
  const authentication = yield* LegacyAuthentication
  const constituents = yield* Constituents
  const scans = yield* Scans
  const users = yield* UserStore

  const organization = Effect.flatMap(LegacyCaller, ({ caller }) => users.organization(caller.tenantId))

  const me = Effect.gen(function* () {
    const { caller, user } = yield* LegacyCaller
    const show = caller.bearer.kind === "legacy" ? showByBearer : showByBasic
    return show(user, yield* organization)
  })

  const token = (id: string) =>
    authentication.issue(id).pipe(
      Effect.map(({ expiresAt, issuedAt, token }) => ({
        token: Redacted.value(token),
        iat: issuedAt,
        exp: expiresAt
      })),
      Effect.catchTag("Unauthenticated", () => Effect.fail(legacyUnauthorized(legacyCalls.token.schemes)))
    )

  return handlersOf(LegacySurface, "legacy", {
    me: () => answering(me),
    token: (call: OfOne) => answering(token(call.params.id)),
    organization: () => answering(Effect.map(organization, showOrganization)),
    constituents: (call: Call) => answering(constituents.list(call.query)),
    constituent: (call: OfOne) => answering(constituents.read(call.params.id)),
    scan: (call: Call) => answering(Effect.flatMap(JsonBody.read(call), scans.submit))
  })
})
