import { assert, describe, layer } from "@effect/vitest"
import { AccessTokens as AccessTokensPort } from "@wcs/domain/access/AccessToken"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { type LegacyTokenClaims, LegacyTokens as Port } from "@wcs/domain/token/LegacyToken"
import * as AccessTokens from "@wcs/keys/AccessTokens"
import * as LegacyTokens from "@wcs/keys/LegacyTokens"
import { open } from "@wcs/keys/SigningKeyPair"
import { Effect, Layer, Option } from "effect"
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose"
import { store } from "./Stored.ts"

const deployment = Layer.mergeAll(LegacyTokens.layer, AccessTokens.layer).pipe(Layer.provideMerge(store))

const claims: LegacyTokenClaims = {
  tenantId: "tnt_0000000000000001",
  accountId: "acc_0000000000000001",
  tokenId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  issuedAt: 1000,
  expiresAt: 2_593_000
}

const accessClaims = {
  issuer: "https://acme.example",
  tenantId: claims.tenantId,
  clientId: "wcs_oauth_0000000000000001",
  subject: "urn:wcs:account:acc_0000000000000001",
  tokenId: claims.tokenId,
  issuedAt: 1000,
  expiresAt: 4600
}

describe("LegacyTokens", () => {
  layer(deployment)("legacy tokens", (it) => {
    it.effect("LEG-06, LEG-07: a token is a JWT of three parts with integer iat and exp, and reads back", () =>
      Effect.gen(function* () {
        const tokens = yield* Port
        const token = yield* tokens.sign(claims)
        assert.lengthOf(token.split("."), 3)
        assert.deepStrictEqual(decodeJwt(token), {
          iss: "wcs",
          aud: "wcs/api",
          tenant: claims.tenantId,
          sub: claims.accountId,
          jti: claims.tokenId,
          iat: 1000,
          exp: 2_593_000
        })
        assert.deepStrictEqual(yield* tokens.verify(token), Option.some(claims))
      })
    )

    it.effect("has keys of its own, and neither surface reads the other's tokens", () =>
      Effect.gen(function* () {
        const [access, legacy] = [yield* AccessTokensPort, yield* Port]
        const [accessToken, legacyToken] = [yield* access.sign(accessClaims), yield* legacy.sign(claims)]
        assert.deepStrictEqual(yield* access.verify(legacyToken), Option.none())
        assert.deepStrictEqual(yield* legacy.verify(accessToken), Option.none())
        const keys = yield* AccessStore.use((store) => store.listSigningKeys)
        const useOf = (token: string) => keys.find(({ kid }) => kid === decodeProtectedHeader(token).kid)?.use
        assert.deepStrictEqual([useOf(accessToken), useOf(legacyToken)], ["access", "legacy"])
        assert.notInclude(
          (yield* access.jwks).map(({ kid }) => kid),
          decodeProtectedHeader(legacyToken).kid
        )
      })
    )

    it.effect("our key under the other surface's type, audience or use makes no valid token there (threat 6)", () =>
      Effect.gen(function* () {
        const [access, legacy] = [yield* AccessTokensPort, yield* Port]
        const payloads = {
          access: decodeJwt(yield* access.sign(accessClaims)),
          legacy: decodeJwt(yield* legacy.sign(claims))
        }
        for (const key of yield* AccessStore.use((store) => store.listSigningKeys)) {
          const { kid, privateKey } = yield* open(key)
          for (const typ of ["JWT", "at+jwt"]) {
            for (const [use, payload] of Object.entries(payloads)) {
              const token = yield* Effect.promise(() =>
                new SignJWT(payload).setProtectedHeader({ alg: "EdDSA", typ, kid }).sign(privateKey)
              )
              const isAccess = key.use === "access" && typ === "at+jwt" && use === "access"
              const isLegacy = key.use === "legacy" && typ === "JWT" && use === "legacy"
              const told = `${key.use} ${typ} ${use}`
              assert.strictEqual(Option.isSome(yield* access.verify(token)), isAccess, told)
              assert.strictEqual(Option.isSome(yield* legacy.verify(token)), isLegacy, told)
            }
          }
          const swapped = { ...key, use: key.use === "access" ? "legacy" : "access" } as const
          assert.strictEqual((yield* Effect.flip(open(swapped)))._tag, "SealBroken", "a key whose use was changed")
        }
      })
    )
  })
})
