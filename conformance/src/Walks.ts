import { exchangeRules as rules } from "./EveryExchange.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"
import type { Walk } from "./Walk.ts"
import { bearerWalks } from "./walks/Bearer.ts"
import { bulkOwnershipWalks } from "./walks/BulkOwnership.ts"
import { credentialWalks } from "./walks/Credentials.ts"
import { deletionWalks } from "./walks/Deletion.ts"
import { envelopeWalks } from "./walks/Envelopes.ts"
import { eventEdgeWalks } from "./walks/EventEdges.ts"
import { eventSignatureWalks } from "./walks/EventSignatures.ts"
import { eventWalks } from "./walks/Events.ts"
import { fetchRequestWalks } from "./walks/FetchRequests.ts"
import { hostileWalks } from "./walks/Hostile.ts"
import { issuedSecretWalks } from "./walks/IssuedSecrets.ts"
import { legacyReadWalks } from "./walks/LegacyReads.ts"
import { legacyRefusalWalks } from "./walks/LegacyRefusals.ts"
import { legacyTokenWalks } from "./walks/LegacyTokens.ts"
import { oauthTokenWalks } from "./walks/OAuthToken.ts"
import { ownershipWalks } from "./walks/Ownership.ts"
import { personalTokenWalks } from "./walks/PersonalTokens.ts"
import { privilegeWalks } from "./walks/Privileges.ts"
import { rateLimitWalks } from "./walks/RateLimits.ts"
import { requestIdWalks } from "./walks/RequestIds.ts"
import { tenantWalks } from "./walks/Tenants.ts"
import { transportWalks } from "./walks/Transport.ts"
import { verificationWalks } from "./walks/Verification.ts"
import { verificationPrivilegeWalks } from "./walks/VerificationPrivileges.ts"
import { webhookWalks } from "./walks/Webhooks.ts"
import { webLoginWalks } from "./walks/WebLogin.ts"
import { workerWalks } from "./walks/Workers.ts"

/** Every walk of this suite. */
export const walks: ReadonlyArray<Walk> = [
  // those that wait for deliveries come first: the others are made meanwhile
  ...eventWalks,
  ...eventSignatureWalks,
  ...eventEdgeWalks,
  ...webLoginWalks,
  ...transportWalks,
  ...tenantWalks,
  ...legacyTokenWalks,
  ...legacyReadWalks,
  ...legacyRefusalWalks,
  ...oauthTokenWalks,
  ...bearerWalks,
  ...personalTokenWalks,
  ...issuedSecretWalks,
  ...privilegeWalks,
  ...rateLimitWalks,
  ...requestIdWalks,
  ...envelopeWalks,
  ...hostileWalks,
  ...workerWalks,
  ...credentialWalks,
  ...ownershipWalks,
  ...bulkOwnershipWalks,
  ...fetchRequestWalks,
  ...deletionWalks,
  ...verificationWalks,
  ...verificationPrivilegeWalks,
  ...webhookWalks
]

/** Every rule that all exchanges of a run are judged by. */
export const exchangeRules: ReadonlyArray<ExchangeRule> = rules
