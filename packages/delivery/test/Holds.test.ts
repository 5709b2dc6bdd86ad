import { assert, describe, it } from "@effect/vitest"
import * as Holds from "@wcs/delivery/Holds"
import type { ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import { Option, Result } from "effect"
import { idOf, tenantId, webhookIdOf } from "./Seeds.ts"

/** The only delivery of the n-th webhook that was handed out. */
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

/** Eight webhooks, each with one delivery in flight and a place left, of which more may be due. */
const eightBusy = () => {
  const holds = Holds.make(2)
  holds.took([], [1, 2, 3, 4, 5, 6, 7, 8].map(handedOut), true, 0)
  return holds
}

const leaving = (holds: Holds.Holds) => holds.all().filter(({ room }) => room === 0).length

describe("who seeks webhooks is let have", () => {
  it("half of those that are busy, and no more while they leave one by one", () => {
    const holds = eightBusy()
    holds.share()
    assert.strictEqual(leaving(holds), 4)
    for (const left of [3, 2, 1]) {
      const hold = holds.all().find(({ room }) => room === 0)
      const one = [1, 2, 3, 4, 5, 6, 7, 8].find((n) => webhookIdOf(n) === hold?.webhookId) ?? 0
      holds.landed(handedOut(one))
      holds.settled(handedOut(one))
      const own = holds.all()
      assert.isTrue(holds.isSought(own))
      holds.took(own, [], true, 0)
      holds.share()
      assert.deepStrictEqual([holds.size, leaving(holds)], [4 + left, left])
    }
  })

  it("none of which all that is due is attempted", () => {
    const holds = eightBusy()
    holds.took(holds.all(), [], false, 0)
    holds.share()
    assert.strictEqual(leaving(holds), 0)
  })
})
