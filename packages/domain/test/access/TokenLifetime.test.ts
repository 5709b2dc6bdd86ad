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
  it("OAU-06, LEG-08: by default access tokens live 3600 seconds and legacy tokens 30 days", () => {
    assert.deepStrictEqual(defaultLifetimeSeconds, { oauth: 3600, legacy: 2_592_000 })
  })

  it("issues in whole seconds, rounded down", () => {
    assert.deepStrictEqual(issue(1_700_000_000_999, 3600), {
      issuedAt: 1_700_000_000,
      expiresAt: 1_700_003_600,
      revokedAt: null
    })
  })

  it("a token without a lifetime never expires", () => {
    const token = issue(1_700_000_000_000, null)
    assert.isNull(token.expiresAt)
    assert.isFalse(isExpired(token, Number.MAX_SAFE_INTEGER))
    assert.isFalse(isDueForRenewal(token, Number.MAX_SAFE_INTEGER))
  })

  describe("threat 44: a token created with another token", () => {
    const now = 1_700_000_000_999
    const issuedAt = 1_700_000_000
    const maker = { expiresAt: issuedAt + 60 }
    const tooLong = Result.fail(new OutlivesMaker({ maxLifetimeSeconds: 60 }))
    it.each([
      ["expires with the creator if no lifetime is requested", undefined, maker, Result.succeed(issuedAt + 60)],
      ["may expire earlier", 59, maker, Result.succeed(issuedAt + 59)],
      ["may expire in the same second", 60, maker, Result.succeed(issuedAt + 60)],
      ["may not expire a second later", 61, maker, tooLong],
      ["may not live without an expiry", null, maker, tooLong],
      [
        "may have any lifetime if the creator does not expire",
        10 ** 9,
        { expiresAt: null },
        Result.succeed(issuedAt + 10 ** 9)
      ],
      ["may live without an expiry if the creator does", null, { expiresAt: null }, Result.succeed(null)],
      [
        "does not expire if the creator does not and no lifetime is requested",
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

    it("never expires after the creator, for any requested lifetime", () => {
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
    it("OAU-05: a token is live for `expires_in` seconds after its `iat` and no longer", () => {
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
    it("is true for revoked tokens only", () => {
      assert.isTrue(isRevoked({ revokedAt: 1_700_000_000_000 }))
      assert.isFalse(isRevoked({ revokedAt: null }))
    })

    it("ends a token permanently, for any expiry and any clock", () => {
      fc.assert(
        fc.property(validity, instant, instant, (token, now, then) => {
          assert.isFalse(isLive(revoke(token, now), then))
        })
      )
    })

    it("keeps the first time of revocation", () => {
      fc.assert(
        fc.property(validity, instant, fc.nat(), (token, now, later) => {
          const revoked = revoke(token, now)
          assert.strictEqual(revoke(revoked, now + later), revoked)
        })
      )
    })

    it("changes no other field", () => {
      fc.assert(
        fc.property(validity, instant, (token, now) => {
          const { issuedAt, expiresAt } = revoke(token, now)
          assert.deepStrictEqual({ issuedAt, expiresAt }, { issuedAt: token.issuedAt, expiresAt: token.expiresAt })
        })
      )
    })
  })

  it("a token is live until it expires or is revoked, and never again", () => {
    fc.assert(
      fc.property(validity, instant, fc.nat(), (token, now, later) => {
        assert.strictEqual(isLive(token, now), !isExpired(token, now) && !isRevoked(token))
        if (!isLive(token, now)) assert.isFalse(isLive(token, now + later))
      })
    )
  })

  describe("AUT-11, OAU-19: both tokens of a rotation", () => {
    const old = issue(0, 100)
    const next = issue(60_000, 100)
    it.each([
      ["are live before the new one ends the old one", 60_000, true],
      ["are live in the old token's last millisecond", 99_999, true],
      ["are not both live when the old one has expired", 100_000, false],
      ["are not both live when both have expired", 160_000, false]
    ])("%s", (_name, now, both) => {
      assert.strictEqual(overlap(old, next, now), both)
    })

    it("AUT-12: revoking one does not affect the other", () => {
      const revoked = revoke(old, 70_000)
      assert.isFalse(overlap(revoked, next, 70_000))
      assert.isFalse(isLive(revoked, 70_000))
      assert.isTrue(isLive(next, 70_000))
      assert.isFalse(overlap(old, revoke(next, 70_000), 70_000))
      assert.isTrue(isLive(old, 70_000))
    })
  })

  describe("LEG-23: a client may renew with less than 5 minutes left", () => {
    const expiresAt = 1_700_000_000
    it.each([
      ["5 minutes and a millisecond", 300_001, false],
      ["5 minutes", 300_000, false],
      ["a millisecond less", 299_999, true],
      ["no time", 0, true],
      ["negative time", -1, true]
    ])("with %s left", (_name, remainingMillis, due) => {
      assert.strictEqual(renewalWindowSeconds, 300)
      assert.strictEqual(isDueForRenewal({ expiresAt }, expiresAt * 1000 - remainingMillis), due)
    })
  })

  it.effect("provides the rules as a service", () =>
    Effect.gen(function* () {
      const rules = { issue, issueWithin, isExpired, isRevoked, isLive, revoke, isDueForRenewal, overlap }
      assert.deepStrictEqual({ ...(yield* TokenLifetime) }, rules)
    }).pipe(Effect.provide(layer))
  )
})
