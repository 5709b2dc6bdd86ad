import type { Walk } from "./engine/Walk.ts"
import { exchangeRules as rules } from "./exchanges/EveryExchange.ts"
import type { ExchangeRule } from "./exchanges/ExchangeRule.ts"
import { bearerWalks } from "./walks/access/Bearer.ts"
import { issuedSecretWalks } from "./walks/access/IssuedSecrets.ts"
import { oauthTokenWalks } from "./walks/access/OAuthToken.ts"
import { personalTokenWalks } from "./walks/access/PersonalTokens.ts"
import { privilegeWalks } from "./walks/access/Privileges.ts"
import { rateLimitWalks } from "./walks/access/RateLimits.ts"
import { tenantWalks } from "./walks/access/Tenants.ts"
import { verificationPrivilegeWalks } from "./walks/access/VerificationPrivileges.ts"
import { webLoginWalks } from "./walks/access/WebLogin.ts"
import { envelopeWalks } from "./walks/answer/Envelopes.ts"
import { hostileWalks } from "./walks/answer/Hostile.ts"
import { requestIdWalks } from "./walks/answer/RequestIds.ts"
import { transportWalks } from "./walks/answer/Transport.ts"
import { eventEdgeWalks } from "./walks/event/EventEdges.ts"
import { eventSignatureWalks } from "./walks/event/EventSignatures.ts"
import { eventWalks } from "./walks/event/Events.ts"
import { verificationWalks } from "./walks/event/Verification.ts"
import { webhookWalks } from "./walks/event/Webhooks.ts"
import { legacyReadWalks } from "./walks/legacy/LegacyReads.ts"
import { legacyRefusalWalks } from "./walks/legacy/LegacyRefusals.ts"
import { legacyTokenWalks } from "./walks/legacy/LegacyTokens.ts"
import { bulkOwnershipWalks } from "./walks/ownership/BulkOwnership.ts"
import { ownershipWalks } from "./walks/ownership/Ownership.ts"
import { bodyWalks } from "./walks/places/Bodies.ts"
import { callerWalks } from "./walks/places/Callers.ts"
import { fieldWalks } from "./walks/places/Fields.ts"
import { furtherTokenWalks } from "./walks/places/FurtherTokens.ts"
import { secondTenantWalks } from "./walks/places/SecondTenant.ts"
import { tokenWalks } from "./walks/places/Tokens.ts"
import { credentialWalks } from "./walks/resource/Credentials.ts"
import { deletionWalks } from "./walks/resource/Deletion.ts"
import { fetchRequestWalks } from "./walks/resource/FetchRequests.ts"
import { workerWalks } from "./walks/resource/Workers.ts"

/** Every walk of this suite. */
export const walks: ReadonlyArray<Walk> = [
  // walks that wait for deliveries or for a limit come first, so that the others run meanwhile
  ...eventWalks,
  ...eventSignatureWalks,
  ...eventEdgeWalks,
  ...rateLimitWalks,
  ...webLoginWalks,
  // then those with most calls, so that none is left alone at the end
  ...callerWalks,
  ...secondTenantWalks,
  ...bodyWalks,
  ...ownershipWalks,
  ...tokenWalks,
  ...fieldWalks,
  ...privilegeWalks,
  ...transportWalks,
  ...tenantWalks,
  ...legacyTokenWalks,
  ...legacyReadWalks,
  ...legacyRefusalWalks,
  ...oauthTokenWalks,
  ...furtherTokenWalks,
  ...bearerWalks,
  ...personalTokenWalks,
  ...issuedSecretWalks,
  ...requestIdWalks,
  ...envelopeWalks,
  ...hostileWalks,
  ...workerWalks,
  ...credentialWalks,
  ...bulkOwnershipWalks,
  ...fetchRequestWalks,
  ...deletionWalks,
  ...verificationWalks,
  ...verificationPrivilegeWalks,
  ...webhookWalks
]

/** Every rule that applies to all exchanges of a run. */
export const exchangeRules: ReadonlyArray<ExchangeRule> = rules
