import type { ClaimedDelivery, Hold } from "@wcs/domain/DeliveryStore"
import type { Instant } from "@wcs/domain/Instant"

interface Held {
  readonly tenantId: string
  readonly webhookId: string
  readonly underWay: Set<string>
  inFlight: number
  servedAt: Instant
  isLeaving: boolean
}

/** What this worker holds of the store: the webhooks of which it was handed deliveries that are not settled yet. */
export interface Holds {
  /** How many webhooks. */
  readonly size: number
  /** A delivery was handed out now, and is attempted. */
  readonly add: (claimed: ClaimedDelivery, now: Instant) => void
  /** Its attempt is over: there is a place for another. */
  readonly landed: (claimed: ClaimedDelivery) => void
  /** A delivery is settled. Its webhook is held until the next claim, even if it was the last one. */
  readonly settled: (claimed: ClaimedDelivery) => void
  /** All of them, to claim with: there is room for what is not in flight, and none in those that are leaving. */
  readonly all: (perWebhook: number) => ReadonlyArray<Hold>
  /** Whether one that is leaving is given back with the next claim. */
  readonly isOneLeaving: () => boolean
  /** Forgets those that a claim has given back. */
  readonly given: (claimedWith: ReadonlyArray<Hold>) => void
  /** Has half of them leave as soon as nothing of them is under way, so that another worker can hold them. */
  readonly share: () => void
}

export const make = (): Holds => {
  const held = new Map<string, Held>()

  return {
    get size() {
      return held.size
    },

    add: ({ delivery: { id, tenantId, webhookId } }, now) => {
      const known = held.get(webhookId)
      if (known === undefined) {
        held.set(webhookId, {
          tenantId,
          webhookId,
          underWay: new Set([id]),
          inFlight: 1,
          servedAt: now,
          isLeaving: false
        })
        return
      }
      known.underWay.add(id)
      known.inFlight += 1
      known.servedAt = now
    },

    landed: ({ delivery: { webhookId } }) => {
      const known = held.get(webhookId)
      if (known !== undefined) known.inFlight -= 1
    },

    settled: ({ delivery: { id, webhookId } }) => {
      held.get(webhookId)?.underWay.delete(id)
    },

    all: (perWebhook) =>
      Array.from(held.values(), ({ inFlight, isLeaving, servedAt, tenantId, underWay, webhookId }) => ({
        tenantId,
        webhookId,
        underWay: new Set(underWay),
        room: isLeaving ? 0 : Math.max(0, perWebhook - inFlight),
        servedAt
      })),

    isOneLeaving: () => [...held.values()].some(({ isLeaving, underWay }) => isLeaving && underWay.size === 0),

    given: (claimedWith) => {
      for (const { underWay, webhookId } of claimedWith) {
        if (underWay.size === 0 && held.get(webhookId)?.underWay.size === 0) held.delete(webhookId)
      }
    },

    share: () => {
      const staying = [...held.values()].filter(({ isLeaving }) => !isLeaving)
      for (const one of staying.slice(Math.ceil(staying.length / 2))) one.isLeaving = true
    }
  }
}
