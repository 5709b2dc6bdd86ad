import { Context, Data, Layer, Schema } from "effect"
import { type IdKind, idFormat, idSchema, isId, prefixes } from "../shared/Id.ts"
import { enforcedElsewhere } from "../shared/Text.ts"

/**
 * The kinds of owner, and the slots of a credential (§2.2). Code about slots reads this list, or is a record by owner
 * type: with another type here, each place that needs it fails to compile.
 */
export const ownerTypes = ["worker", "applicant"] as const satisfies ReadonlyArray<IdKind>
export type OwnerType = (typeof ownerTypes)[number]

/** Returns a record with a value for each owner type. */
export const perOwner = <A>(make: (type: OwnerType) => A): Readonly<Record<OwnerType, A>> =>
  Object.fromEntries(ownerTypes.map((type) => [type, make(type)])) as Record<OwnerType, A>

/** Each kind of owner in a sentence. */
const words: Readonly<Record<OwnerType, string>> = { worker: "a worker", applicant: "an applicant" }

/** `a worker or an applicant`. */
export const anyOwner = ownerTypes.map((type) => words[type]).join(" or ")

/** An owner by its type and id. */
export interface Reference<Type extends string> {
  readonly type: Type
  readonly id: string
}

/** `{ type, id }` (§2.2). The id must have the prefix of the type. */
export const OwnerReference = Schema.Struct({
  type: Schema.Literals(ownerTypes).annotate({ description: "Kind of owner, and with it the slot of the credential." }),
  id: Schema.String.check(
    enforcedElsewhere({ pattern: `^(${ownerTypes.map((type) => prefixes[type]).join("|")})[0-9A-Za-z]{16}$` })
  ).annotate({
    description: `Id of the owner: ${ownerTypes.map((type) => `\`${prefixes[type]}…\` of ${words[type]}`).join(", ")}.`,
    valueFormat: `the owner's id, ${ownerTypes.map((type) => prefixes[type]).join(" or ")} and 16 letters or digits`
  })
})
  .check(
    Schema.makeFilter(
      ({ id, type }: Reference<OwnerType>) => isId(type, id) || { path: ["id"], issue: `must be ${idFormat(type)}` }
    )
  )
  .annotate({ identifier: "OwnerReference" })
export type OwnerReference = typeof OwnerReference.Type

const slotOf = (type: OwnerType) =>
  Schema.NullOr(idSchema(type)).annotate({
    description: `Id of the owning ${type}, \`${prefixes[type]}…\`. Null if the slot is empty.`
  })

/** The slots of a credential. Each has one id or is empty. */
export const Owners = Schema.Struct({
  worker: slotOf("worker"),
  applicant: slotOf("applicant")
} satisfies Record<OwnerType, unknown>)
export type Owners = typeof Owners.Type

export const noOwners: Owners = perOwner(() => null)

/** Slots of any types. The rules take the types from the slots, so another slot changes no rule. */
export type SlotsOf<Type extends string> = Readonly<Record<Type, string | null>>

/** Returns the owners, in the order of `ownerTypes`. */
export const ownersIn = (owners: Owners): ReadonlyArray<OwnerReference> =>
  ownerTypes.flatMap((type) => {
    const id = owners[type]
    return id === null ? [] : [{ type, id }]
  })

/** A change of a credential's owners (§3). */
export type Command<Type extends string = OwnerType> =
  | { readonly _tag: "Link"; readonly to: Reference<Type> }
  | { readonly _tag: "Unlink"; readonly from: Reference<Type> }
  | { readonly _tag: "Transfer"; readonly from: Reference<Type>; readonly to: Reference<Type> }

/** The slot has another owner. Use transfer (§7.1, condition 1). */
export class AlreadyLinked extends Data.TaggedError("AlreadyLinked")<{
  readonly slot: string
  readonly holder: string
  /** `transfer` if a transfer of this slot does what was asked. */
  readonly advice: "transfer" | "unlink first"
}> {}

/** The current owner differs from the one in the request (§7.1, condition 2). */
export class OwnerMismatch extends Data.TaggedError("OwnerMismatch")<{
  readonly slot: string
  readonly holder: string | null
}> {}

/** The last owner cannot be unlinked. Delete the credential instead (§3). */
export class LastOwner extends Data.TaggedError("LastOwner")<{ readonly holder: string }> {}

/** The new owner does not exist or is deleted (DECISIONS.md#ownership). */
export class OwnerNotFound extends Data.TaggedError("OwnerNotFound")<{ readonly owner: Reference<string> }> {}

/** The credential does not exist or is deleted. */
export class CredentialNotFound extends Data.TaggedError("CredentialNotFound")<{ readonly credentialId: string }> {}

/** An item of a batch is not a credential id. */
export class MalformedCredentialId extends Data.TaggedError("MalformedCredentialId")<{
  readonly credentialId: string
}> {}

export type Refusal = AlreadyLinked | OwnerMismatch | LastOwner | OwnerNotFound

/** The outcome of a command. */
export type Decision<Type extends string = OwnerType> =
  | { readonly _tag: "Changed"; readonly owners: SlotsOf<Type> }
  | { readonly _tag: "Unchanged" }
  | { readonly _tag: "Refused"; readonly reason: Refusal }

/** The stored facts about the owner that a command adds. `OwnershipStore` reads them with the credentials. */
export interface OwnerFacts {
  /** Whether the owner exists and is not deleted. False if the command adds none. */
  readonly isPresent: boolean
}

/** The facts without an owner: none is added, or it does not exist. */
export const noFacts: OwnerFacts = { isPresent: false }

/** The owner of a slot whom the caller does not reach. It equals no id, so a command can neither name nor replace it. */
export const hiddenOwner = "an owner outside your units"

/** Returns slots without the ids of owners whom the caller does not reach. */
export const veil = (owners: Owners, hidden: ReadonlyArray<OwnerType> = []): Owners =>
  hidden.length === 0
    ? owners
    : perOwner((type) => (hidden.includes(type) && owners[type] !== null ? hiddenOwner : owners[type]))

/** Returns the slots after a decision on veiled ones, with the owners that they hid. */
export const unveil = (owners: Owners, before: Owners): Owners =>
  perOwner((type) => (owners[type] === hiddenOwner ? before[type] : owners[type]))

const changed = <Type extends string>(owners: SlotsOf<Type>) => ({ _tag: "Changed", owners }) as const
const unchanged = { _tag: "Unchanged" } as const
const refused = (reason: Refusal) => ({ _tag: "Refused", reason }) as const

const withSlot = <Type extends string>(owners: SlotsOf<Type>, slot: Type, id: string | null): SlotsOf<Type> => ({
  ...owners,
  [slot]: id
})

/** Returns the owner that the command adds, if any. */
export const enteringOwner = <Type extends string>(command: Command<Type>): Reference<Type> | undefined =>
  command._tag === "Unlink" ? undefined : command.to

const putIn = <Type extends string>(
  owners: SlotsOf<Type>,
  owner: Reference<Type>,
  { isPresent }: OwnerFacts
): Decision<Type> =>
  isPresent ? changed(withSlot(owners, owner.type, owner.id)) : refused(new OwnerNotFound({ owner }))

/**
 * Links an owner to an empty slot. The same owner again changes nothing; another owner is refused (§3, rows 1 to 3).
 */
const link = <Type extends string>(
  owners: SlotsOf<Type>,
  to: Reference<Type>,
  entering: OwnerFacts
): Decision<Type> => {
  const holder = owners[to.type]
  if (holder === to.id) return unchanged
  if (holder !== null) return refused(new AlreadyLinked({ slot: to.type, holder, advice: "transfer" }))
  return putIn(owners, to, entering)
}

/** Unlinks an owner if another remains. An empty slot changes nothing (§3, rows 6 to 8). */
const unlink = <Type extends string>(owners: SlotsOf<Type>, from: Reference<Type>): Decision<Type> => {
  const holder = owners[from.type]
  if (holder === null) return unchanged
  if (holder !== from.id) return refused(new OwnerMismatch({ slot: from.type, holder }))
  const left = withSlot(owners, from.type, null)
  return Object.values(left).every((id) => id === null) ? refused(new LastOwner({ holder })) : changed(left)
}

/**
 * Transfers a slot from its owner to another (§3, rows 4, 5 and 9). If `to` is already an owner, nothing changes for
 * any `from`, so that a transfer can be retried after a lost response. Across types, the `from` slot is emptied and the
 * `to` slot filled, unless a third owner has the `to` slot.
 */
const transfer = <Type extends string>(
  owners: SlotsOf<Type>,
  from: Reference<Type>,
  to: Reference<Type>,
  entering: OwnerFacts
): Decision<Type> => {
  if (owners[to.type] === to.id) return unchanged
  const holder = owners[from.type]
  if (holder !== from.id) return refused(new OwnerMismatch({ slot: from.type, holder }))
  const third = from.type === to.type ? null : owners[to.type]
  if (third !== null) return refused(new AlreadyLinked({ slot: to.type, holder: third, advice: "unlink first" }))
  return putIn(withSlot(owners, from.type, null), to, entering)
}

/** Applies the transition table of §3 to a command. */
export const decide = <Type extends string = OwnerType>(
  owners: SlotsOf<Type>,
  command: Command<Type>,
  entering: OwnerFacts
): Decision<Type> => {
  switch (command._tag) {
    case "Link":
      return link(owners, command.to, entering)
    case "Unlink":
      return unlink(owners, command.from)
    case "Transfer":
      return transfer(owners, command.from, command.to, entering)
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
  entering: OwnerFacts,
  decideOne: Decide = decide
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
    const decision = decideOne(owners, command, entering)
    if (decision._tag === "Changed") changes.set(credentialId, decision.owners)
    return itemOf(credentialId, command, decision)
  })
  return { items, changes }
}

/** Credentials per batch (§8). */
export const batchLimit = 500

/** `decide` for the slots of a credential. */
export type Decide = (owners: Owners, command: Command, entering: OwnerFacts) => Decision

/** The rules of this module as a service, so that tests and deployments can replace one rule. */
export class Ownership extends Context.Service<
  Ownership,
  { readonly decide: Decide; readonly decideBatch: typeof decideBatch }
>()("@wcs/domain/Ownership") {}

export const layer = Layer.succeed(Ownership, Ownership.of({ decide, decideBatch }))
