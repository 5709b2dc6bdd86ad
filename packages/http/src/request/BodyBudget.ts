import { networksOf } from "@wcs/domain/access/Networks"
import { Context } from "effect"

/** The maximum bytes of request bodies in memory while they are received. */
export interface BodyLimits {
  /** Limit per caller, or per address if the caller is unknown. A tenant or a wider network gets a quarter of the total. */
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

/** An authenticated caller, as far as its bodies count. */
export interface Payer {
  readonly tenantId: string
  readonly rateLimitKey: string
}

/** The keys by which the bytes of a body count, the widest first. The last one is the caller or the address. */
export const payersOf = (payer: Payer | undefined, address: string): ReadonlyArray<string> =>
  payer === undefined ? networksOf(address) : [payer.tenantId, payer.rateLimitKey]

/** Counts the bytes of bodies while they are received. */
export const make = ({ callerBytes, totalBytes }: BodyLimits) => {
  const heldBy = new Map<string, number>()
  const partyBytes = Math.max(callerBytes, Math.floor(totalBytes / 4))
  let total = 0
  return {
    open: (payers: ReadonlyArray<string>): BodyShare => {
      let own = 0
      return {
        take: (bytes) => {
          const held = payers.map((payer) => (heldBy.get(payer) ?? 0) + bytes)
          const isOver = held.some((all, index) => all > (index === payers.length - 1 ? callerBytes : partyBytes))
          if (isOver || total + bytes > totalBytes) return false
          for (const [index, payer] of payers.entries()) heldBy.set(payer, held[index] ?? 0)
          total += bytes
          own += bytes
          return true
        },
        release: () => {
          for (const payer of payers) {
            const rest = (heldBy.get(payer) ?? 0) - own
            if (rest > 0) heldBy.set(payer, rest)
            else heldBy.delete(payer)
          }
          total -= own
          own = 0
        }
      }
    }
  }
}
