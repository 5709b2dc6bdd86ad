import { assert, describe, it } from "@effect/vitest"
import type { StoredMessage } from "@wcs/domain/message/Message"
import { messageKinds } from "@wcs/domain/message/MessageKind"
import { inTurn, type Priority, priorityOf, type Queue, restingMax, sharesOf } from "@wcs/domain/message/Turns"

const now = 1000
const queue = (tenantId: string, priority: Priority, dueAt = now): Queue => ({ tenantId, priority, dueAt })
const never = () => 0

const message = (id: string) => ({ id }) as StoredMessage

describe("threat 91: the order of messages", () => {
  it("puts codes before requests, and these and samples before all others", () => {
    const kindsOf = (priority: Priority) => messageKinds.filter((kind) => priorityOf({ kind, cause: "a" }) === priority)
    assert.sameMembers([...kindsOf(0)], ["REQUEST_CODE"])
    assert.sameMembers([...kindsOf(1)], ["REQUEST", "REQUEST_REMINDER", "REQUEST_DECIDED"])
    assert.strictEqual(priorityOf({ kind: "WEEKLY_DIGEST", cause: "sample a" }), 1)
  })

  it("reads queues by priority, then the tenant whose turn is longest ago, then the longest due", () => {
    const turns = new Map([["often", 5]])
    const queues = [queue("often", 2, 1), queue("late", 2), queue("early", 2, 2), queue("often", 0)]
    const shares = sharesOf(queues, (id) => turns.get(id) ?? 0, never, 8)
    assert.deepStrictEqual(
      shares.map(({ count, priority, tenantId }) => [tenantId, priority, count]),
      [
        ["often", 0, 2],
        ["early", 2, 2],
        ["late", 2, 2],
        ["often", 2, 2]
      ]
    )
    assert.lengthOf(sharesOf(queues, never, never, 3), 3)
    assert.deepStrictEqual(sharesOf([], never, never, 3), [])
  })

  it("reads past the resting messages of a tenant, up to a limit", () => {
    const queues = [queue("few", 2), queue("many", 2), queue("none", 2)]
    const resting = new Map([
      ["few", 5],
      ["many", 1_000_000]
    ])
    assert.deepStrictEqual(
      sharesOf(queues, never, (id) => resting.get(id) ?? 0, 6).map(({ count }) => count),
      [7, 2 + restingMax, 2]
    )
  })

  it("sends the messages of tenants in turn, however many one has", () => {
    const shares = [queue("b", 0), queue("a", 2), queue("b", 2), queue("c", 2)].map((one) => ({ ...one, count: 3 }))
    const found = shares.flatMap(({ priority, tenantId }) =>
      Array.from({ length: tenantId === "a" ? 3 : 1 }, (_, n) => ({
        tenantId,
        priority,
        message: message(`${tenantId}${priority}${n}`)
      }))
    )
    assert.deepStrictEqual(
      inTurn(found, shares).map((due) => due.message.id),
      ["b00", "a20", "b20", "c20", "a21", "a22"]
    )
  })
})
