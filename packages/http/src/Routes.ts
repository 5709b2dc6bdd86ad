import { endpointsOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { LegacySurface } from "@wcs/api/LegacySurface"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { OAuthClients } from "@wcs/domain/access/OAuthClients"
import { PersonalTokens } from "@wcs/domain/access/PersonalTokens"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { Tenancy } from "@wcs/domain/access/Tenancy"
import { TokenExchange } from "@wcs/domain/access/TokenExchange"
import { AuditEvents } from "@wcs/domain/audit/AuditEvents"
import { Bans } from "@wcs/domain/credential/Bans"
import { Credentials } from "@wcs/domain/credential/Credentials"
import { Exemptions } from "@wcs/domain/credential/Exemptions"
import { Constituents } from "@wcs/domain/legacy/Constituents"
import { LegacyAuthentication } from "@wcs/domain/legacy/LegacyAuthentication"
import { Scans } from "@wcs/domain/legacy/Scans"
import { Sessions } from "@wcs/domain/login/Sessions"
import { OwnershipChanges } from "@wcs/domain/ownership/OwnershipChanges"
import { Workers } from "@wcs/domain/people/Workers"
import { Resources } from "@wcs/domain/resource/Resources"
import { ComplianceEvaluation } from "@wcs/domain/screening/ComplianceEvaluation"
import { ComplianceMatrix } from "@wcs/domain/screening/ComplianceMatrix"
import { FetchRequests } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentChecks } from "@wcs/domain/screening/RecruitmentChecks"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { IdentityProviders } from "@wcs/domain/single-sign-on/IdentityProviders"
import { TenantUsers } from "@wcs/domain/user/TenantUsers"
import { UserStore } from "@wcs/domain/user/UserStore"
import { WhoAmI } from "@wcs/domain/user/WhoAmI"
import { Verifications } from "@wcs/domain/verification/Verifications"
import { Deliveries } from "@wcs/domain/webhook/Deliveries"
import { Webhooks } from "@wcs/domain/webhook/Webhooks"
import { Context, Effect, Layer, Scope } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Documents from "./Documents.ts"
import * as ComplianceChecksHandlers from "./handlers/ComplianceChecksHandlers.ts"
import * as CredentialsHandlers from "./handlers/CredentialsHandlers.ts"
import * as CredentialTypesHandlers from "./handlers/CredentialTypesHandlers.ts"
import * as IdentityProvidersHandlers from "./handlers/IdentityProvidersHandlers.ts"
import * as InvitationGroups from "./handlers/InvitationGroups.ts"
import * as IssuedHandlers from "./handlers/IssuedHandlers.ts"
import * as LegacyGate from "./handlers/LegacyGate.ts"
import * as LegacyHandlers from "./handlers/LegacyHandlers.ts"
import * as OAuthHandlers from "./handlers/OAuthHandlers.ts"
import * as PeopleHandlers from "./handlers/PeopleHandlers.ts"
import * as PlainGroups from "./handlers/PlainGroups.ts"
import * as WebhooksHandlers from "./handlers/WebhooksHandlers.ts"
import * as AccountRoutes from "./login/AccountRoutes.ts"
import * as InviteRoutes from "./login/InviteRoutes.ts"
import * as LoginRoutes from "./login/LoginRoutes.ts"
import * as LoginVisit from "./login/LoginVisit.ts"
import * as SingleSignOnRoutes from "./login/SingleSignOnRoutes.ts"
import * as AnswerRefusals from "./refusal/AnswerRefusals.ts"
import * as Authenticate from "./request/Authenticate.ts"
import * as Authorize from "./request/Authorize.ts"
import * as Begin from "./request/Begin.ts"
import * as Edge from "./request/Edge.ts"
import * as LimitRate from "./request/LimitRate.ts"
import { Peers } from "./request/Peers.ts"
import { ReadBytes } from "./request/RequestBody.ts"
import * as ResolveTenant from "./request/ResolveTenant.ts"
import * as UnknownPath from "./request/UnknownPath.ts"

/** The middleware of the endpoints. Each group defines the order. */
export const steps = Layer.mergeAll(
  Begin.layer,
  ResolveTenant.layer,
  Authenticate.layer,
  LimitRate.layer,
  Authorize.layer,
  AnswerRefusals.layer
)

const handlers = Layer.mergeAll(
  OAuthHandlers.layer,
  PlainGroups.layer,
  ComplianceChecksHandlers.layer,
  InvitationGroups.layer,
  IssuedHandlers.layer,
  PeopleHandlers.layer,
  CredentialsHandlers.layer,
  CredentialTypesHandlers.layer,
  WebhooksHandlers.layer,
  IdentityProvidersHandlers.layer
).pipe(Layer.provide(steps))

/** The services that handlers and middleware of the newer surface need. */
const parts = Context.pick(
  Resources,
  Workers,
  Credentials,
  Verifications,
  Exemptions,
  ComplianceEvaluation,
  ComplianceMatrix,
  Bans,
  Webhooks,
  Deliveries,
  AuditEvents,
  OwnershipChanges,
  Scans,
  RecruitmentChecks,
  FetchRequests,
  PersonalTokens,
  OAuthClients,
  TenantUsers,
  Sessions,
  WhoAmI,
  IdentityProviders,
  TokenExchange,
  Tenancy,
  Authenticate.BearerGate,
  RateLimiter,
  PrivilegeRules,
  ErrorCodes,
  Peers,
  ReadBytes,
  Scope.Scope
)

/** Builds handlers with only the services that they need, because each request copies their whole context. */
const among = <A, E, Parts>(
  handlers: Layer.Layer<A, E, Parts>,
  parts: (context: Context.Context<Parts | Scope.Scope>) => Context.Context<Parts | Scope.Scope>
) => Layer.effectContext(Effect.updateContext(Layer.build(handlers), parts))

const newerSurface = HttpApiBuilder.layer(NewerSurface).pipe(Layer.provide(among(handlers, parts)))

const legacyHandlers = LegacyHandlers.layer.pipe(
  Layer.provide(Layer.mergeAll(Begin.layer, ResolveTenant.layer, LegacyGate.layer, AnswerRefusals.layerLegacy))
)

const legacyParts = Context.pick(
  LegacyAuthentication,
  Constituents,
  Scans,
  UserStore,
  Tenancy,
  RateLimiter,
  PrivilegeRules,
  ErrorCodes,
  Peers,
  ReadBytes,
  Scope.Scope
)

const legacySurface = HttpApiBuilder.layer(LegacySurface).pipe(Layer.provide(among(legacyHandlers, legacyParts)))

const login = Layer.mergeAll(LoginRoutes.layer, AccountRoutes.layer, InviteRoutes.layer, SingleSignOnRoutes.layer).pipe(
  Layer.provide(LoginVisit.layer)
)

/** Fails the start of the server if an endpoint has no guard. */
const everyEndpointIsGuarded = Layer.effectDiscard(
  Effect.suspend(() => {
    const open = [
      ...endpointsOf(NewerSurface).filter(({ guard, name }) => guard === undefined && !unguarded.includes(name)),
      ...endpointsOf(LegacySurface).filter(({ legacyCall }) => legacyCall === undefined)
    ]
    return open.length === 0
      ? Effect.void
      : Effect.die(new Error(`endpoints without a guard: ${open.map(({ name }) => name).join(", ")}`))
  })
)

/** All routes, with the middleware that runs for every request (`Edge`). */
export const layer = Layer.mergeAll(newerSurface, legacySurface, Documents.layer, login, everyEndpointIsGuarded).pipe(
  Layer.provideMerge(Edge.layer),
  Layer.provide(UnknownPath.layer),
  Layer.provide(Authenticate.layerGate)
)
