import { Clock, Context, Data, Effect, Layer, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { type Actor, actorOf, entryOf } from "../audit/AuditEntry.ts"
import { type IncludedOwners, makeWithOwners } from "../ownership/IncludedOwners.ts"
import {
  type BatchCommand,
  type BatchItem,
  batchLimit,
  type Command,
  CredentialNotFound,
  enteringOwner,
  noOwners,
  OwnerNotFound,
  type OwnerReference,
  type Owners,
  Ownership,
  type Refusal
} from "../ownership/Ownership.ts"
import { type Chosen, OwnershipStore, type Transition } from "../ownership/OwnershipStore.ts"
import { Applicant } from "../people/Applicant.ts"
import { Worker } from "../people/Worker.ts"
import { type ChangeRecords, noRecords } from "../resource/ChangeRecords.ts"
import type { Reading, Shown, Writing } from "../resource/Collection.ts"
import { makeIncluding } from "../resource/Include.ts"
import { isThere } from "../resource/Links.ts"
import { type Resource, requireId } from "../resource/Resource.ts"
import { ResourceStore } from "../resource/ResourceStore.ts"
import { type Peculiarity, plain, Resources } from "../resource/Resources.ts"
import { progressionOf, progressionsOfCredential } from "../screening/Progressions.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { Ids, isId } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { deliveryDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { isAskedAnew, waitingMax } from "../verification/VerificationRun.ts"
import { draftOf } from "../verification/Verifications.ts"
import * as Credential from "./Credential.ts"

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

/** Selects the credentials of a bulk transfer: the given ids, even none, else all that `from` owns (§4.2). */
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

const ownerResources: Readonly<Record<OwnerReference["type"], Resource>> = { worker: Worker, applicant: Applicant }

/** A credential as GET returns it, with its owners if requested. */
export type ReadCredential = Credential.CredentialView & { readonly owners?: IncludedOwners }

/** The standard use cases for credentials, plus changes of owners. `include=owners` also needs READ of the owners. */
export class Credentials extends Context.Service<
  Credentials,
  Reading<ReadCredential, Forbidden, Forbidden> &
    Writing<Credential.CredentialView, OwnerNotFound> & {
      /** Links, unlinks or transfers one credential. */
      readonly own: (
        id: string,
        command: Command
      ) => Effect.Effect<
        Shown<Credential.CredentialView>,
        InvalidArgument | CredentialNotFound | Refusal,
        Caller | RequestId
      >
      /** Links or transfers several credentials. Returns an item for each. */
      readonly ownBatch: (
        selection: BatchSelection,
        command: BatchCommand
      ) => Effect.Effect<ReadonlyArray<BatchItem>, InvalidArgument | TooManySelected, Caller | RequestId>
    }
>()("@wcs/domain/Credentials") {}

/** The rules of credentials: owners, type catalogue, verifications, expiry. */
const peculiarity: Peculiarity<Credential.CredentialFields, OwnerNotFound, never, Credential.CredentialView> = {
  ...plain(Credential.Credential),
  show: (stored, now) => Credential.documentOn(stored, dayAt(now)),
  settleCreated: (fields, _now, correlationId) =>
    Credential.requireOwner(fields).pipe(
      Result.flatMap(Credential.classify),
      Result.map(({ fields, warnings }) => ({ fields: Credential.unverified(fields, correlationId), warnings }))
    ),
  settleUpdated: Credential.settleUpdate,
  references: (fields) => Credential.ownersOf(fields).map(({ id, type }) => ({ resource: ownerResources[type], id })),
  settleReferences: (fields, found) => {
    const missing = Credential.ownersOf(fields).find((_, index) => !isThere(found[index]))
    return missing === undefined ? Result.succeed(fields) : Result.fail(new OwnerNotFound({ owner: missing }))
  },
  ownership: ({ attributes }) => ({ before: noOwners, after: attributes.owners }),
  correlates: (openCount) => openCount < waitingMax,
  verifications: (before, after, verificationId, correlationId, actor) =>
    correlationId !== undefined &&
    Credential.isVerifiable(after.fields) &&
    (before === undefined || Credential.isAnotherCard(before.fields, after.fields))
      ? [
          draftOf(
            after.id,
            {
              verificationId: verificationId(),
              correlationId,
              actor,
              trigger: before === undefined ? "create" : "update",
              now: after.updatedAt
            },
            null
          )
        ]
      : [],
  progressions: progressionsOfCredential,
  // A caller waits for a verdict on the current card. So the register is asked again, and the caller also hears if
  // there will be no verdict.
  reruns: (before, after) => (isAskedAnew(before, after) ? [{ credentialId: after.id, dueAt: after.updatedAt }] : []),
  event: (change, eventId, stored, correlationId) => [
    Credential.eventOf(
      `credential.${change}`,
      eventId,
      Credential.slotsOf(stored),
      correlationId ?? null,
      stored.updatedAt
    )
  ]
}

export const make = Effect.gen(function* () {
  const { act: _, list, read, ...writing } = (yield* Resources).collection(Credential.Credential, peculiarity)
  const including = makeIncluding(yield* PrivilegeRules, "owners", "credentialWithOwners")
  const withOwners = makeWithOwners(yield* ResourceStore)
  const store = yield* OwnershipStore
  const ownership = yield* Ownership
  const ids = yield* Ids
  const notifications = yield* Notifications

  const recordsOf = (
    changes: ReadonlyMap<string, Owners>,
    found: ReadonlyMap<string, Credential.Slots>,
    entering: OwnerReference | undefined,
    action: string,
    actor: Actor,
    at: Instant
  ): ChangeRecords => {
    if (changes.size === 0) return noRecords
    const auditId = ids.source("audit")
    const eventId = ids.source("event")
    return {
      audit: [...changes].map(([entityId, after]) => {
        const entry = entryOf(auditId(), actor, { operation: "UPDATE", action, entityType: "credential", entityId }, at)
        const before = found.get(entityId)?.owners
        return before === undefined ? entry : { ...entry, ownership: { before, after } }
      }),
      events: [...changes].flatMap(([id, owners]) => {
        const slots = found.get(id)
        return slots === undefined
          ? []
          : [Credential.eventOf("credential.updated", eventId(), { ...slots, owners }, null, at)]
      }),
      progressions: entering === undefined ? [] : [progressionOf(entering, { actor, auditId, eventId, now: at })]
    }
  }

  const own: Credentials["Service"]["own"] = Effect.fnUntraced(function* (id, command) {
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const at = yield* Clock.currentTimeMillis
    yield* Effect.fromResult(requireId(Credential.Credential, id))
    const chosen: Chosen = { _tag: "Ids", ids: [id] }
    const entering = enteringOwner(command)
    const done = yield* store.transition(
      caller.tenantId,
      chosen,
      entering,
      ([slots], isPresent): Result.Result<Transition<{ readonly isChange: boolean }>, CredentialNotFound | Refusal> => {
        if (slots === undefined) return Result.fail(new CredentialNotFound({ credentialId: id }))
        const decision = ownership.decide(slots.owners, command, () => isPresent)
        if (decision._tag === "Refused") return Result.fail(decision.reason)
        const changes = new Map(decision._tag === "Changed" ? [[id, decision.owners]] : [])
        const records = recordsOf(changes, new Map([[id, slots]]), entering, command._tag.toLowerCase(), actor, at)
        return Result.succeed({ answer: { isChange: changes.size > 0 }, changes, records, at })
      }
    )
    if (done.answer.isChange) yield* notifications.notify(deliveryDue)
    const stored = done.credential(id)
    if (stored === undefined) return yield* Effect.die(new Error("the store returned no credential"))
    return { document: Credential.documentOn(stored, dayAt(at)), warnings: [] }
  })

  const ownBatch: Credentials["Service"]["ownBatch"] = Effect.fnUntraced(function* (selection, command) {
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const at = yield* Clock.currentTimeMillis
    if (selection._tag === "Ids" && selection.ids.length > batchLimit) {
      return yield* new InvalidArgument({ field: "credentialIds", reason: `must have at most ${batchLimit} ids` })
    }
    const chosen: Chosen =
      selection._tag === "Ids"
        ? { _tag: "Ids", ids: selection.ids.filter((id) => isId("credential", id)) }
        : { ...selection, limit: batchLimit + 1 }
    const action = `bulk ${command._tag.toLowerCase()}`
    const done = yield* store.transition(caller.tenantId, chosen, command.to, (found, isPresent) => {
      if (selection._tag === "HeldBy" && found.length > batchLimit) {
        return Result.fail(new TooManySelected({ limit: batchLimit }))
      }
      const credentialIds = selection._tag === "Ids" ? selection.ids : found.map(({ id }) => id)
      const byId = new Map(found.map((slots) => [slots.id, slots]))
      const owners = new Map(found.map((slots) => [slots.id, slots.owners]))
      const { changes, items } = ownership.decideBatch(credentialIds, owners, command, () => isPresent)
      const answer = { items, isChange: changes.size > 0 }
      return Result.succeed({ answer, changes, records: recordsOf(changes, byId, command.to, action, actor, at), at })
    })
    if (done.answer.isChange) yield* notifications.notify(deliveryDue)
    return done.answer.items
  })

  return Credentials.of({
    ...writing,
    own,
    ownBatch,
    read: Effect.fnUntraced(function* (id, asked) {
      const { isIncluding, query } = yield* including(asked)
      const shown = yield* read(id, query)
      if (!isIncluding) return shown
      const [document = shown.document] = yield* withOwners([shown.document])
      return { ...shown, document }
    }),
    list: Effect.fnUntraced(function* (asked) {
      const { isIncluding, query } = yield* including(asked)
      const page = yield* list(query)
      return isIncluding ? { ...page, documents: yield* withOwners(page.documents) } : page
    })
  })
})

export const layer: Layer.Layer<
  Credentials,
  never,
  Resources | ResourceStore | PrivilegeRules | OwnershipStore | Ownership | Notifications | Ids
> = Layer.effect(Credentials, make)
