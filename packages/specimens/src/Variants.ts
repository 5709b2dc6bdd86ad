import type { Variant } from "./Variant.ts"
import { batchVariants } from "./variants/Batches.ts"
import { bearerVariants } from "./variants/Bearers.ts"
import { bodyVariants } from "./variants/Bodies.ts"
import { derivedReadVariants } from "./variants/DerivedReads.ts"
import { eventVariants } from "./variants/Events.ts"
import { grantVariants } from "./variants/Grants.ts"
import { groupVariants } from "./variants/Groups.ts"
import { idVariants } from "./variants/Ids.ts"
import { issuedSecretVariants } from "./variants/IssuedSecrets.ts"
import { legacyVariants } from "./variants/Legacy.ts"
import { limitVariants } from "./variants/Limits.ts"
import { listVariants } from "./variants/Lists.ts"
import { ownershipVariants } from "./variants/Ownership.ts"
import { placeVariants } from "./variants/Places.ts"
import { profileVariants } from "./variants/Profiles.ts"
import { refusalVariants } from "./variants/Refusals.ts"
import { slotVariants } from "./variants/Slots.ts"
import { tenantVariants } from "./variants/Tenants.ts"
import { transportVariants } from "./variants/Transport.ts"
import { verificationVariants } from "./variants/Verification.ts"
import { webhookVariants } from "./variants/Webhooks.ts"
import { webLoginVariants } from "./variants/WebLogin.ts"

/** Deployments that keep every rule, and differ from ours where the specification is silent. */
export const variants: ReadonlyArray<Variant> = [
  ...slotVariants,
  ...idVariants,
  ...refusalVariants,
  ...ownershipVariants,
  ...profileVariants,
  ...batchVariants,
  ...bearerVariants,
  ...grantVariants,
  ...placeVariants,
  ...groupVariants,
  ...webhookVariants,
  ...derivedReadVariants,
  ...issuedSecretVariants,
  ...webLoginVariants,
  ...verificationVariants,
  ...eventVariants,
  ...legacyVariants,
  ...transportVariants,
  ...tenantVariants,
  ...listVariants,
  ...limitVariants,
  // last: one of these removes the request id, which others repeat in their errors
  ...bodyVariants
]
