import { Context } from "effect"

/** The maximum bytes of request bodies in memory while they are received. */
export interface BodyLimits {
  /** Limit per caller, or per address if the caller is unknown. */
  readonly callerBytes: number
  readonly totalBytes: number
}

export const defaultBodyLimits: BodyLimits = { callerBytes: 8 * 1024 * 1024, totalBytes: 128 * 1024 * 1024 }

export const BodyLimitsOf = Context.Reference<BodyLimits>("@wcs/http/BodyLimits", {
  defaultValue: () => defaultBodyLimits
})

/** The share of one body in the budget. */
export interface BodyShare {
  /** Adds received bytes. Returns false and adds nothing if they exceed the caller limit or the total limit. */
  readonly take: (bytes: number) => boolean
  /** Releases all taken bytes. */
  readonly release: () => void
}

/** Counts the bytes of bodies while they are received. */
export const make = ({ callerBytes, totalBytes }: BodyLimits) => {
  const heldBy = new Map<string, number>()
  let total = 0
  return {
    open: (caller: string): BodyShare => {
      let own = 0
      return {
        take: (bytes) => {
          const held = (heldBy.get(caller) ?? 0) + bytes
          if (held > callerBytes || total + bytes > totalBytes) return false
          heldBy.set(caller, held)
          total += bytes
          own += bytes
          return true
        },
        release: () => {
          const rest = (heldBy.get(caller) ?? 0) - own
          if (rest > 0) heldBy.set(caller, rest)
          else heldBy.delete(caller)
          total -= own
          own = 0
        }
      }
    }
  }
}
