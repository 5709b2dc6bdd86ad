import { HttpApi } from "effect/http-api"
import { DuplicatesApi, MergesApi } from "./DuplicatesApi.ts"
import { AccessTokensApi } from "./groups/AccessTokensApi.ts"
import { ApiClientsApi } from "./groups/ApiClientsApi.ts"
import { ApplicantsApi } from "./groups/ApplicantsApi.ts"
import { AuditEventsApi } from "./groups/AuditEventsApi.ts"
import { BansApi } from "./groups/BansApi.ts"
import { ChangesApi } from "./groups/ChangesApi.ts"
import { ComplianceChecksApi } from "./groups/ComplianceChecksApi.ts"
import { CredentialsApi } from "./groups/CredentialsApi.ts"
import { CredentialTypesApi } from "./groups/CredentialTypesApi.ts"
import { ErasuresApi } from "./groups/ErasuresApi.ts"
import { ExemptionsApi } from "./groups/ExemptionsApi.ts"
import { IdentityProvidersApi } from "./groups/IdentityProvidersApi.ts"
import { ImportsApi } from "./groups/ImportsApi.ts"
import { MeApi } from "./groups/MeApi.ts"
import { OAuthApi } from "./groups/OAuthApi.ts"
import { ReportsApi } from "./groups/ReportsApi.ts"
import { ScansApi } from "./groups/ScansApi.ts"
import { ScreeningPackagesApi } from "./groups/ScreeningPackagesApi.ts"
import { SessionsApi } from "./groups/SessionsApi.ts"
import { UsersApi } from "./groups/UsersApi.ts"
import { VerificationSourcesApi } from "./groups/VerificationSourcesApi.ts"
import { WebhooksApi } from "./groups/WebhooksApi.ts"
import { WorkersApi } from "./groups/WorkersApi.ts"
import { AnswersApi } from "./invitations/AnswersApi.ts"
import { FetchRequestsApi } from "./invitations/FetchRequestsApi.ts"
import { RecruitmentChecksApi } from "./invitations/RecruitmentChecksApi.ts"
import { MessagesApi } from "./MessagesApi.ts"
import { DocumentsApi, NotesApi } from "./RecordsApi.ts"
import { TasksApi } from "./TasksApi.ts"
import { UnitsApi } from "./UnitsApi.ts"

/** The root path of the newer surface, with its version (§9). */
export const newerRoot = "/openapi/v1"

/** The newer surface, `{tenant_base_url}/openapi/v1` (§4.2). */
export class NewerSurface extends HttpApi.make("newer")
  .add(OAuthApi)
  .add(WorkersApi)
  .add(ApplicantsApi)
  .add(CredentialsApi)
  .add(CredentialTypesApi)
  .add(ScansApi)
  .add(ExemptionsApi)
  .add(ScreeningPackagesApi)
  .add(ComplianceChecksApi)
  .add(BansApi)
  .add(ReportsApi)
  .add(TasksApi)
  .add(UnitsApi)
  .add(WebhooksApi)
  .add(AuditEventsApi)
  .add(ChangesApi)
  .add(RecruitmentChecksApi)
  .add(FetchRequestsApi)
  .add(AnswersApi)
  .add(AccessTokensApi)
  .add(ApiClientsApi)
  .add(UsersApi)
  .add(SessionsApi)
  .add(MeApi)
  .add(IdentityProvidersApi)
  .add(VerificationSourcesApi)
  .add(ErasuresApi)
  .add(ImportsApi)
  .add(DuplicatesApi)
  .add(MergesApi)
  .add(MessagesApi)
  .add(DocumentsApi)
  .add(NotesApi)
  .prefix(newerRoot) {}
