import { Layer } from "effect"
import * as Administration from "./Administration.ts"
import * as Applicants from "./Applicants.ts"
import * as AuditEvents from "./AuditEvents.ts"
import * as Authentication from "./Authentication.ts"
import * as Bans from "./Bans.ts"
import * as ComplianceChecks from "./ComplianceChecks.ts"
import * as ComplianceEvaluation from "./ComplianceEvaluation.ts"
import * as ComplianceMatrix from "./ComplianceMatrix.ts"
import * as Constituents from "./Constituents.ts"
import * as Credentials from "./Credentials.ts"
import * as Deliveries from "./Deliveries.ts"
import * as Exemptions from "./Exemptions.ts"
import * as ExternalBearers from "./ExternalBearers.ts"
import * as FetchRequests from "./FetchRequests.ts"
import * as IdentityProviders from "./IdentityProviders.ts"
import * as Invites from "./Invites.ts"
import * as LegacyAuthentication from "./LegacyAuthentication.ts"
import * as Login from "./Login.ts"
import * as OAuthClients from "./OAuthClients.ts"
import * as OwnAccount from "./OwnAccount.ts"
import * as OwnershipChanges from "./OwnershipChanges.ts"
import * as PasswordCheck from "./PasswordCheck.ts"
import * as PersonalTokens from "./PersonalTokens.ts"
import * as RecruitmentChecks from "./RecruitmentChecks.ts"
import * as Resources from "./Resources.ts"
import * as Scans from "./Scans.ts"
import * as ScreeningPackages from "./ScreeningPackages.ts"
import * as SecondFactors from "./SecondFactors.ts"
import * as Sessions from "./Sessions.ts"
import * as SingleSignOn from "./SingleSignOn.ts"
import * as Tenancy from "./Tenancy.ts"
import * as TenantUsers from "./TenantUsers.ts"
import * as TokenExchange from "./TokenExchange.ts"
import * as Users from "./Users.ts"
import * as Verifications from "./Verifications.ts"
import * as Webhooks from "./Webhooks.ts"
import * as WhoAmI from "./WhoAmI.ts"
import * as Workers from "./Workers.ts"

/** Everything that can be done, over stores, keys and rules that are handed in. */
export const layer = Layer.mergeAll(
  Workers.layer,
  Applicants.layer,
  Credentials.layer,
  Exemptions.layer,
  ScreeningPackages.layer,
  ComplianceChecks.layer,
  ComplianceEvaluation.layer,
  ComplianceMatrix.layer,
  Bans.layer,
  Webhooks.layer,
  Deliveries.layer,
  AuditEvents.layer,
  OwnershipChanges.layer,
  RecruitmentChecks.layer,
  FetchRequests.layer,
  TokenExchange.layer,
  Layer.provide(Authentication.layer, ExternalBearers.layer),
  Layer.provideMerge(Layer.mergeAll(PersonalTokens.layer, OAuthClients.layer), Administration.layer),
  Tenancy.layer,
  Layer.mergeAll(TenantUsers.layer, Invites.layer, WhoAmI.layer),
  Layer.mergeAll(Login.layer, OwnAccount.layer, IdentityProviders.layer).pipe(
    Layer.provideMerge(SingleSignOn.layer),
    Layer.provideMerge(Layer.mergeAll(Sessions.layer, SecondFactors.layer, LegacyAuthentication.layer, Users.layer)),
    Layer.provide(PasswordCheck.layer)
  ),
  Constituents.layer,
  Layer.provideMerge(Scans.layer, Verifications.layer)
).pipe(Layer.provide(Resources.layer))
