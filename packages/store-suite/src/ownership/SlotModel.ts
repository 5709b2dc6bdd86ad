import type { Command, Owners } from "@wcs/domain/ownership/Ownership"

/** A caller's operation on a credential: a command, or a read of its owners. */
export type SlotOperation = Command | { readonly _tag: "Read" }

/** Owners as an answer text. */
export const ownersText = ({ applicant, worker }: Owners): string => `${worker}/${applicant}`

/** The state and answer of an operation. */
export interface Outcome {
  readonly state: Owners
  readonly answer: string
}

/**
 * The table of §3 with its edge cases (DECISIONS.md#ownership), row by row. It is independent of the domain's own
 * function, so that the two check each other. `isPresent` tells which owners exist.
 */
export const stepSlots =
  (isPresent: (ownerId: string) => boolean) =>
  (state: Owners, operation: SlotOperation): Outcome => {
    const stays = (answer: string): Outcome => ({ state, answer })
    const becomes = (next: Partial<Owners>, entering: string): Outcome =>
      isPresent(entering)
        ? { state: { ...state, ...next }, answer: "changed" }
        : { state, answer: `OwnerNotFound ${entering}` }

    if (operation._tag === "Read") return stays(ownersText(state))

    if (operation._tag === "Link") {
      const { id, type } = operation.to
      if (state[type] === null) return becomes({ [type]: id }, id)
      return stays(state[type] === id ? "unchanged" : `AlreadyLinked ${state[type]}`)
    }

    const { id: fromId, type: from } = operation.from
    if (operation._tag === "Unlink") {
      if (state[from] === null) return stays("unchanged")
      if (state[from] !== fromId) return stays(`OwnerMismatch ${state[from]}`)
      const isOnly = state.worker === null || state.applicant === null
      return isOnly ? stays(`LastOwner ${fromId}`) : { state: { ...state, [from]: null }, answer: "changed" }
    }

    const { id: toId, type: to } = operation.to
    if (state[to] === toId) return stays("unchanged")
    if (state[from] !== fromId) return stays(`OwnerMismatch ${state[from]}`)
    if (from !== to && state[to] !== null) return stays(`AlreadyLinked ${state[to]}`)
    return becomes({ [from]: null, [to]: toId }, toId)
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
