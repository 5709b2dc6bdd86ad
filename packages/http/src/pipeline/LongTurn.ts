import { Context } from "effect"

/**
 * Limits of one turn of the event loop. An overloaded server reads the requests of all connections in one turn, and the
 * last of these wait for the others.
 */
export interface TurnLimits {
  /** The number of requests at the start of a turn that are always answered. */
  readonly requests: number
  /** The longest turn in milliseconds. */
  readonly millis: number
}

/** Without sockets, calls of one program can share a turn without a wait, so by default none is refused. */
export const TurnLimitsOf = Context.Reference<TurnLimits>("@wcs/http/TurnLimits", {
  defaultValue: () => ({ requests: Number.POSITIVE_INFINITY, millis: Number.POSITIVE_INFINITY })
})

/** For a server with sockets. */
export const socketLimits: TurnLimits = { requests: 128, millis: 200 }

/** The interval of the check. If the timer fires late by more than `millis`, the turn was too long. */
export const lookMillis = 50

/** The monotonic clock in milliseconds, and a timer. */
export interface Timing {
  readonly now: () => number
  readonly later: (run: () => void, millis: number) => void
}

const machine: Timing = { now: () => performance.now(), later: setTimeout }

/** Counts requests since the last look. `take` returns whether the request has waited too long to be answered. */
export const make = ({ millis, requests }: TurnLimits, { later, now }: Timing = machine) => {
  let taken = 0
  let lookedAt = 0
  const look = () => {
    taken = 0
  }
  return {
    take: (): boolean => {
      if (taken === 0) {
        lookedAt = now()
        later(look, lookMillis)
      }
      taken++
      return taken > requests && now() - lookedAt > lookMillis + millis
    }
  }
}
