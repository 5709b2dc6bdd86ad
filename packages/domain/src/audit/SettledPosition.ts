import { Effect, Semaphore } from "effect"

/**
 * Which positions of the audit log are settled. On Postgres a transaction gets its position before it commits, so an
 * entry can appear below entries that are already visible. A seal or a page of changes must never skip such an entry.
 */

/** A snapshot of a store. `writers` is read after `position`. */
export interface Mark {
  /** Every position assigned so far is at most this one. */
  readonly position: number
  /** The open transactions that can have a position, by an id that is never used again. */
  readonly writers: ReadonlyArray<string>
}

export interface Settled {
  /** All entries up to here are visible or will never exist. */
  readonly position: number
  /** An earlier mark with writers that were still open at the last check. */
  readonly waiting: Mark | undefined
}

export const nothingSettled: Settled = { position: Number.MIN_SAFE_INTEGER, waiting: undefined }

/**
 * Advances with a later mark. A mark's position is settled once all its writers have ended: a position at or below it
 * was assigned before, to a transaction that is one of these writers or had ended. Depends on no clock, and a writer
 * that stays open only delays the seals and the changes.
 */
export const advance = ({ position, waiting }: Settled, mark: Mark): Settled => {
  if (mark.writers.length === 0) return { position: Math.max(position, mark.position), waiting: undefined }
  if (waiting === undefined) return { position, waiting: mark }
  const isOpen = waiting.writers.some((writer) => mark.writers.includes(writer))
  return isOpen ? { position, waiting } : { position: Math.max(position, waiting.position), waiting: mark }
}

/**
 * Returns an effect that reads the next mark and returns the settled position. `advance` needs the marks in the order
 * in which they were read, so concurrent calls read one after the other.
 */
export const makeSettling = (mark: Effect.Effect<Mark>): Effect.Effect<Effect.Effect<number>> =>
  Effect.map(Semaphore.make(1), (turn) => {
    let settled = nothingSettled
    return turn.withPermits(1)(
      Effect.map(mark, (next) => {
        settled = advance(settled, next)
        return settled.position
      })
    )
  })
