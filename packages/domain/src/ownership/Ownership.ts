import { Context, Data, Layer, Schema } from "effect"
import { ApplicantId, formOfId, isId, WorkerId } from "../shared/Id.ts"
import { enforcedElsewhere } from "../shared/Text.ts"

/** The two slots of a credential (§2.2). */
export const ownerTypes = ["worker", "applicant"] as const
export type OwnerType = (typeof ownerTypes)[number]

/** `{ type, id }` (§2.2). The id must have the prefix of the type. */
export const OwnerReference = Schema.Struct({
  type: Schema.Literals(ownerTypes).annotate({ description: "Kind of owner, and with it the slot of the credential." }),
  id: Schema.String.check(enforcedElsewhere({ pattern: "^(wkr|app)_[0-9A-Za-z]{16}$" })).annotate({
    description: "Id of the owner. A worker's id starts with `wkr_`, an applicant's with `app_`.",
    form: "the owner's id, wkr_ or app_ and 16 letters or digits"
  })
})
  .check(
    Schema.makeFilter(
      ({ id, type }: { readonly type: OwnerType; readonly id: string }) =>
        isId(type, id) || { path: ["id"], issue: `must be ${formOfId(type)}` }
    )
  )
  .annotate({ identifier: "OwnerReference" })
export type OwnerReference = typeof OwnerReference.Type

/** The slots of a credential. Each has one id or is empty. */
export const Owners = Schema.Struct({
  worker: Schema.NullOr(WorkerId).annotate({
    description: "Id of the owning worker, `wkr_…`. Null if the slot is empty."
  }),
  applicant: Schema.NullOr(ApplicantId).annotate({
    description: "Id of the owning applicant, `app_…`. Null if the slot is empty."
  })
})
export type Owners = typeof Owners.Type

export const noOwners: Owners = { worker: null, applicant: null }

/** A change of a credential's owners (§3). */
export type Command =
  | { readonly _tag: "Link"; readonly to: OwnerReference }
  | { readonly _tag: "Unlink"; readonly from: OwnerReference }
  | { readonly _tag: "Transfer"; readonly from: OwnerReference; readonly to: OwnerReference }

/** The slot has another owner. Use transfer (§7.1, condition 1). */
export class AlreadyLinked extends Data.TaggedError("AlreadyLinked")<{
  readonly slot: OwnerType
  readonly holder: string
  /** `transfer` if a transfer of this slot does what was asked. */
  readonly advice: "transfer" | "unlink first"
}> {}

/** The current owner differs from the one in the request (§7.1, condition 2). */
export class OwnerMismatch extends Data.TaggedError("OwnerMismatch")<{
  readonly slot: OwnerType
  readonly holder: string | null
}> {}

/** The last owner cannot be unlinked. Delete the credential instead (§3). */
export class LastOwner extends Data.TaggedError("LastOwner")<{ readonly holder: string }> {}

/** The new owner does not exist or is deleted (DECISIONS.md#ownership). */
export class OwnerNotFound extends Data.TaggedError("OwnerNotFound")<{ readonly owner: OwnerReference }> {}

/** The credential does not exist or is deleted. */
export class CredentialNotFound extends Data.TaggedError("CredentialNotFound")<{ readonly credentialId: string }> {}

/** An item of a batch is not a credential id. */
export class MalformedCredentialId extends Data.TaggedError("MalformedCredentialId")<{
  readonly credentialId: string
}> {}

export type Refusal = AlreadyLinked | OwnerMismatch | LastOwner | OwnerNotFound

/** The outcome of a command. */
export type Decision =
  | { readonly _tag: "Changed"; readonly owners: Owners }
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Refused"; readonly reason: Refusal }

/** Returns whether a new owner exists and is not deleted. */
export type IsPresent = (owner: OwnerReference) => boolean

const changed = (owners: Owners): Decision => ({ _tag: "Changed", owners })
const unchanged: Decision = { _tag: "Unchanged" }
const refused = (reason: Refusal): Decision => ({ _tag: "Refused", reason })

const withSlot = (owners: Owners, slot: OwnerType, id: string | null): Owners => ({ ...owners, [slot]: id })
const other = (slot: OwnerType): OwnerType => (slot === "worker" ? "applicant" : "worker")

/** Returns the owner that the command adds, if any. */
export const enteringOwner = (command: Command): OwnerReference | undefined =>
  command._tag === "Unlink" ? undefined : command.to

const putIn = (owners: Owners, owner: OwnerReference, isPresent: IsPresent): Decision =>
  isPresent(owner) ? changed(withSlot(owners, owner.type, owner.id)) : refused(new OwnerNotFound({ owner }))

/**
 * Links an owner to an empty slot. The same owner again changes nothing; another owner is refused (§3, rows 1 to 3).
 */
export const link = (owners: Owners, to: OwnerReference, isPresent: IsPresent): Decision => {
  const holder = owners[to.type]
  if (holder === to.id) return unchanged
  if (holder !== null) return refused(new AlreadyLinked({ slot: to.type, holder, advice: "transfer" }))
  return putIn(owners, to, isPresent)
}

/** Unlinks an owner if another remains. An empty slot changes nothing (§3, rows 6 to 8). */
export const unlink = (owners: Owners, from: OwnerReference): Decision => {
  const holder = owners[from.type]
  if (holder === null) return unchanged
  if (holder !== from.id) return refused(new OwnerMismatch({ slot: from.type, holder }))
  if (owners[other(from.type)] === null) return refused(new LastOwner({ holder }))
  return changed(withSlot(owners, from.type, null))
}

/**
 * Transfers a slot from its owner to another (§3, rows 4, 5 and 9). If `to` is already an owner, nothing changes for
 * any `from`, so that a transfer can be retried after a lost response. Across types, the `from` slot is emptied and the
 * `to` slot filled, unless a third owner has the `to` slot.
 */
export const transfer = (owners: Owners, from: OwnerReference, to: OwnerReference, isPresent: IsPresent): Decision => {
  if (owners[to.type] === to.id) return unchanged
  const holder = owners[from.type]
  if (holder !== from.id) return refused(new OwnerMismatch({ slot: from.type, holder }))
  const third = from.type === to.type ? null : owners[to.type]
  if (third !== null) return refused(new AlreadyLinked({ slot: to.type, holder: third, advice: "unlink first" }))
  return putIn(withSlot(owners, from.type, null), to, isPresent)
}

/** Applies the transition table of §3 to a command. */
export const decide = (owners: Owners, command: Command, isPresent: IsPresent): Decision => {
  switch (command._tag) {
    case "Link":
      return link(owners, command.to, isPresent)
    case "Unlink":
      return unlink(owners, command.from)
    case "Transfer":
      return transfer(owners, command.from, command.to, isPresent)
  }
}

/** The outcome of one item of a batch (§2.2). */
export interface BatchItem {
  readonly credentialId: string
  readonly status: "linked" | "transferred" | "noop" | "skipped"
  /** Present on skipped items only. */
  readonly reason?: Refusal | CredentialNotFound | MalformedCredentialId
}

const doneStatus = { Link: "linked", Transfer: "transferred" } as const

const itemOf = (credentialId: string, command: BatchCommand, decision: Decision): BatchItem => {
  switch (decision._tag) {
    case "Changed":
      return { credentialId, status: doneStatus[command._tag] }
    case "Unchanged":
      return { credentialId, status: "noop" }
    case "Refused":
      return { credentialId, status: "skipped", reason: decision.reason }
  }
}

/** There is no bulk unlink. */
export type BatchCommand = Exclude<Command, { readonly _tag: "Unlink" }>

/** The outcome of a batch: one item per given id, and the new slots of the credentials that change. */
export interface BatchDecision {
  readonly items: ReadonlyArray<BatchItem>
  readonly changes: ReadonlyMap<string, Owners>
}

/**
 * Applies the command to each id in turn. Later items see the changes of earlier ones, so a repeated id is a `noop`. A
 * refused item does not stop the others.
 */
export const decideBatch = (
  credentialIds: ReadonlyArray<string>,
  slots: ReadonlyMap<string, Owners>,
  command: BatchCommand,
  isPresent: IsPresent,
  decideOne: typeof decide = decide
): BatchDecision => {
  const changes = new Map<string, Owners>()
  const items = credentialIds.map((credentialId): BatchItem => {
    const owners = changes.get(credentialId) ?? slots.get(credentialId)
    if (owners === undefined) {
      const reason = isId("credential", credentialId)
        ? new CredentialNotFound({ credentialId })
        : new MalformedCredentialId({ credentialId })
      return { credentialId, status: "skipped", reason }
    }
    const decision = decideOne(owners, command, isPresent)
    if (decision._tag === "Changed") changes.set(credentialId, decision.owners)
    return itemOf(credentialId, command, decision)
  })
  return { items, changes }
}

/** Credentials per batch (§8). */
export const batchLimit = 500

/** The rules of this module as a service, so that tests and deployments can replace one rule. */
export class Ownership extends Context.Service<
  Ownership,
  { readonly decide: typeof decide; readonly decideBatch: typeof decideBatch }
>()("@wcs/domain/Ownership") {}

export const layer: Layer.Layer<Ownership> = Layer.succeed(Ownership, Ownership.of({ decide, decideBatch }))
