import type { Command, Owners } from "@wcs/domain/ownership/Ownership"

/** What a caller does with a credential: a command, or a look at its owners. */
export type SlotOperation = Command | { readonly _tag: "Read" }

/** How owners are written in an answer. */
export const ownersText = ({ applicant, worker }: Owners): string => `${worker}/${applicant}`

/** What an operation leaves and answers. */
export interface Outcome {
  readonly state: Owners
  readonly answer: string
}

/**
 * The table of §3 and its edges (DECISIONS.md#ownership) once more, row by row and apart from the domain's own
 * function, so that the two judge each other. `isPresent` says who can be put in.
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

/** Several operations, one after another, as one: the answers are joined. */
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
