import { assert, describe, it } from "@effect/vitest"
import {
  defaultLifetimeSeconds,
  isDueForRenewal,
  isExpired,
  isLive,
  isRevoked,
  issue,
  issueWithin,
  layer,
  OutlivesMaker,
  overlap,
  renewalWindowSeconds,
  revoke,
  TokenLifetime,
  type Validity
} from "@wcs/domain/access/TokenLifetime"
import { Effect, Result } from "effect"
import * as fc from "fast-check"

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
const lifetimeSeconds = fc.integer({ min: 1, max: 100 * 365 * 24 * 3600 })
const validity: fc.Arbitrary<Validity> = fc
  .record({
    now: instant,
    lifetime: fc.option(lifetimeSeconds),
    revokedAfter: fc.option(fc.nat(1_000_000_000))
  })
  .map(({ lifetime, now, revokedAfter }) => ({
    ...issue(now, lifetime),
    revokedAt: revokedAfter === null ? null : now + revokedAfter
  }))

describe("TokenLifetime", () => {
  it("OAU-06, LEG-08: access tokens live 3600 seconds and legacy tokens 30 days where nothing else is said", () => {
    assert.deepStrictEqual(defaultLifetimeSeconds, { oauth: 3600, legacy: 2_592_000 })
  })

  it("issues in whole seconds, the part of a second dropped", () => {
    assert.deepStrictEqual(issue(1_700_000_000_999, 3600), {
      issuedAt: 1_700_000_000,
      expiresAt: 1_700_003_600,
      revokedAt: null
    })
  })

  it("a token without a lifetime does not expire", () => {
    const token = issue(1_700_000_000_000, null)
    assert.isNull(token.expiresAt)
    assert.isFalse(isExpired(token, Number.MAX_SAFE_INTEGER))
    assert.isFalse(isDueForRenewal(token, Number.MAX_SAFE_INTEGER))
  })

  describe("threat 44: what a token makes", () => {
    const now = 1_700_000_000_999
    const issuedAt = 1_700_000_000
    const maker = { expiresAt: issuedAt + 60 }
    const tooLong = Result.fail(new OutlivesMaker({ maxLifetimeSeconds: 60 }))
    it.each([
      ["expires with it if no lifetime is asked for", undefined, maker, Result.succeed(issuedAt + 60)],
      ["may expire sooner", 59, maker, Result.succeed(issuedAt + 59)],
      ["may expire at the same second", 60, maker, Result.succeed(issuedAt + 60)],
      ["may not expire a second later", 61, maker, tooLong],
      ["may not be without an expiry", null, maker, tooLong],
      [
        "may have any lifetime if the maker does not expire",
        10 ** 9,
        { expiresAt: null },
        Result.succeed(issuedAt + 10 ** 9)
      ],
      ["may be without an expiry if the maker is", null, { expiresAt: null }, Result.succeed(null)],
      [
        "has no expiry if the maker has none and none is asked for",
        undefined,
        { expiresAt: null },
        Result.succeed(null)
      ]
    ] as const)("%s", (_name, asked, by, expected) => {
      const issued = issueWithin(now, asked, by)
      assert.deepStrictEqual(
        Result.map(issued, ({ expiresAt }) => expiresAt),
        expected
      )
    })

    it("never expires after it, whatever is asked for", () => {
      const asked = fc.option(fc.option(lifetimeSeconds), { nil: undefined })
      fc.assert(
        fc.property(instant, lifetimeSeconds, asked, (at, makerSeconds, seconds) => {
          const { expiresAt } = issue(at, makerSeconds)
          const issued = issueWithin(at, seconds, { expiresAt })
          if (Result.isFailure(issued)) return seconds === null || (seconds ?? 0) > makerSeconds
          return issued.success.expiresAt !== null && issued.success.expiresAt <= (expiresAt ?? 0)
        })
      )
    })
  })

  describe("AUT-05, LEG-17: expiry", () => {
    const expiresAt = 1_700_000_000
    it.each([
      ["a second before", -1000, false],
      ["a millisecond before", -1, false],
      ["at that very moment", 0, true],
      ["a millisecond after", 1, true],
      ["a year after", 365 * 24 * 3600 * 1000, true]
    ])("%s", (_name, offsetMillis, expired) => {
      assert.strictEqual(isExpired({ expiresAt }, expiresAt * 1000 + offsetMillis), expired)
    })

    it("OAU-05: a token is good for `expires_in` seconds after its `iat`, and no longer", () => {
      fc.assert(
        fc.property(instant, lifetimeSeconds, (now, lifetime) => {
          const token = issue(now, lifetime)
          const end = (token.issuedAt + lifetime) * 1000
          assert.isFalse(isExpired(token, end - 1))
          assert.isTrue(isExpired(token, end))
          assert.isTrue(end - now > (lifetime - 1) * 1000 && end - now <= lifetime * 1000)
        })
      )
    })
  })

  describe("AUT-12, LEG-19, LEG-31: revocation", () => {
    it("happened where somebody revoked", () => {
      assert.isTrue(isRevoked({ revokedAt: 1_700_000_000_000 }))
      assert.isFalse(isRevoked({ revokedAt: null }))
    })

    it("ends a token for good, whatever its expiry, and whatever a clock says that was set back", () => {
      fc.assert(
        fc.property(validity, instant, instant, (token, now, then) => {
          assert.isFalse(isLive(revoke(token, now), then))
        })
      )
    })

    it("is kept since it was first said", () => {
      fc.assert(
        fc.property(validity, instant, fc.nat(), (token, now, later) => {
          const revoked = revoke(token, now)
          assert.strictEqual(revoke(revoked, now + later), revoked)
        })
      )
    })

    it("touches nothing but itself", () => {
      fc.assert(
        fc.property(validity, instant, (token, now) => {
          const { issuedAt, expiresAt } = revoke(token, now)
          assert.deepStrictEqual({ issuedAt, expiresAt }, { issuedAt: token.issuedAt, expiresAt: token.expiresAt })
        })
      )
    })
  })

  it("a token is live while it is neither expired nor revoked, and once it is not, never again", () => {
    fc.assert(
      fc.property(validity, instant, fc.nat(), (token, now, later) => {
        assert.strictEqual(isLive(token, now), !isExpired(token, now) && !isRevoked(token))
        if (!isLive(token, now)) assert.isFalse(isLive(token, now + later))
      })
    )
  })

  describe("AUT-11, OAU-19: during a rotation", () => {
    const old = issue(0, 100)
    const next = issue(60_000, 100)
    it.each([
      ["before the new token ends the old one's life", 60_000, true],
      ["in the old token's last millisecond", 99_999, true],
      ["when the old token has expired", 100_000, false],
      ["when both have expired", 160_000, false]
    ])("%s", (_name, now, both) => {
      assert.strictEqual(overlap(old, next, now), both)
    })

    it("AUT-12: the end of one does not touch the other", () => {
      const revoked = revoke(old, 70_000)
      assert.isFalse(overlap(revoked, next, 70_000))
      assert.isFalse(isLive(revoked, 70_000))
      assert.isTrue(isLive(next, 70_000))
      assert.isFalse(overlap(old, revoke(next, 70_000), 70_000))
      assert.isTrue(isLive(old, 70_000))
    })
  })

  describe("LEG-23: a client may renew when fewer than 5 minutes remain", () => {
    const expiresAt = 1_700_000_000
    it.each([
      ["5 minutes and a millisecond", 300_001, false],
      ["5 minutes", 300_000, false],
      ["a millisecond less", 299_999, true],
      ["nothing", 0, true],
      ["less than nothing", -1, true]
    ])("%s remain", (_name, remainingMillis, due) => {
      assert.strictEqual(renewalWindowSeconds, 300)
      assert.strictEqual(isDueForRenewal({ expiresAt }, expiresAt * 1000 - remainingMillis), due)
    })
  })

  it.effect("is what the service offers", () =>
    Effect.gen(function* () {
      const rules = { issue, issueWithin, isExpired, isRevoked, isLive, revoke, isDueForRenewal, overlap }
      assert.deepStrictEqual({ ...(yield* TokenLifetime) }, rules)
    }).pipe(Effect.provide(layer))
  )
})
