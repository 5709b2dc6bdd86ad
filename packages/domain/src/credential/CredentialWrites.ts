import { Effect, Option, Result } from "effect"
import type { Actor } from "../audit/AuditEntry.ts"
import type { OwnRecords, ReferencesRule } from "../crud/GroupRules.ts"
import { isThere } from "../crud/Links.ts"
import type { ChangedBy } from "../crud/Progression.ts"
import type { Resources } from "../crud/Resources.ts"
import * as Credential from "../holding/Credential.ts"
import { settleUpdate } from "../holding/CredentialUpdate.ts"
import type { VerificationDraft } from "../holding/VerificationRecord.ts"
import { noOwners, OwnerNotFound, ownersIn } from "../ownership/Ownership.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import { ownerResources } from "../people/Owner.ts"
import type { Restoring, Writing } from "../resource/Collection.ts"
import type { Stored } from "../resource/Resource.ts"
import type { UpdateMethod } from "../resource/Write.ts"
import { progressionsOfCredential } from "../screening/Progressions.ts"
import type { Moment } from "../shared/CalendarDay.ts"
import type { Ids } from "../shared/Id.ts"
import { isAskedAnew, waitingMax } from "../verification/VerificationRun.ts"
import { draftOf } from "../verification/Verifications.ts"

type StoredCredential = Stored<Credential.CredentialFields>
type Use = Writing<Credential.CredentialView, OwnerNotFound, OwnerOutside, OwnerOutside> &
  Restoring<Credential.CredentialView, OwnerOutside>

/** The owners of a new credential, which must exist. */
const owning: ReferencesRule<Credential.CredentialFields, OwnerNotFound> = {
  of: (fields) => ownersIn(fields.attributes.owners).map(({ id, type }) => ({ resource: ownerResources[type], id })),
  complete: (fields, found) => {
    const missing = ownersIn(fields.attributes.owners).find((_, index) => !isThere(found[index]))
    return missing === undefined ? Result.succeed(fields) : Result.fail(new OwnerNotFound({ owner: missing }))
  }
}

/** Returns the credential as GET shows it at a time. */
export const shownAt = (stored: StoredCredential, { today }: Moment) => Credential.documentOn(stored, today)

/**
 * The register is asked again about the changed fields, because a caller waits for a verdict on them. The caller is
 * also notified if there will be no verdict.
 */
const rerunsOf = (before: StoredCredential, after: StoredCredential) =>
  isAskedAnew(before, after) ? [{ credentialId: after.id, dueAt: after.updatedAt }] : []

/** Returns the records of a create or an update that starts these verifications. */
const recordsOf = (
  change: "created" | "updated",
  after: StoredCredential,
  verifications: ReadonlyArray<VerificationDraft>,
  correlationId: string | null,
  by: ChangedBy
): OwnRecords => ({
  events: [
    Credential.eventOf(`credential.${change}`, by.eventId(), Credential.slotsOf(after), correlationId, after.updatedAt)
  ],
  verifications,
  progressions: progressionsOfCredential(after, by)
})

/** Makes create, replace, patch, delete and restore: with owners, the catalogue of types, verifications and expiry. */
export const makeCredentialWrites = (resources: Resources["Service"], ids: Ids["Service"]): Use => {
  const verificationId = ids.source("verification")

  const started = (
    trigger: "create" | "update",
    { id, updatedAt }: StoredCredential,
    correlationId: string,
    actor: Actor
  ) => draftOf(id, { verificationId: verificationId(), correlationId, actor, trigger, now: updatedAt }, null)

  const create: Use["create"] = Effect.fnUntraced(function* (body) {
    const correlationId = yield* ids.ulid
    const shown = yield* resources.create(Credential.Credential, body, {
      show: shownAt,
      settle: (fields, { today }) =>
        Credential.requireOwner(fields).pipe(
          Result.flatMap(Credential.classify),
          Result.map(({ fields, warnings }) => ({
            fields: Credential.unverified(fields, correlationId),
            warnings: [...warnings, ...Credential.remarksOn(fields, today)]
          }))
        ),
      references: owning,
      records: (_before, after, by) => {
        const isVerified = Credential.isVerifiable(after.fields)
        const verifications = isVerified ? [started("create", after, correlationId, by.actor)] : []
        return {
          ...recordsOf("created", after, verifications, correlationId, by),
          ownership: { before: noOwners, after: after.fields.attributes.owners }
        }
      }
    })
    return { ...shown, correlationId }
  })

  const update = (method: UpdateMethod): Use[UpdateMethod] =>
    Effect.fnUntraced(function* (id, body) {
      const correlationId = yield* ids.ulid
      /** Whether the update started a verification. */
      const isStarted = ({ attributes }: Credential.CredentialView) => attributes.lastCorrelationId === correlationId
      const shown = yield* resources.update(Credential.Credential, id, method, body, {
        show: shownAt,
        settle: (before, after, { openCount, today, updated }) =>
          Result.andThen(requireOwners("update", updated), () =>
            settleUpdate(before, after, {
              method,
              today,
              correlationId: openCount < waitingMax ? correlationId : undefined
            })
          ),
        records: (before, after, by) => {
          const isNew = isStarted(after.fields)
          const verifications = isNew ? [started("update", after, correlationId, by.actor)] : []
          return {
            ...recordsOf("updated", after, verifications, isNew ? correlationId : null, by),
            reruns: before === undefined ? [] : rerunsOf(before, after)
          }
        }
      })
      return isStarted(shown.document) ? { ...shown, correlationId } : shown
    })

  /** The register is asked again, because its answer may have changed since the credential was deleted. */
  const restore: Use["restore"] = Effect.fnUntraced(function* (id) {
    const correlationId = yield* ids.ulid
    const isStarted = ({ attributes }: Credential.CredentialView) => attributes.lastCorrelationId === correlationId
    const shown = yield* resources.restore(Credential.Credential, id, {
      show: shownAt,
      settle: (before, openCount) =>
        Result.map(requireOwners("restore", before), () =>
          Credential.isVerifiable(before.fields) && openCount < waitingMax
            ? { attributes: { ...before.fields.attributes, lastCorrelationId: correlationId } }
            : before.fields
        ),
      records: (_before, after, by) => {
        const isNew = isStarted(after.fields)
        const verifications = isNew ? [started("update", after, correlationId, by.actor)] : []
        return recordsOf("updated", after, verifications, isNew ? correlationId : null, by)
      }
    })
    return isStarted(shown.document) ? { ...shown, correlationId } : shown
  })

  return {
    create,
    restore,
    replace: update("replace"),
    patch: update("patch"),
    remove: (id) =>
      resources.remove(
        Credential.Credential,
        id,
        (before, after) => ({ reruns: rerunsOf(before, after) }),
        ({ current }) => (Option.isNone(current) ? Result.void : requireOwners("delete", current.value))
      )
  }
}
