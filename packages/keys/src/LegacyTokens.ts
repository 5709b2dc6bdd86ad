import { plainIssuer } from "@wcs/domain/access/AccessToken"
import { type LegacyTokenClaims, LegacyTokens } from "@wcs/domain/token/LegacyToken"
import { Effect, Layer, Option, Schema } from "effect"
import { makeCompactTokens } from "./CompactTokens.ts"
import * as KeyRing from "./KeyRing.ts"

/** The audience of legacy tokens: the legacy surface only. */
export const audience = "wcs/api"

const Payload = Schema.Struct({
  iss: Schema.String,
  aud: Schema.Literal(audience),
  tenant: Schema.String,
  sub: Schema.String,
  jti: Schema.String,
  iat: Schema.Int,
  exp: Schema.Int
})

export const make = Effect.gen(function* () {
  const tokens = makeCompactTokens(yield* KeyRing.make("legacy"), "JWT", Payload)

  return LegacyTokens.of({
    sign: Effect.fn("LegacyTokens.sign")(({ accountId, expiresAt, issuedAt, tenantId, tokenId }) =>
      tokens.sign({
        iss: plainIssuer,
        aud: audience,
        tenant: tenantId,
        sub: accountId,
        jti: tokenId,
        iat: issuedAt,
        exp: expiresAt
      })
    ),

    verify: (token) =>
      Effect.map(tokens.verify(token), (verified) =>
        verified.pipe(
          Option.filter(({ iss }) => iss === plainIssuer),
          Option.map(
            (claims): LegacyTokenClaims => ({
              tenantId: claims.tenant,
              accountId: claims.sub,
              tokenId: claims.jti,
              issuedAt: claims.iat,
              expiresAt: claims.exp
            })
          )
        )
      )
  })
})

export const layer = Layer.effect(LegacyTokens, make)
