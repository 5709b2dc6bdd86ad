import { Clock, Data, Effect, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Actor, actorOf, entryOf } from "../audit/AuditEntry.ts"
import { type ChangeRecords, noRecords } from "../crud/ChangeRecords.ts"
import * as Credential from "../holding/Credential.ts"
import {
  type BatchCommand,
  type BatchItem,
  batchLimit,
  type Command,
  CredentialNotFound,
  enteringOwner,
  type OwnerReference,
  type Owners,
  Ownership,
  type Refusal,
  unveil,
  veil
} from "../ownership/Ownership.ts"
import type { Shown } from "../resource/Collection.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import { requireId } from "../resource/Resource.ts"
import { progressionOf } from "../screening/Progressions.ts"
import { type Moment, momentAt } from "../shared/CalendarDay.ts"
import { Ids, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { deliveryDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { shownAt } from "./CredentialWrites.ts"
import { type Chosen, OwnershipStore, type Transition } from "./OwnershipStore.ts"

/** A batch without ids selects more credentials than a batch may have (DECISIONS.md#ownership). */
export class TooManySelected extends Data.TaggedError("TooManySelected")<{ readonly limit: number }> {}

/** The credentials of a batch: given ids, or all of one owner. */
export type BatchSelection =
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "HeldBy"; readonly owner: OwnerReference }

/** A batch request names its credentials by ids or by their owner. */
interface Naming {
  readonly credentialIds?: ReadonlyArray<string>
  readonly from?: OwnerReference
}

/**
 * Selects the credentials of a bulk transfer: the given ids, or all credentials of `from` if no list is given (§4.2).
 */
export const chooseForTransfer = ({
  credentialIds,
  from
}: Naming & { readonly from: OwnerReference }): BatchSelection =>
  credentialIds === undefined ? { _tag: "HeldBy", owner: from } : { _tag: "Ids", ids: credentialIds }

/**
 * Selects the credentials of a bulk link like `chooseForTransfer`. With ids, `from` is ignored with a warning
 * (DECISIONS.md#ownership).
 */
export const chooseForLink = ({
  credentialIds,
  from
}: Naming): Result.Result<
  { readonly selection: BatchSelection; readonly warnings: ReadonlyArray<string> },
  InvalidArgument
> => {
  if (from === undefined && credentialIds === undefined) {
    const reason = "is required when from is omitted"
    return Result.fail(new InvalidArgument({ field: "credentialIds", reason }))
  }
  const warnings =
    from !== undefined && credentialIds !== undefined ? ["from is ignored because credentialIds is given"] : []
  const selection: BatchSelection =
    credentialIds === undefined && from !== undefined
      ? { _tag: "HeldBy", owner: from }
      : { _tag: "Ids", ids: credentialIds ?? [] }
  return Result.succeed({ selection, warnings })
}

/** The use cases that change owners. */
export interface OwnerChanges {
  /** Links, unlinks or transfers one credential. */
  readonly changeOwner: (
    id: string,
    command: Command
  ) => Effect.Effect<
    Shown<Credential.CredentialView>,
    InvalidArgument | CredentialNotFound | PreconditionFailed | Refusal,
    Caller | RequestId
  >
  /** Links or transfers several credentials. Returns an item for each. */
  readonly changeOwners: (
    selection: BatchSelection,
    command: BatchCommand
  ) => Effect.Effect<ReadonlyArray<BatchItem>, InvalidArgument | TooManySelected, Caller | RequestId>
}

/** Returns the records of changes of owners. `entering` is the new owner. */
const recordsOf = (
  ids: Ids["Service"],
  changes: ReadonlyMap<string, Owners>,
  found: ReadonlyMap<string, Credential.Slots>,
  entering: OwnerReference | undefined,
  action: string,
  actor: Actor,
  moment: Moment
): ChangeRecords => {
  if (changes.size === 0) return noRecords
  const at = moment.now
  const auditId = ids.source("audit")
  const eventId = ids.source("event")
  let events: ChangeRecords["events"] | undefined
  return {
    audit: [...changes].map(([entityId, after]) => {
      const entry = entryOf(auditId(), actor, { operation: "UPDATE", action, entityType: "credential", entityId }, at)
      const before = found.get(entityId)?.owners
      return before === undefined ? entry : { ...entry, ownership: { before, after } }
    }),
    /** Built when it is read: for a tenant without a subscriber, the store does not read it. */
    get events() {
      events ??= [...changes].flatMap(([id, owners]) => {
        const slots = found.get(id)
        return slots === undefined
          ? []
          : [Credential.eventOf("credential.updated", eventId(), { ...slots, owners }, null, at)]
      })
      return events
    },
    progressions: entering === undefined ? [] : [progressionOf(entering, { ...moment, actor, auditId, eventId })]
  }
}

export const makeOwnerChanges = Effect.gen(function* () {
  const store = yield* OwnershipStore
  const ownership = yield* Ownership
  const ids = yield* Ids
  const notifications = yield* Notifications

  const changes: OwnerChanges = {
    changeOwner: Effect.fnUntraced(function* (id, command) {
      const caller = yield* Caller
      const actor = actorOf(caller, yield* RequestId)
      const moment = momentAt(yield* Clock.currentTimeMillis, caller.timeZone)
      const condition = yield* Precondition
      yield* Effect.fromResult(requireId(Credential.Credential, id))
      const chosen: Chosen = { _tag: "Ids", ids: [id] }
      const entering = enteringOwner(command)
      const done = yield* store.transition(
        caller.tenantId,
        chosen,
        entering,
        (
          [slots],
          facts
        ): Result.Result<
          Transition<{ readonly isChange: boolean }>,
          CredentialNotFound | PreconditionFailed | Refusal
        > => {
          if (slots === undefined) return Result.fail(new CredentialNotFound({ credentialId: id }))
          const holds = checkPrecondition(condition, () => tagAt(Credential.Credential, slots.stored(), moment).text)
          if (Result.isFailure(holds)) return Result.fail(holds.failure)
          const decision = ownership.decide(veil(slots.owners, slots.hidden), command, facts)
          if (decision._tag === "Refused") return Result.fail(decision.reason)
          const changes = new Map(decision._tag === "Changed" ? [[id, unveil(decision.owners, slots.owners)]] : [])
          const action = command._tag.toLowerCase()
          const records = recordsOf(ids, changes, new Map([[id, slots]]), entering, action, actor, moment)
          return Result.succeed({ answer: { isChange: changes.size > 0 }, changes, records, at: moment.now })
        }
      )
      if (done.answer.isChange) yield* notifications.notify(deliveryDue)
      const stored = done.credential(id)
      if (stored === undefined) return yield* Effect.die(new Error("the store returned no credential"))
      return { document: shownAt(stored, moment), warnings: [], tag: tagAt(Credential.Credential, stored, moment) }
    }),
    changeOwners: Effect.fnUntraced(function* (selection, command) {
      const caller = yield* Caller
      const actor = actorOf(caller, yield* RequestId)
      const moment = momentAt(yield* Clock.currentTimeMillis, caller.timeZone)
      if (selection._tag === "Ids" && selection.ids.length > batchLimit) {
        return yield* new InvalidArgument({ field: "credentialIds", reason: `must have at most ${batchLimit} ids` })
      }
      const chosen: Chosen =
        selection._tag === "Ids"
          ? { _tag: "Ids", ids: selection.ids.filter((id) => isId("credential", id)) }
          : { ...selection, limit: batchLimit + 1 }
      const action = `bulk ${command._tag.toLowerCase()}`
      const done = yield* store.transition(caller.tenantId, chosen, command.to, (found, facts) => {
        if (selection._tag === "HeldBy" && found.length > batchLimit) {
          return Result.fail(new TooManySelected({ limit: batchLimit }))
        }
        const credentialIds = selection._tag === "Ids" ? selection.ids : found.map(({ id }) => id)
        const byId = new Map(found.map((slots) => [slots.id, slots]))
        const owners = new Map(found.map((slots) => [slots.id, veil(slots.owners, slots.hidden)]))
        const { changes: veiled, items } = ownership.decideBatch(credentialIds, owners, command, facts)
        const changes = new Map(
          Array.from(veiled, ([id, after]) => [id, unveil(after, byId.get(id)?.owners ?? after)] as const)
        )
        const answer = { items, isChange: changes.size > 0 }
        return Result.succeed({
          answer,
          changes,
          records: recordsOf(ids, changes, byId, command.to, action, actor, moment),
          at: moment.now
        })
      })
      if (done.answer.isChange) yield* notifications.notify(deliveryDue)
      return done.answer.items
    })
  }
  return changes
})
