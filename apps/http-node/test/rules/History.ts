import { type Operation, type Slots, step } from "./Slots.ts"

/** A call on one credential: what it was, what it was answered, and when, by a clock that counts events. */
export interface Past {
  readonly operation: Operation
  readonly said: string
  /** The slots that its answer shows, where it shows any. */
  readonly shown: string | undefined
  readonly sentAt: number
  readonly answeredAt: number
}

/** Whether a call could have been answered so, had it come alone upon these slots; what it leaves if so. */
const answersSo = (slots: Slots, { operation, said, shown }: Past): Slots | undefined => {
  const expected = step(slots, operation)
  return expected.said === said && (shown === undefined || shown === expected.slots) ? expected.slots : undefined
}

/**
 * Whether some order of the calls explains every answer and the slots at the end: one at a time, none before a call
 * that was answered before it was sent (Herlihy and Wing, "Linearizability", 1990). What was tried in vain is
 * remembered by the calls in place and the slots they led to.
 */
export const isExplained = (history: ReadonlyArray<Past>, begin: Slots, end: string): boolean => {
  const triedInVain = new Set<string>()
  const search = (waiting: ReadonlyArray<Past>, slots: Slots): boolean => {
    if (waiting.length === 0) return slots === end
    const firstAnswer = Math.min(...waiting.map(({ answeredAt }) => answeredAt))
    const possible = waiting.filter(({ sentAt }) => sentAt < firstAnswer)
    // A refusal or a look that fits here fits best here: it changes nothing for the others.
    const still = possible.find((past) => (past.said !== "ok" || past.operation === "read") && answersSo(slots, past))
    if (still !== undefined)
      return search(
        waiting.filter((past) => past !== still),
        slots
      )

    const key = `${slots}:${waiting.map((past) => history.indexOf(past)).join()}`
    if (triedInVain.has(key)) return false
    triedInVain.add(key)
    return possible.some((past) => {
      const next = answersSo(slots, past)
      return (
        next !== undefined &&
        search(
          waiting.filter((other) => other !== past),
          next
        )
      )
    })
  }
  return search(history, begin)
}
