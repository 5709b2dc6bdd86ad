import fc from "fast-check"
import { type Operation, type Party, type SlotName, type SlotState, slotNames } from "./Transitions.ts"

/**
 * An owner by position, so that a step does not depend on ids. `who` is the index among the owners of the type, or
 * `holder` for the current owner in the slot.
 */
interface OwnerPosition {
  readonly type: SlotName
  readonly who: number | "holder"
}

/** An operation on the owners at these positions. */
type Planned =
  | { readonly verb: "link"; readonly to: OwnerPosition }
  | { readonly verb: "unlink"; readonly from: OwnerPosition }
  | { readonly verb: "transfer"; readonly from: OwnerPosition; readonly to: OwnerPosition }

/** One call of a sequence. Credentials are also given by position. */
export type Step =
  | { readonly as: "single"; readonly credential: number; readonly planned: Planned }
  /** All credentials, by id. */
  | { readonly as: "batch"; readonly planned: Planned }
  /** A bulk transfer without credential ids. */
  | { readonly as: "all of from"; readonly planned: Planned }
  | { readonly as: "delete"; readonly credential: number }
  /** Repeats the previous call. */
  | { readonly as: "again" }

/** Existing owners of each type. The next position is an owner that does not exist. */
export const ownersOfAType = 3

/** Credentials in a sequence. */
export const credentialsInASequence = 2

/** The optional features of a deployment. */
export interface Offered {
  /** The suite knows an id that no owner has. */
  readonly nobody: boolean
  readonly bulkLink: boolean
  readonly deleting: boolean
  /** Owner types whose owners may have credentials of others. Such owners are never moved without credential ids. */
  readonly shared: ReadonlyArray<SlotName>
}

/** The maximum number of calls in a sequence. */
const longest = 40

const one = (planned: Planned, credential = 0): Step => ({ as: "single", credential, planned })
const ownerAt = (type: SlotName, who: number): OwnerPosition => ({ type, who })
const linking = (type: SlotName, who: number) => one({ verb: "link", to: ownerAt(type, who) })
const unlinking = (type: SlotName, who: number) => one({ verb: "unlink", from: ownerAt(type, who) })
const moving = (from: number, to: number, credential = 0) =>
  one({ verb: "transfer", from: ownerAt("worker", from), to: ownerAt("worker", to) }, credential)

/**
 * Each operation, carried out and refused, after each operation that was carried out. The credential begins with the
 * first worker.
 */
export const everyPair: ReadonlyArray<Step> = [
  // another credential of the first worker
  moving(0, 1, 1),
  ...[linking("applicant", 0), linking("worker", 1), moving(1, 2)],
  ...[moving(0, 1), linking("worker", 2), moving(0, 2)],
  ...[unlinking("applicant", 0), unlinking("worker", 1), linking("worker", 0), moving(0, 2)],
  ...[moving(1, 0), unlinking("worker", 0), linking("applicant", 0)],
  ...[unlinking("worker", 0), linking("worker", 1)]
]

/** Generates sequences of calls. */
export const sequences = ({ bulkLink, deleting, nobody, shared }: Offered): fc.Arbitrary<ReadonlyArray<Step>> => {
  const type = fc.constantFrom<SlotName>("worker", "applicant")
  // few owners collide more often
  const who = fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(ownersOfAType - 1) })
  const somebody = fc.record({ type, who })
  const stranger = fc.record({ type, who: fc.constant(ownersOfAType) })
  const to = nobody ? fc.oneof({ weight: 12, arbitrary: somebody }, { weight: 1, arbitrary: stranger }) : somebody
  const link = to.map((one) => ({ verb: "link" as const, to: one }))
  const leaver = fc.oneof(fc.record({ type, who: fc.constant("holder" as const) }), somebody)
  const unlink = leaver.map((one) => ({ verb: "unlink" as const, from: one }))
  const within = fc.record({ type, from: fc.nat(ownersOfAType - 1), to: fc.nat(ownersOfAType - 1) }).map((one) => ({
    verb: "transfer" as const,
    from: { type: one.type, who: one.from },
    to: { type: one.type, who: one.to }
  }))
  const anyhow = fc.record({ verb: fc.constant("transfer" as const), from: leaver, to })
  const transfer = fc.oneof({ weight: 3, arbitrary: within }, { weight: 1, arbitrary: anyhow })
  const credential = fc.nat(credentialsInASequence - 1)
  const single = fc
    .record({ credential, planned: fc.oneof(link, unlink, transfer) })
    .map((one): Step => ({ as: "single", ...one }))
  const batch = (bulkLink ? fc.oneof(link, transfer) : transfer).map((planned): Step => ({ as: "batch", planned }))
  const all = transfer
    .filter(({ from }) => !shared.includes(from.type))
    .map((planned): Step => ({ as: "all of from", planned }))
  const remove = credential.map((one): Step => ({ as: "delete", credential: one }))
  return fc.array(
    fc.oneof(
      { weight: 20, arbitrary: single },
      { weight: 4, arbitrary: batch },
      ...(slotNames.every((one) => shared.includes(one)) ? [] : [{ weight: 2, arbitrary: all }]),
      { weight: 3, arbitrary: fc.constant<Step>({ as: "again" }) },
      ...(deleting ? [{ weight: 1, arbitrary: remove }] : [])
    ),
    { minLength: 1, maxLength: longest, size: "max" }
  )
}

/** The owners at the positions. */
export type People = Readonly<Record<SlotName, ReadonlyArray<Party>>>

const partyAt = (people: People, state: SlotState, { type, who }: OwnerPosition): Party => {
  if (who !== "holder") return people[type][who] ?? { type, id: "" }
  return people[type].find(({ id }) => id === state[type]) ?? people[type][0] ?? { type, id: "" }
}

/** The operation on the actual owners. `state` is the content of the credential's slots. */
export const operationOf = (people: People, state: SlotState, planned: Planned): Operation => {
  switch (planned.verb) {
    case "link":
      return { verb: "link", to: partyAt(people, state, planned.to) }
    case "unlink":
      return { verb: "unlink", from: partyAt(people, state, planned.from) }
    case "transfer":
      return {
        verb: "transfer",
        from: partyAt(people, state, planned.from),
        to: partyAt(people, state, planned.to)
      }
  }
}
