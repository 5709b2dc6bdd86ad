import type { Instant } from "@wcs/domain/shared/Instant"
import type { ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import type { Hold } from "@wcs/domain/webhook/Hold"

interface Held {
  readonly tenantId: string
  readonly webhookId: string
  /** The ids of its deliveries that were handed out and are not settled. */
  readonly underWay: Set<string>
  /** How many of these are attempted at the moment; the others have ended. */
  inFlight: number
  servedAt: Instant
  /** More of it may be due than there are places. */
  isBusy: boolean
  /** No more of it is taken, so that it can be given back for another worker. */
  isLeaving: boolean
}

/** What this worker holds of the store: the webhooks of which it was handed deliveries that are not settled yet. */
export interface Holds {
  /** How many webhooks. */
  readonly size: number
  /** All of them, to claim with. */
  readonly all: () => ReadonlyArray<Hold>
  /** Whether a claim with these gives one back that another worker seeks. */
  readonly isSought: (own: ReadonlyArray<Hold>) => boolean
  /**
   * What a claim with these has handed out is attempted from now on; it was limited where it might have been more. What it
   * has given back is forgotten.
   */
  readonly took: (
    own: ReadonlyArray<Hold>,
    claimed: ReadonlyArray<ClaimedDelivery>,
    isLimited: boolean,
    now: Instant
  ) => void
  /** An attempt is over: there is a place for another. */
  readonly landed: (claimed: ClaimedDelivery) => void
  /** A delivery is settled. Its webhook is held until the next claim, even if it was the last one. */
  readonly settled: (claimed: ClaimedDelivery) => void
  /**
   * Has half of the webhooks that are busy leave as soon as nothing of them is under way, so that another worker can hold
   * them; none while some are leaving.
   */
  readonly share: () => void
}

const keyOf = ({ tenantId, webhookId }: Pick<Hold, "tenantId" | "webhookId">): string => `${tenantId} ${webhookId}`

/** Of a webhook so many are in flight at once, and so many more may wait to be settled. */
export const make = (perWebhook: number): Holds => {
  const held = new Map<string, Held>()

  const heldOf = ({ delivery: { tenantId, webhookId } }: ClaimedDelivery): Held => {
    const key = keyOf({ tenantId, webhookId })
    const known = held.get(key)
    if (known !== undefined) return known
    const fresh = { inFlight: 0, servedAt: 0, isBusy: false, isLeaving: false }
    const one: Held = { tenantId, webhookId, underWay: new Set(), ...fresh }
    held.set(key, one)
    return one
  }

  const roomIn = ({ inFlight, isLeaving, underWay }: Held): number =>
    isLeaving ? 0 : Math.max(0, Math.min(perWebhook - inFlight, 2 * perWebhook - underWay.size))

  return {
    get size() {
      return held.size
    },

    all: () =>
      Array.from(held.values(), (one) => ({
        tenantId: one.tenantId,
        webhookId: one.webhookId,
        underWay: new Set(one.underWay),
        room: roomIn(one),
        servedAt: one.servedAt
      })),

    isSought: (own) => own.some((hold) => hold.underWay.size === 0 && held.get(keyOf(hold))?.isLeaving === true),

    took: (own, claimed, isLimited, now) => {
      const rooms = new Map(own.map((hold) => [keyOf(hold), hold.room]))
      const counts = new Map<string, number>()
      for (const { underWay, ...key } of own) {
        if (underWay.size === 0 && held.get(keyOf(key))?.underWay.size === 0) held.delete(keyOf(key))
      }
      for (const one of claimed) {
        const known = heldOf(one)
        known.underWay.add(one.delivery.id)
        known.inFlight += 1
        known.servedAt = now
        counts.set(keyOf(known), (counts.get(keyOf(known)) ?? 0) + 1)
      }
      for (const [key, one] of held) {
        const room = rooms.get(key) ?? perWebhook
        if (room > 0) one.isBusy = isLimited || (counts.get(key) ?? 0) >= room
      }
    },

    landed: (claimed) => {
      heldOf(claimed).inFlight -= 1
    },

    settled: (claimed) => {
      heldOf(claimed).underWay.delete(claimed.delivery.id)
    },

    share: () => {
      if ([...held.values()].some(({ isLeaving }) => isLeaving)) return
      const busy = [...held.values()].filter(({ isBusy }) => isBusy)
      for (const one of busy.slice(Math.ceil(busy.length / 2))) one.isLeaving = true
    }
  }
}
