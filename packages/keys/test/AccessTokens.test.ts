import { assert, describe, it } from "@effect/vitest"
import type { AccessTokenClaims } from "@wcs/domain/access/AccessToken"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { signingMillis, uses } from "@wcs/domain/token/SigningKey"
import * as AccessTokens from "@wcs/keys/AccessTokens"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose"
import { sealing, withStore } from "./Stored.ts"

const claims: AccessTokenClaims = {
  issuer: "https://tenant.example",
  tenantId: "tnt_0000000000000001",
  clientId: "wcs_oauth_0000000000000001",
  subject: "urn:wcs:account:acc_0000000000000001",
  tokenId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  issuedAt: 1000,
  expiresAt: 4600
}

const { retiredMillis } = uses.access

const kidOf = (token: string) => decodeProtectedHeader(token).kid
const storedKeys = AccessStore.use((access) => access.listSigningKeys)

/** Counts reads and inserts of signing keys. With `epochStands` the epoch does not move. */
const counting = (epochStands = false) =>
  Effect.map(AccessStore, (access) => {
    let reads = 0
    let inserts = 0
    const spied = AccessStore.of({
      ...access,
      epoch: epochStands ? () => 0 : access.epoch,
      listSigningKeys: Effect.suspend(() => {
        reads++
        return access.listSigningKeys
      }),
      insertSigningKey: (...args) =>
        Effect.suspend(() => {
          inserts++
          return access.insertSigningKey(...args)
        })
    })
    return { spied, reads: () => reads, inserts: () => inserts }
  })

describe("AccessTokens", () => {
  it.effect("reads back the claims that it signed", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      assert.deepStrictEqual(yield* tokens.verify(yield* tokens.sign(claims)), Option.some(claims))
    }).pipe(withStore)
  )

  it.effect("OAU-03: a token is a JWT of three parts with the type and audience of RFC 9068", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      const token = yield* tokens.sign(claims)
      const [key] = yield* storedKeys
      assert.lengthOf(token.split("."), 3)
      assert.deepStrictEqual(decodeProtectedHeader(token), { alg: "EdDSA", typ: "at+jwt", kid: key?.kid ?? "" })
      assert.deepStrictEqual(decodeJwt(token), {
        iss: claims.issuer,
        aud: "wcs/openapi/v1",
        tenant: claims.tenantId,
        client_id: claims.clientId,
        sub: claims.subject,
        jti: claims.tokenId,
        iat: 1000,
        exp: 4600
      })
    }).pipe(withStore)
  )

  it.effect("accepts an expired token: expiry is the caller's check", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      const token = yield* tokens.sign(claims)
      yield* TestClock.adjust("80 days")
      assert.deepStrictEqual(yield* tokens.verify(token), Option.some(claims))
    }).pipe(withStore)
  )

  it.effect("accepts tokens of the release before, whose issuer was no origin, and no other issuer", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      for (const [issuer, isAccepted] of [
        ["wcs", true],
        ["https://tenant.example:8443", true],
        ["http://tenant.example", false],
        ["", false]
      ] as const) {
        const verified = yield* tokens.verify(yield* tokens.sign({ ...claims, issuer }))
        assert.strictEqual(Option.isSome(verified), isAccepted, issuer)
      }
    }).pipe(withStore)
  )
})

describe("AccessTokens: JWKS", () => {
  it.effect("publishes public halves only", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      const [key] = yield* storedKeys
      const published = yield* tokens.jwks
      assert.lengthOf(published, 1)
      assert.hasAllKeys(published[0], ["kty", "crv", "alg", "use", "kid", "x"])
      assert.include(published[0], { kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig", kid: key?.kid ?? "" })
    }).pipe(withStore)
  )

  it.effect("publishes keys that suffice to verify a token elsewhere", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      const token = yield* tokens.sign(claims)
      const [published] = yield* tokens.jwks
      const keySet = createLocalJWKSet({ keys: [{ kty: "OKP", ...published }] })
      const demands = {
        issuer: claims.issuer,
        audience: "wcs/openapi/v1",
        typ: "at+jwt",
        currentDate: new Date(1_001_000)
      }
      const { payload } = yield* Effect.promise(() => jwtVerify(token, keySet, demands))
      assert.strictEqual(payload.sub, claims.subject)
    }).pipe(withStore)
  )
})

describe("AccessTokens: two overlapping keys", () => {
  it.effect("the newest signs until it is 90 days old; the previous one verifies for a day more", () =>
    Effect.gen(function* () {
      const tokens = yield* AccessTokens.make
      const first = yield* tokens.sign(claims)
      yield* TestClock.setTime(signingMillis - 1)
      const last = yield* tokens.sign(claims)
      assert.strictEqual(kidOf(last), kidOf(first))
      yield* TestClock.setTime(signingMillis)
      const next = yield* tokens.sign(claims)
      assert.notStrictEqual(kidOf(next), kidOf(first))
      yield* TestClock.setTime(signingMillis + retiredMillis - 1)
      assert.deepStrictEqual(yield* tokens.verify(last), Option.some(claims))
      assert.deepStrictEqual(yield* tokens.verify(next), Option.some(claims))
      assert.deepStrictEqual(
        (yield* tokens.jwks).map(({ kid }) => kid),
        [kidOf(next) ?? "", kidOf(first) ?? ""]
      )
      yield* TestClock.setTime(signingMillis + retiredMillis)
      assert.deepStrictEqual(yield* tokens.verify(last), Option.none())
      assert.deepStrictEqual(yield* tokens.verify(next), Option.some(claims))
      assert.deepStrictEqual(
        (yield* tokens.jwks).map(({ kid }) => kid),
        [kidOf(next) ?? ""]
      )
    }).pipe(withStore)
  )

  it.effect("concurrent starts create one key, and concurrent rotations one more", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all(
        Array.from({ length: 5 }, () => AccessTokens.make),
        { concurrency: "unbounded" }
      )
      const signAll = Effect.forEach(processes, (tokens) => tokens.sign(claims), { concurrency: "unbounded" })
      assert.strictEqual(new Set((yield* signAll).map(kidOf)).size, 1)
      assert.lengthOf(yield* storedKeys, 1)
      yield* TestClock.setTime(signingMillis)
      assert.strictEqual(new Set((yield* signAll).map(kidOf)).size, 1)
      assert.lengthOf(yield* storedKeys, 2)
    }).pipe(withStore)
  )

  it.effect("concurrent first calls of sign in one process create one key", () =>
    Effect.gen(function* () {
      const { inserts, spied } = yield* counting()
      const tokens = yield* Effect.provideService(AccessTokens.make, AccessStore, spied)
      yield* TestClock.setTime(signingMillis)
      const signed = yield* Effect.replicateEffect(tokens.sign(claims), 20, { concurrency: "unbounded" })
      assert.strictEqual(new Set(signed.map(kidOf)).size, 1)
      assert.lengthOf(yield* storedKeys, 2)
      assert.strictEqual(inserts(), 2)
    }).pipe(withStore)
  )

  it.effect("accepts a token of another process's new key before the epoch rises", () =>
    Effect.gen(function* () {
      const { spied } = yield* counting(true)
      const one = yield* Effect.provideService(AccessTokens.make, AccessStore, spied)
      const two = yield* Effect.provideService(AccessTokens.make, AccessStore, spied)
      yield* TestClock.setTime(signingMillis)
      assert.deepStrictEqual(yield* two.verify(yield* one.sign(claims)), Option.some(claims))
    }).pipe(withStore)
  )

  it.effect("publishes another process's new key after the epoch rises", () =>
    Effect.gen(function* () {
      const one = yield* AccessTokens.make
      const two = yield* AccessTokens.make
      yield* TestClock.setTime(signingMillis)
      yield* one.sign(claims)
      assert.lengthOf(yield* two.jwks, 2)
      assert.deepStrictEqual(yield* two.jwks, yield* one.jwks)
    }).pipe(withStore)
  )

  it.effect("keys are read once per epoch for any number of verifications", () =>
    Effect.gen(function* () {
      const { reads, spied } = yield* counting()
      const tokens = yield* Effect.provideService(AccessTokens.make, AccessStore, spied)
      const token = yield* tokens.sign(claims)
      yield* tokens.verify(token)
      const before = reads()
      yield* Effect.replicateEffect(tokens.verify(token), 100, { concurrency: "unbounded" })
      assert.strictEqual(reads(), before)
    }).pipe(withStore)
  )

  it.effect("threat 5: tokens of unknown keys cause at most one read of the keys a second", () =>
    Effect.gen(function* () {
      const { reads, spied } = yield* counting(true)
      const tokens = yield* Effect.provideService(AccessTokens.make, AccessStore, spied)
      const token = yield* tokens.sign(claims)
      const header = Buffer.from(JSON.stringify({ alg: "EdDSA", typ: "at+jwt", kid: "x".repeat(43) }))
      const unknown = [header.toString("base64url"), ...token.split(".").slice(1)].join(".")
      const before = reads()
      yield* TestClock.adjust("1 second")
      yield* Effect.replicateEffect(tokens.verify(unknown), 100, { concurrency: "unbounded" })
      assert.strictEqual(reads(), before + 1)
      yield* TestClock.adjust("999 millis")
      yield* tokens.verify(unknown)
      assert.strictEqual(reads(), before + 1)
      yield* TestClock.adjust("1 milli")
      yield* tokens.verify(unknown)
      assert.strictEqual(reads(), before + 2)
    }).pipe(withStore)
  )
})

describe("AccessTokens: kids", () => {
  it.effect("threat 5: a malformed kid never causes a read of the keys", () =>
    Effect.gen(function* () {
      const { reads, spied } = yield* counting(true)
      const tokens = yield* Effect.provideService(AccessTokens.make, AccessStore, spied)
      const token = yield* tokens.sign(claims)
      const before = reads()
      for (const kid of ["", "../../dev/null", "x".repeat(42), "x".repeat(44), "' OR 1=1 --".padEnd(43), 7, null]) {
        yield* TestClock.adjust("1 hour")
        const header = Buffer.from(JSON.stringify({ alg: "EdDSA", typ: "at+jwt", kid }))
        const forged = [header.toString("base64url"), ...token.split(".").slice(1)].join(".")
        assert.deepStrictEqual(yield* tokens.verify(forged), Option.none())
      }
      assert.strictEqual(reads(), before)
    }).pipe(withStore)
  )
})

describe("AccessTokens: the master key", () => {
  /** Signing keys in the store, and the result of a start under another master key. */
  const startWithAnother = Effect.gen(function* () {
    const started = yield* Effect.result(Effect.provide(AccessTokens.make, sealing(2), { local: true }))
    return { started, keys: yield* storedKeys, epoch: (yield* AccessStore).epoch() }
  })

  for (const [name, age] of [
    ["a current key", 0],
    ["only a key retired long ago", 10 * signingMillis]
  ] as const) {
    it.effect(`threat 34: refuses another master key at start and writes nothing, with ${name} in the store`, () =>
      Effect.gen(function* () {
        yield* AccessTokens.make
        yield* TestClock.setTime(age)
        const keys = yield* storedKeys
        const epoch = (yield* AccessStore).epoch()
        const after = yield* startWithAnother
        assert.isTrue(Result.isFailure(after.started))
        if (Result.isFailure(after.started)) {
          assert.strictEqual(after.started.failure._tag, "MasterKeyMismatch")
          assert.include(after.started.failure.message, `signing key ${keys[0]?.kid}`)
        }
        assert.deepStrictEqual({ keys: after.keys, epoch: after.epoch }, { keys, epoch })
      }).pipe(withStore)
    )
  }

  it.effect("opens the keys of an earlier start with the same master key", () =>
    Effect.gen(function* () {
      const token = yield* (yield* AccessTokens.make).sign(claims)
      const again = yield* AccessTokens.make
      assert.deepStrictEqual(yield* again.verify(token), Option.some(claims))
      assert.lengthOf(yield* storedKeys, 1)
    }).pipe(withStore)
  )

  it.effect("threat 10: the store holds no private key in clear", () =>
    Effect.gen(function* () {
      yield* AccessTokens.make
      for (const { sealedPrivateKey } of yield* storedKeys) {
        assert.match(sealedPrivateKey, /^v1\.[\w-]+$/)
        assert.notInclude(Buffer.from(sealedPrivateKey.slice(3), "base64url").toString("latin1"), "OKP")
      }
    }).pipe(withStore)
  )
})
