import { Data } from "effect"
import type { Caller } from "../access/Caller.ts"
import { type Actor, entryOf } from "../audit/AuditEntry.ts"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { CredentialFields } from "../holding/Credential.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"

// Nobody verifies themself (New South Wales; DECISIONS.md#registers).

/** The worker of the caller holds the credential, so somebody else has to verify it or decide on it. */
export class OwnCard extends Data.TaggedError("OwnCard")<{ readonly credentialId: string }> {}

/** Whether the worker of the caller holds the credential. */
export const isOwn = ({ workerId }: Pick<Caller["Service"], "workerId">, { attributes }: CredentialFields): boolean =>
  workerId !== null && attributes.owners.worker === workerId

/** A refused call to store: its audit entry and nothing else. */
export interface Refused {
  readonly next: undefined
  readonly records: ChangeRecords
  readonly refusal: OwnCard
}

/** The refusal of a call about the caller's own card, with its audit entry; undefined if it is not the caller's. */
export const refusedAsOwn = (
  caller: Pick<Caller["Service"], "workerId">,
  { fields, id }: Stored<CredentialFields>,
  action: "verify" | "review" | "notice" | "decide",
  { actor, auditId, now }: { readonly actor: Actor; readonly auditId: string; readonly now: Instant }
): Refused | undefined => {
  if (!isOwn(caller, fields)) return undefined
  const refused = { operation: "UPDATE", action: `${action} refused`, entityType: "credential", entityId: id } as const
  const audit = [entryOf(auditId, actor, refused, now)]
  return { next: undefined, records: { audit, events: [] }, refusal: new OwnCard({ credentialId: id }) }
}
