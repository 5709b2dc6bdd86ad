import type { Instant } from "@wcs/domain/shared/Instant"
import type { ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import type { Lease } from "@wcs/domain/webhook/Lease"

interface LocalLease {
  readonly tenantId: string
  readonly webhookId: string
  /** Ids of the claimed deliveries that are not settled. */
  readonly unsettled: Set<string>
  /** How many of the unsettled deliveries are being attempted now. */
  inFlight: number
  servedAt: Instant
  /** The last claim may have left due deliveries of the webhook behind. */
  isBusy: boolean
  /** The worker claims no more of the webhook, so that another worker can lease it. */
  isReleasing: boolean
}

/** The webhooks that this worker leases, with their unsettled deliveries. */
export interface Leases {
  readonly size: number
  /** All leases, as `DeliveryStore.claim` needs them. */
  readonly all: () => ReadonlyArray<Lease>
  /** Whether a claim with these leases releases a webhook for another worker. */
  readonly releasesForOthers: (own: ReadonlyArray<Lease>) => boolean
  /**
   * Records the result of a claim that was made with `own`: adds the claimed deliveries and drops released leases.
   * `isLimited`: the claim reached its limit, so more deliveries may be due.
   */
  readonly claimed: (
    own: ReadonlyArray<Lease>,
    claimed: ReadonlyArray<ClaimedDelivery>,
    isLimited: boolean,
    now: Instant
  ) => void
  /** Records that an attempt ended. Its place is free. */
  readonly attemptEnded: (claimed: ClaimedDelivery) => void
  /** Records that a delivery is settled. The lease of its webhook lasts until the next claim. */
  readonly settled: (claimed: ClaimedDelivery) => void
  /**
   * Marks half of the busy webhooks for release. Each is released once all its deliveries are settled. Does nothing
   * while an earlier release is pending.
   */
  readonly share: () => void
}

const keyOf = ({ tenantId, webhookId }: Pick<Lease, "tenantId" | "webhookId">): string => `${tenantId} ${webhookId}`

/** `perWebhook` limits the attempts in flight of one webhook. As many further deliveries may wait to be settled. */
export const make = (perWebhook: number): Leases => {
  const leases = new Map<string, LocalLease>()

  const leaseOf = ({ delivery: { tenantId, webhookId } }: ClaimedDelivery): LocalLease => {
    const key = keyOf({ tenantId, webhookId })
    const known = leases.get(key)
    if (known !== undefined) return known
    const fresh = { inFlight: 0, servedAt: 0, isBusy: false, isReleasing: false }
    const one: LocalLease = { tenantId, webhookId, unsettled: new Set(), ...fresh }
    leases.set(key, one)
    return one
  }

  const roomIn = ({ inFlight, isReleasing, unsettled }: LocalLease): number =>
    isReleasing ? 0 : Math.max(0, Math.min(perWebhook - inFlight, 2 * perWebhook - unsettled.size))

  return {
    get size() {
      return leases.size
    },

    all: () =>
      Array.from(leases.values(), (one) => ({
        tenantId: one.tenantId,
        webhookId: one.webhookId,
        unsettled: new Set(one.unsettled),
        room: roomIn(one),
        servedAt: one.servedAt
      })),

    releasesForOthers: (own) =>
      own.some((lease) => lease.unsettled.size === 0 && leases.get(keyOf(lease))?.isReleasing === true),

    claimed: (own, claimed, isLimited, now) => {
      const rooms = new Map(own.map((lease) => [keyOf(lease), lease.room]))
      const counts = new Map<string, number>()
      for (const { unsettled, ...key } of own) {
        if (unsettled.size === 0 && leases.get(keyOf(key))?.unsettled.size === 0) leases.delete(keyOf(key))
      }
      for (const one of claimed) {
        const known = leaseOf(one)
        known.unsettled.add(one.delivery.id)
        known.inFlight += 1
        known.servedAt = now
        counts.set(keyOf(known), (counts.get(keyOf(known)) ?? 0) + 1)
      }
      for (const [key, one] of leases) {
        const room = rooms.get(key) ?? perWebhook
        if (room > 0) one.isBusy = isLimited || (counts.get(key) ?? 0) >= room
      }
    },

    attemptEnded: (claimed) => {
      leaseOf(claimed).inFlight -= 1
    },

    settled: (claimed) => {
      leaseOf(claimed).unsettled.delete(claimed.delivery.id)
    },

    share: () => {
      if ([...leases.values()].some(({ isReleasing }) => isReleasing)) return
      const busy = [...leases.values()].filter(({ isBusy }) => isBusy)
      for (const one of busy.slice(Math.ceil(busy.length / 2))) one.isReleasing = true
    }
  }
}
