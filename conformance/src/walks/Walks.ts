import { exchangeRules as rules } from "../exchanges/EveryExchange.ts"
import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import type { Walk } from "../judgement/Walk.ts"
import { bearerWalks } from "./access/Bearer.ts"
import { issuedSecretWalks } from "./access/IssuedSecrets.ts"
import { oauthTokenWalks } from "./access/OAuthToken.ts"
import { personalTokenWalks } from "./access/PersonalTokens.ts"
import { privilegeWalks } from "./access/Privileges.ts"
import { rateLimitWalks } from "./access/RateLimits.ts"
import { tenantWalks } from "./access/Tenants.ts"
import { webLoginWalks } from "./access/WebLogin.ts"
import { envelopeWalks } from "./answer/Envelopes.ts"
import { hostileWalks } from "./answer/Hostile.ts"
import { requestIdWalks } from "./answer/RequestIds.ts"
import { transportWalks } from "./answer/Transport.ts"
import { eventEdgeWalks } from "./event/EventEdges.ts"
import { eventSignatureWalks } from "./event/EventSignatures.ts"
import { eventWalks } from "./event/Events.ts"
import { verificationWalks } from "./event/Verification.ts"
import { webhookWalks } from "./event/Webhooks.ts"
import { legacyReadWalks } from "./legacy/LegacyReads.ts"
import { legacyRefusalWalks } from "./legacy/LegacyRefusals.ts"
import { legacyTokenWalks } from "./legacy/LegacyTokens.ts"
import { bulkOwnershipWalks } from "./ownership/BulkOwnership.ts"
import { ownershipWalks } from "./ownership/Ownership.ts"
import { changeWalks } from "./places/Changes.ts"
import { fieldWalks } from "./places/Fields.ts"
import { secondTenantWalks } from "./places/SecondTenant.ts"
import { tokenWalks } from "./places/Tokens.ts"
import { credentialWalks } from "./resource/Credentials.ts"
import { deletionWalks } from "./resource/Deletion.ts"
import { fetchRequestWalks } from "./resource/FetchRequests.ts"
import { workerWalks } from "./resource/Workers.ts"
import { strangers } from "./rows/Strangers.ts"
import { walksOf } from "./rows/Sweeping.ts"

/** Every walk of this suite. */
export const walks: ReadonlyArray<Walk> = [
  // walks that wait for deliveries or for a limit come first, so that the others run meanwhile
  ...eventWalks,
  ...eventSignatureWalks,
  ...eventEdgeWalks,
  ...rateLimitWalks,
  ...webLoginWalks,
  ...privilegeWalks,
  // then those with most calls, so that none is left alone at the end
  ...walksOf(strangers),
  ...secondTenantWalks,
  ...changeWalks,
  ...ownershipWalks,
  ...tokenWalks,
  ...fieldWalks,
  ...transportWalks,
  ...tenantWalks,
  ...legacyTokenWalks,
  ...legacyReadWalks,
  ...legacyRefusalWalks,
  ...oauthTokenWalks,
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
  ...webhookWalks
]

/** Every rule that applies to all exchanges of a run. */
export const exchangeRules: ReadonlyArray<ExchangeRule> = rules
