import { type Slots, slotsOf } from "../../calls/Reading.ts"
import type { Owners } from "../../calls/Resources.ts"
import type { Difference, DifferenceKind } from "../../judgement/Difference.ts"
import * as Expect from "../../judgement/Expect.ts"
import { inShort } from "../../judgement/Judge.ts"
import { isObject, type Json } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"

/** The place of the slots in an answer with a credential. */
const ownersAt = "data.attributes.owners"

const kinds = ["worker", "applicant"] as const

/**
 * The slots that a read of a credential shows. An omitted key counts as an empty slot, because only CRD-04 judges that
 * both keys are present.
 */
export const slotsIn = (read: Exchange): Slots => {
  const owners = Expect.valueAt(read, ownersAt)
  const shown = slotsOf(Expect.valueAt(read, "data"))
  const slot = (kind: keyof Slots) => (isObject(owners) && !Object.hasOwn(owners, kind) ? null : shown[kind])
  return { worker: slot("worker"), applicant: slot("applicant") }
}

const compared = (read: Exchange, owners: Owners, kind: DifferenceKind): ReadonlyArray<Difference> => {
  const status = Expect.status(read, 200)
  if (status.length > 0) return status
  const slots = slotsIn(read)
  return kinds.flatMap((slot) => {
    const expected = owners[slot] ?? null
    const where = `${ownersAt}.${slot}`
    return slots[slot] === expected
      ? []
      : Expect.difference(read, kind, `body.${where}`, expected, Expect.valueAt(read, where))
  })
}

/** The slots hold these owners after a call; a slot that is not named is empty. */
export const holds = (read: Exchange, owners: Owners): ReadonlyArray<Difference> =>
  compared(read, owners, "wrong-value")

/** The slots still hold these owners after a call without effect. */
export const stillHolds = (read: Exchange, owners: Owners): ReadonlyArray<Difference> =>
  compared(read, owners, "changed")

/**
 * The result of a call that the specification leaves open: the answer, and the slots after it. Two deployments can be
 * compared by it. `names` maps ids to names.
 */
export const outcome = (answer: Exchange, after: Exchange, names: Readonly<Record<string, string>>): Json => {
  const slots = slotsIn(after)
  const word = (holder: string | null | undefined): string => {
    if (holder === undefined) return "not shown"
    return holder === null ? "empty" : (names[holder] ?? "somebody else")
  }
  return { answer: inShort(answer), worker: word(slots.worker), applicant: word(slots.applicant) }
}
