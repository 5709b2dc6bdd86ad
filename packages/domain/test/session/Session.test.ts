import { assert, describe, it } from "@effect/vitest"
import * as Session from "@wcs/domain/session/Session"

const start = Date.UTC(2026, 5, 1)
const session = {
  authenticatedAt: start,
  seenAt: start,
  expiresAt: start + Session.absoluteLimitMillis,
  revokedAt: null
}

describe("Session", () => {
  it("ends at the idle limit, unless used before", () => {
    const limit = start + Session.idleLimitMillis
    assert.isTrue(Session.isLive(session, limit - 1))
    assert.isFalse(Session.isLive(session, limit))
    assert.isTrue(Session.isLive({ ...session, seenAt: start + 60_000 }, limit))
  })

  it("ends at the absolute limit, even if used", () => {
    const used = { ...session, seenAt: session.expiresAt - 1 }
    assert.isTrue(Session.isLive(used, session.expiresAt - 1))
    assert.isFalse(Session.isLive(used, session.expiresAt))
  })

  it("ends when revoked, for any clock", () => {
    assert.isFalse(Session.isLive({ ...session, revokedAt: start + 5 }, start))
  })

  it("ends at the earlier of the absolute limit and the identity provider's limit", () => {
    assert.strictEqual(Session.expiryOf(start), start + 12 * 3600 * 1000)
    assert.strictEqual(Session.expiryOf(start, start + 1000), start + 1000)
    assert.strictEqual(Session.expiryOf(start, start + 24 * 3600 * 1000), start + 12 * 3600 * 1000)
  })

  it("is fresh for 15 minutes after authentication", () => {
    assert.isTrue(Session.isFresh(session, start + 15 * 60_000 - 1))
    assert.isFalse(Session.isFresh(session, start + 15 * 60_000))
  })
})
