import { type Command, decide, enteringOwner, type Owners, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { refusalText } from "./Owning.ts"

/** A caller's operation on a credential: a command, or a read of its owners. */
export type SlotOperation = Command | { readonly _tag: "Read" }

/** Owners as an answer text. */
export const ownersText = (owners: Owners): string => ownerTypes.map((type) => owners[type]).join("/")

/** The state and answer of an operation. */
export interface Outcome {
  readonly state: Owners
  readonly answer: string
}

/**
 * A sequential model of slots, which applies the domain's transition table (`decide`). The domain's tests check the
 * table itself, so this model checks only that a store applies the table to the right slots and owners. `isPresent`
 * tells which owners exist.
 */
export const stepSlots =
  (isPresent: (ownerId: string) => boolean) =>
  (state: Owners, operation: SlotOperation): Outcome => {
    if (operation._tag === "Read") return { state, answer: ownersText(state) }
    const decision = decide(state, operation, { isPresent: isPresent(enteringOwner(operation)?.id ?? "") })
    switch (decision._tag) {
      case "Changed":
        return { state: decision.owners, answer: "changed" }
      case "Unchanged":
        return { state, answer: "unchanged" }
      case "Refused":
        return { state, answer: refusalText(decision.reason) }
    }
  }

/** Several operations in sequence as one, with their answers joined. */
export const stepAll =
  (step: ReturnType<typeof stepSlots>) =>
  (state: Owners, operations: ReadonlyArray<SlotOperation>): Outcome => {
    const answers: Array<string> = []
    let current = state
    for (const operation of operations) {
      const outcome = step(current, operation)
      current = outcome.state
      answers.push(outcome.answer)
    }
    return { state: current, answer: answers.join(", ") }
  }
