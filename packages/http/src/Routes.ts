import { endpointsOf } from "@wcs/api/Endpoints"
import * as Legacy from "@wcs/api/legacy/LegacyMiddleware"
import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import * as Api from "@wcs/api/Middleware"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Effect } from "effect"
import * as AnswerRoutes from "./answer/AnswerRoutes.ts"
import * as Documents from "./Documents.ts"
import * as AnswersHandlers from "./handlers/AnswersHandlers.ts"
import * as ComplianceChecksHandlers from "./handlers/ComplianceChecksHandlers.ts"
import * as CredentialsHandlers from "./handlers/CredentialsHandlers.ts"
import * as CredentialTypesHandlers from "./handlers/CredentialTypesHandlers.ts"
import * as DocumentsHandlers from "./handlers/DocumentsHandlers.ts"
import * as IdentityProvidersHandlers from "./handlers/IdentityProvidersHandlers.ts"
import * as ImportsHandlers from "./handlers/ImportsHandlers.ts"
import * as InvitationGroups from "./handlers/InvitationGroups.ts"
import * as IssuedHandlers from "./handlers/IssuedHandlers.ts"
import * as LegacyGate from "./handlers/LegacyGate.ts"
import * as LegacyHandlers from "./handlers/LegacyHandlers.ts"
import * as MessagesHandlers from "./handlers/MessagesHandlers.ts"
import * as NotesHandlers from "./handlers/NotesHandlers.ts"
import * as OAuthHandlers from "./handlers/OAuthHandlers.ts"
import * as PeopleHandlers from "./handlers/PeopleHandlers.ts"
import * as PlainGroups from "./handlers/PlainGroups.ts"
import * as ReportsHandlers from "./handlers/ReportsHandlers.ts"
import * as VerificationSourcesHandlers from "./handlers/VerificationSourcesHandlers.ts"
import * as WebhooksHandlers from "./handlers/WebhooksHandlers.ts"
import * as AccountRoutes from "./login/AccountRoutes.ts"
import * as InviteRoutes from "./login/InviteRoutes.ts"
import * as LoginRoutes from "./login/LoginRoutes.ts"
import * as SingleSignOnRoutes from "./login/SingleSignOnRoutes.ts"
import { type Handlers, routesOf, type Steps } from "./pipeline/Endpoints.ts"
import * as ListFiles from "./pipeline/ListFiles.ts"
import * as Authenticate from "./request/Authenticate.ts"
import * as Authorize from "./request/Authorize.ts"
import { checkParameters } from "./request/CheckParameters.ts"
import * as LimitRate from "./request/LimitRate.ts"
import * as ResolveTenant from "./request/ResolveTenant.ts"
import * as SealedCursor from "./request/SealedCursor.ts"

/** The steps of the endpoints. The contract defines their order. */
const steps = Effect.gen(function* () {
  const legacyGate = yield* LegacyGate.make
  const all: Steps = new Map([
    [Api.ResolveTenant.key, yield* ResolveTenant.make],
    [Api.Authenticate.key, yield* Authenticate.make],
    [Api.LimitRate.key, yield* LimitRate.make],
    [Api.Authorize.key, yield* Authorize.make],
    [Api.CheckParameters.key, yield* SealedCursor.after(checkParameters)],
    [Legacy.ByBasic.key, legacyGate],
    [Legacy.ByBearer.key, legacyGate],
    [Legacy.ByBasicOrBearer.key, legacyGate],
    [Legacy.CheckLegacyParameters.key, checkParameters]
  ])
  return all
})

const handlers = Effect.map(
  Effect.all([
    OAuthHandlers.make,
    ComplianceChecksHandlers.make,
    InvitationGroups.recruitmentChecks,
    InvitationGroups.fetchRequests,
    IssuedHandlers.accessTokens,
    IssuedHandlers.apiClients,
    PeopleHandlers.users,
    PeopleHandlers.sessions,
    PeopleHandlers.erasures,
    PeopleHandlers.duplicates,
    PeopleHandlers.merges,
    PeopleHandlers.me,
    CredentialsHandlers.make,
    ReportsHandlers.make,
    WebhooksHandlers.make,
    IdentityProvidersHandlers.make,
    VerificationSourcesHandlers.make,
    ImportsHandlers.make,
    MessagesHandlers.make,
    AnswersHandlers.make,
    DocumentsHandlers.make,
    NotesHandlers.make,
    LegacyHandlers.make
  ]),
  (groups) => [...groups, CredentialTypesHandlers.handlers]
)

/** Returns all routes: both surfaces, the documents and the login pages. Fails the start if one is incomplete. */
export const make = Effect.gen(function* () {
  const grouped = Effect.all([handlers, PlainGroups.make])
  const groups = (yield* Effect.provideServiceEffect(grouped, ListFiles.ListFiles, ListFiles.make)).flat()
  const all: Handlers = new Map(groups.flatMap((group) => [...group]))
  const endpoints = [...endpointsOf(NewerSurface), ...endpointsOf(LegacySurface)]
  return [
    ...routesOf(endpoints, yield* steps, all),
    ...(yield* Documents.make),
    ...(yield* LoginRoutes.make),
    ...(yield* AccountRoutes.make),
    ...(yield* InviteRoutes.make),
    ...(yield* AnswerRoutes.make),
    ...(yield* SingleSignOnRoutes.make)
  ]
})
