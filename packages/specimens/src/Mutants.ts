import type { Mutant } from "./Mutant.ts"
import { auditMutants } from "./mutants/Audit.ts"
import { bearerMutants } from "./mutants/access/Bearer.ts"
import { derivedReadMutants } from "./mutants/access/DerivedReads.ts"
import { issuedSecretMutants } from "./mutants/access/IssuedSecrets.ts"
import { oauthClientMutants } from "./mutants/access/OAuthClients.ts"
import { oauthRefusalMutants } from "./mutants/access/OAuthRefusals.ts"
import { oauthTokenMutants } from "./mutants/access/OAuthToken.ts"
import { personalTokenMutants } from "./mutants/access/PersonalTokens.ts"
import { privilegeRefusalMutants } from "./mutants/access/PrivilegeRefusals.ts"
import { privilegeMutants } from "./mutants/access/Privileges.ts"
import { rateLimitMutants } from "./mutants/access/RateLimits.ts"
import { tenantMutants } from "./mutants/access/Tenants.ts"
import { webLoginMutants } from "./mutants/access/WebLogin.ts"
import { credentialListMutants } from "./mutants/CredentialLists.ts"
import { credentialMutants } from "./mutants/Credentials.ts"
import { deletionMutants } from "./mutants/Deletion.ts"
import { envelopeMutants } from "./mutants/Envelopes.ts"
import { errorMutants } from "./mutants/Errors.ts"
import { eventSignatureMutants } from "./mutants/EventSignatures.ts"
import { eventMutants } from "./mutants/Events.ts"
import { fetchRequestMutants } from "./mutants/FetchRequests.ts"
import { groupMutants } from "./mutants/Groups.ts"
import { legacyReadMutants } from "./mutants/legacy/LegacyReads.ts"
import { legacyRefusalMutants } from "./mutants/legacy/LegacyRefusals.ts"
import { legacyTokenMutants } from "./mutants/legacy/LegacyTokens.ts"
import { bulkOwnershipAnswerMutants } from "./mutants/ownership/BulkOwnershipAnswers.ts"
import { bulkOwnershipItemMutants } from "./mutants/ownership/BulkOwnershipItems.ts"
import { bulkOwnershipReachMutants } from "./mutants/ownership/BulkOwnershipReach.ts"
import { ownershipLinkMutants } from "./mutants/ownership/OwnershipLink.ts"
import { ownershipRaceMutants } from "./mutants/ownership/OwnershipRaces.ts"
import { ownershipRequestMutants } from "./mutants/ownership/OwnershipRequests.ts"
import { ownershipSequenceMutants } from "./mutants/ownership/OwnershipSequences.ts"
import { ownershipTransferMutants } from "./mutants/ownership/OwnershipTransfer.ts"
import { ownershipUnlinkMutants } from "./mutants/ownership/OwnershipUnlink.ts"
import { placeAnswerMutants } from "./mutants/places/Answers.ts"
import { placeCallerMutants } from "./mutants/places/Callers.ts"
import { neighbourMutants } from "./mutants/places/Neighbours.ts"
import { requestIdMutants } from "./mutants/RequestIds.ts"
import { transportMutants } from "./mutants/Transport.ts"
import { verificationMutants } from "./mutants/Verification.ts"
import { webhookMutants } from "./mutants/Webhooks.ts"
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
  ...workerListMutants,
  ...placeCallerMutants,
  ...placeAnswerMutants,
  ...neighbourMutants
]
