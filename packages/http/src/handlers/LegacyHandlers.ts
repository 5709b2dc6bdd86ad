import { LegacySurface } from "@wcs/api/LegacySurface"
import type { Unauthenticated } from "@wcs/domain/access/Authentication"
import { Constituents } from "@wcs/domain/legacy/Constituents"
import { legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import { LegacyAuthentication, LegacyCaller } from "@wcs/domain/legacy/LegacyAuthentication"
import { Scans } from "@wcs/domain/legacy/Scans"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { showByBasic, showByBearer, showOrganization } from "@wcs/domain/user/User"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Refusal } from "../refusal/RefusalText.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { answerOn, legacyUnauthorized } from "../Surface.ts"

/** The calls of §4.1. Refusals have the legacy error form. */
export const layer = HttpApiBuilder.group(
  LegacySurface,
  "legacy",
  Effect.fn(function* (handlers) {
    const authentication = yield* LegacyAuthentication
    const constituents = yield* Constituents
    const scans = yield* Scans
    const users = yield* UserStore
    const codes = yield* ErrorCodes

    const answering = <R>(body: Effect.Effect<unknown, Refusal | Unauthenticated, R>) =>
      Effect.matchEffect(body, {
        onSuccess: (json) => Effect.succeed(HttpServerResponse.jsonUnsafe(json)),
        onFailure: (refusal) =>
          Effect.map(RequestId, (requestId) =>
            refusal._tag === "Unauthenticated"
              ? legacyUnauthorized(legacyCalls.token.schemes)
              : answerOn("legacy", codes, refusal, requestId)
          )
      })

    const organization = Effect.flatMap(LegacyCaller, ({ caller }) => users.organization(caller.tenantId))

    const me = Effect.gen(function* () {
      const { caller, user } = yield* LegacyCaller
      const show = caller.bearer.kind === "legacy" ? showByBearer : showByBasic
      return show(user, yield* organization)
    })

    const token = (id: string) =>
      Effect.map(authentication.issue(id), ({ expiresAt, issuedAt, token }) => ({
        token: Redacted.value(token),
        iat: issuedAt,
        exp: expiresAt
      }))

    return handlers
      .handleRaw("me", () => answering(me))
      .handleRaw("token", ({ params }) => answering(token(params.id)))
      .handleRaw("organization", () => answering(Effect.map(organization, showOrganization)))
      .handleRaw("constituents", () =>
        answering(Effect.flatMap(HttpServerRequest.ParsedSearchParams, constituents.list))
      )
      .handleRaw("constituent", ({ params }) => answering(constituents.read(params.id)))
      .handleRaw("scan", () => answering(Effect.flatMap(JsonBody.read(), scans.submit)))
  })
)
