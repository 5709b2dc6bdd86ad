import { assert, describe, it } from "@effect/vitest"
import * as Leases from "@wcs/delivery/Leases"
import type { ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import { Option, Result } from "effect"
import { idOf, tenantId, webhookIdOf } from "./Seeds.ts"

/** The only claimed delivery of the n-th webhook. */
const handedOut = (n: number): ClaimedDelivery => ({
  delivery: {
    id: idOf("delivery", n),
    tenantId,
    webhookId: webhookIdOf(n),
    eventId: idOf("event", n),
    kind: "credential.verified",
    correlationId: null,
    state: "PENDING",
    body: "{}",
    attemptCount: 0,
    failures: 0,
    attempts: [],
    lastResponse: null,
    dueAt: 0,
    createdAt: 0,
    deliveredAt: null
  },
  webhook: Result.succeed(Option.none())
})

/** Eight webhooks, each with one delivery in flight and one free place. More of each may be due. */
const eightBusy = () => {
  const leases = Leases.make(2)
  leases.claimed([], [1, 2, 3, 4, 5, 6, 7, 8].map(handedOut), true, 0)
  return leases
}

const leaving = (leases: Leases.Leases) => leases.all().filter(({ room }) => room === 0).length

describe("releasing webhooks for an idle worker", () => {
  it("marks half of the busy webhooks, and no more while they are being released", () => {
    const leases = eightBusy()
    leases.share()
    assert.strictEqual(leaving(leases), 4)
    for (const left of [3, 2, 1]) {
      const lease = leases.all().find(({ room }) => room === 0)
      const one = [1, 2, 3, 4, 5, 6, 7, 8].find((n) => webhookIdOf(n) === lease?.webhookId) ?? 0
      leases.attemptEnded(handedOut(one))
      leases.settled(handedOut(one))
      const own = leases.all()
      assert.isTrue(leases.releasesForOthers(own))
      leases.claimed(own, [], true, 0)
      leases.share()
      assert.deepStrictEqual([leases.size, leaving(leases)], [4 + left, left])
    }
  })

  it("marks no webhook whose due deliveries are all in flight", () => {
    const leases = eightBusy()
    leases.claimed(leases.all(), [], false, 0)
    leases.share()
    assert.strictEqual(leaving(leases), 0)
  })
})
