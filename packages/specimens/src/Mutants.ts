import type { Mutant } from "./Mutant.ts"
import { auditMutants } from "./mutants/Audit.ts"
import { bearerMutants } from "./mutants/Bearer.ts"
import { bulkOwnershipAnswerMutants } from "./mutants/BulkOwnershipAnswers.ts"
import { bulkOwnershipItemMutants } from "./mutants/BulkOwnershipItems.ts"
import { bulkOwnershipReachMutants } from "./mutants/BulkOwnershipReach.ts"
import { credentialListMutants } from "./mutants/CredentialLists.ts"
import { credentialMutants } from "./mutants/Credentials.ts"
import { deletionMutants } from "./mutants/Deletion.ts"
import { derivedReadMutants } from "./mutants/DerivedReads.ts"
import { envelopeMutants } from "./mutants/Envelopes.ts"
import { errorMutants } from "./mutants/Errors.ts"
import { eventSignatureMutants } from "./mutants/EventSignatures.ts"
import { eventMutants } from "./mutants/Events.ts"
import { fetchRequestMutants } from "./mutants/FetchRequests.ts"
import { groupMutants } from "./mutants/Groups.ts"
import { issuedSecretMutants } from "./mutants/IssuedSecrets.ts"
import { legacyReadMutants } from "./mutants/LegacyReads.ts"
import { legacyRefusalMutants } from "./mutants/LegacyRefusals.ts"
import { legacyTokenMutants } from "./mutants/LegacyTokens.ts"
import { oauthClientMutants } from "./mutants/OAuthClients.ts"
import { oauthRefusalMutants } from "./mutants/OAuthRefusals.ts"
import { oauthTokenMutants } from "./mutants/OAuthToken.ts"
import { ownershipLinkMutants } from "./mutants/OwnershipLink.ts"
import { ownershipRaceMutants } from "./mutants/OwnershipRaces.ts"
import { ownershipRequestMutants } from "./mutants/OwnershipRequests.ts"
import { ownershipSequenceMutants } from "./mutants/OwnershipSequences.ts"
import { ownershipTransferMutants } from "./mutants/OwnershipTransfer.ts"
import { ownershipUnlinkMutants } from "./mutants/OwnershipUnlink.ts"
import { personalTokenMutants } from "./mutants/PersonalTokens.ts"
import { privilegeRefusalMutants } from "./mutants/PrivilegeRefusals.ts"
import { privilegeMutants } from "./mutants/Privileges.ts"
import { rateLimitMutants } from "./mutants/RateLimits.ts"
import { requestIdMutants } from "./mutants/RequestIds.ts"
import { tenantMutants } from "./mutants/Tenants.ts"
import { transportMutants } from "./mutants/Transport.ts"
import { verificationMutants } from "./mutants/Verification.ts"
import { webhookMutants } from "./mutants/Webhooks.ts"
import { webLoginMutants } from "./mutants/WebLogin.ts"
import { workerListMutants } from "./mutants/WorkerLists.ts"
import { workerMutants } from "./mutants/Workers.ts"

/** Every mutant, by area. */
export const mutants: ReadonlyArray<Mutant> = [
  ...eventMutants,
  ...eventSignatureMutants,
  ...verificationMutants,
  ...transportMutants,
  ...tenantMutants,
  ...legacyTokenMutants,
  ...legacyReadMutants,
  ...legacyRefusalMutants,
  ...envelopeMutants,
  ...errorMutants,
  ...oauthTokenMutants,
  ...oauthRefusalMutants,
  ...oauthClientMutants,
  ...bearerMutants,
  ...personalTokenMutants,
  ...issuedSecretMutants,
  ...webLoginMutants,
  ...privilegeMutants,
  ...derivedReadMutants,
  ...privilegeRefusalMutants,
  ...groupMutants,
  ...webhookMutants,
  ...auditMutants,
  ...fetchRequestMutants,
  ...rateLimitMutants,
  ...requestIdMutants,
  ...ownershipLinkMutants,
  ...ownershipUnlinkMutants,
  ...ownershipTransferMutants,
  ...ownershipRequestMutants,
  ...ownershipSequenceMutants,
  ...ownershipRaceMutants,
  ...bulkOwnershipAnswerMutants,
  ...bulkOwnershipItemMutants,
  ...bulkOwnershipReachMutants,
  ...credentialMutants,
  ...credentialListMutants,
  ...deletionMutants,
  ...workerMutants,
  ...workerListMutants
]
