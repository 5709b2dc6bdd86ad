import { assert, describe, it } from "@effect/vitest"
import type { SealClaim } from "@wcs/domain/audit/AuditSeal"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { signingMillis } from "@wcs/domain/token/SigningKey"
import * as AccessTokens from "@wcs/keys/AccessTokens"
import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { sealing, withStore } from "./Stored.ts"

const claim: SealClaim = { tenant: "tnt_0000000000000001", number: 3, hash: "ab".repeat(32) }

describe("AuditSignatures", () => {
  it.effect("are verified with only the public keys, after any number of rotations", () =>
    Effect.gen(function* () {
      const signatures = yield* AuditSignatures.make
      const signed: Array<string> = []
      for (let year = 0; year < 3; year++) {
        signed.push(yield* signatures.sign({ ...claim, number: year }))
        yield* TestClock.adjust(4 * signingMillis)
      }
      const keys = yield* signatures.keys
      assert.lengthOf(keys, 3)
      const verify = yield* AuditSignatures.verifierOf(keys)
      for (const [number, signature] of signed.entries()) {
        assert.deepStrictEqual(yield* verify(signature), Option.some({ ...claim, number }))
        assert.deepStrictEqual(AuditSignatures.kidOf(signature), Option.some(keys.at(-1 - number)?.["kid"] ?? ""))
      }
    }).pipe(withStore)
  )

  it.effect("are not accepted from another key under the same kid, from tokens, or altered", () =>
    Effect.gen(function* () {
      const signatures = yield* AuditSignatures.make
      const tokens = yield* AccessTokens.make
      const signature = yield* signatures.sign(claim)
      const [ours] = yield* signatures.keys
      const [token] = yield* tokens.jwks
      const verify = yield* AuditSignatures.verifierOf(ours === undefined ? [] : [ours])
      assert.deepStrictEqual(yield* verify(signature), Option.some(claim))
      const [header, payload, end] = signature.split(".")
      const other = (yield* signatures.sign({ ...claim, number: 4 })).split(".")
      for (const bad of ["", "x", `${header}.${other[1]}.${end}`, `${header}.${payload}.${other[2]}`])
        assert.deepStrictEqual(yield* verify(bad), Option.none())
      const forged = yield* AuditSignatures.verifierOf([{ ...token, kid: ours?.["kid"] ?? "" }])
      assert.deepStrictEqual(yield* forged(signature), Option.none())
      const accessToken = yield* tokens.sign({
        issuer: "https://acme.example",
        tenantId: claim.tenant,
        clientId: "wcs_oauth_0000000000000001",
        subject: "urn:wcs:account:acc_0000000000000001",
        tokenId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        issuedAt: 1,
        expiresAt: 2
      })
      const all = yield* AuditSignatures.verifierOf([ours, token].filter((key) => key !== undefined))
      assert.deepStrictEqual(yield* all(accessToken), Option.none())
      assert.deepStrictEqual(AuditSignatures.kidOf("x"), Option.none())
    }).pipe(withStore)
  )

  it.effect("threat 34: creates no key under another master key than that of the other keys", () =>
    Effect.gen(function* () {
      yield* AccessTokens.make
      const before = yield* AccessStore.use(({ listSigningKeys }) => listSigningKeys)
      const mismatch = yield* Effect.flip(Effect.provide(AuditSignatures.make, sealing(2), { local: true }))
      assert.strictEqual(mismatch._tag, "MasterKeyMismatch")
      assert.deepStrictEqual(yield* AccessStore.use(({ listSigningKeys }) => listSigningKeys), before)
    }).pipe(withStore)
  )
})
