import { HttpApi } from "effect/http-api"
import { AccessTokensApi } from "./AccessTokensApi.ts"
import { ApiClientsApi } from "./ApiClientsApi.ts"
import { ApplicantsApi } from "./ApplicantsApi.ts"
import { AuditEventsApi } from "./AuditEventsApi.ts"
import { BansApi } from "./BansApi.ts"
import { ComplianceChecksApi } from "./ComplianceChecksApi.ts"
import { CredentialsApi } from "./CredentialsApi.ts"
import { CredentialTypesApi } from "./CredentialTypesApi.ts"
import { ExemptionsApi } from "./ExemptionsApi.ts"
import { FetchRequestsApi } from "./FetchRequestsApi.ts"
import { IdentityProvidersApi } from "./IdentityProvidersApi.ts"
import { MeApi } from "./MeApi.ts"
import { OAuthApi } from "./OAuthApi.ts"
import { RecruitmentChecksApi } from "./RecruitmentChecksApi.ts"
import { ScansApi } from "./ScansApi.ts"
import { ScreeningPackagesApi } from "./ScreeningPackagesApi.ts"
import { SessionsApi } from "./SessionsApi.ts"
import { UsersApi } from "./UsersApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"
import { WorkersApi } from "./WorkersApi.ts"

/** Where the newer surface stands: its version is in the path (section 9). */
export const newerRoot = "/openapi/v1"

/** The newer surface, `{tenant_base_url}/openapi/v1` (section 4.2). */
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
  .add(WebhooksApi)
  .add(AuditEventsApi)
  .add(RecruitmentChecksApi)
  .add(FetchRequestsApi)
  .add(AccessTokensApi)
  .add(ApiClientsApi)
  .add(UsersApi)
  .add(SessionsApi)
  .add(MeApi)
  .add(IdentityProvidersApi)
  .prefix(newerRoot) {}
