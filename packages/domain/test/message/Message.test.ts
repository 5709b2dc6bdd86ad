import { assert, describe, it } from "@effect/vitest"
import { queued } from "@wcs/domain/message/Announcing"
import {
  attemptMillis,
  begun,
  lostMillis,
  type Outcome,
  type Placed,
  postponed,
  requeued,
  resendable,
  type StoredMessage,
  settled,
  unaddressed,
  unsaid
} from "@wcs/domain/message/Message"
import * as fc from "fast-check"

const start = Date.UTC(2026, 0, 31)
const minute = 60_000
const retryMinutes = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60]
const fresh = queued("msg_1", "RED_TODAY", "2026-01-31", { id: "acc_1", email: "ann@example.org" }, start).message

const begunOf = (message: StoredMessage, now = start): StoredMessage =>
  begun(message, now)?.message ?? assert.fail("not begun")

const ended = (message: StoredMessage, outcome: Outcome, now = start): Placed =>
  settled(message, message.fields.attempts, outcome, now, 0) ?? assert.fail("not settled")

describe("threat 80: the answer of a mail server", () => {
  it("is kept without the address and the secrets of a message", () => {
    const reply = "550 <ann@example.org>: no such user; https://x.example/a/5ecret5ecret is blocked (5ecret5ecret)"
    const hidden = ["5ecret5ecret", "ann@example.org", ""]
    const kept = settled(begunOf(fresh), 1, { _tag: "Refused", reply }, start, 0, hidden)?.message.fields.reply
    assert.strictEqual(kept, "550 … no such user; … is blocked (…)")
  })
})

describe("threat 76: a message", () => {
  it("is being sent after an attempt has begun, and counts as lost after some time", () => {
    const placed = begun(fresh, start)
    assert.deepInclude(placed?.message.fields, { state: "SENDING", attempts: 1 })
    assert.strictEqual(placed?.dueAt, start + lostMillis)
    assert.isUndefined(begun(begunOf(fresh), start))
    // An attempt has its limit, and a minute to store how it ended. Only then can its worker be lost.
    assert.isAbove(lostMillis, attemptMillis + minute)
  })

  it("ends as the attempt ended", () => {
    const endings = [
      ["Accepted", "ACCEPTED"],
      ["Refused", "REFUSED"],
      ["Unknown", "UNKNOWN"]
    ] as const
    for (const [_tag, state] of endings) {
      const { dueAt, message } = ended(begunOf(fresh), { _tag, reply: "answer\r\n of \u0000 the server" }, start + 5)
      assert.isNull(dueAt)
      assert.deepInclude(message.fields, {
        state,
        reply: "answer of the server",
        endedAt: "2026-01-31T00:00:00.005Z"
      })
    }
  })

  it("is tried again after growing delays, and is exhausted after the last one", () => {
    let message = fresh
    const delays: Array<number> = []
    while (message.fields.state === "QUEUED") {
      const placed = ended(begunOf(message), { _tag: "Later", reply: "421" })
      message = placed.message
      if (placed.dueAt !== null) delays.push((placed.dueAt - start) / minute)
    }
    assert.deepStrictEqual(delays, retryMinutes)
    assert.strictEqual(message.fields.state, "EXHAUSTED")
  })

  it("waits while no attempt can begin, as long as for all attempts, and is then exhausted", () => {
    const end = start + minute * retryMinutes.reduce((sum, delay) => sum + delay)
    const waiting = postponed(fresh, 1, end, end - 1)
    assert.deepStrictEqual(waiting, { message: { ...fresh, version: 2 }, dueAt: end })
    assert.isUndefined(postponed({ ...fresh, version: 2 }, 1, end, end - 1))
    assert.isUndefined(postponed(begunOf(fresh), 2, end, end - 1))
    const last = postponed(fresh, 1, end + 1, end)
    assert.isNull(last?.dueAt)
    assert.deepInclude(last?.message.fields, { state: "EXHAUSTED", reply: "The message could not be written." })
  })

  it("is deleted if there is nothing to say, but withdrawn after an attempt or the search for an address", () => {
    assert.isNull(unsaid(fresh, start))
    assert.isUndefined(unsaid(begunOf(fresh), start))
    assert.isUndefined(unaddressed(begunOf(fresh), start))
    const failed = ended(begunOf(fresh), { _tag: "Later", reply: "421" }).message
    const homeless = unaddressed(fresh, start)?.message ?? assert.fail("not ended")
    assert.include(resendable, homeless.fields.state)
    for (const before of [failed, { ...homeless, fields: requeued(homeless.fields) }]) {
      const { dueAt, message } = unsaid(before, start) ?? assert.fail("deleted")
      assert.isNull(dueAt)
      assert.deepStrictEqual(message.fields, { ...before.fields, state: "WITHDRAWN" })
    }
  })

  it("learns from a lost attempt how it ended, but not after a later attempt has begun", () => {
    const sending = begunOf(fresh)
    const unknown = ended(sending, { _tag: "Unknown", reply: "lost" }).message
    assert.strictEqual(ended(unknown, { _tag: "Accepted", reply: "250" }).message.fields.state, "ACCEPTED")
    const again = begunOf({ ...unknown, fields: requeued(unknown.fields) })
    assert.strictEqual(again.fields.attempts, 2)
    assert.isUndefined(settled(again, 1, { _tag: "Accepted", reply: "250" }, start, 0))
  })

  it("stays ACCEPTED after every further event", () => {
    const outcomes = fc.constantFrom<Outcome["_tag"]>("Accepted", "Refused", "Later", "Unknown")
    const accepted = ended(begunOf(fresh), { _tag: "Accepted", reply: "250" }).message
    assert.notInclude(resendable, accepted.fields.state)
    fc.assert(
      fc.property(outcomes, fc.nat(3), (_tag, attempt) => {
        assert.isUndefined(settled(accepted, attempt, { _tag, reply: "" }, start, 0))
        assert.isUndefined(begun(accepted, start))
      })
    )
  })
})
