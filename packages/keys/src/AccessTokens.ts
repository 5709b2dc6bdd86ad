import { type AccessTokenClaims, AccessTokens, authorityOf, plainIssuer } from "@wcs/domain/access/AccessToken"
import { Effect, Layer, Option, Schema } from "effect"
import { makeCompactTokens } from "./CompactTokens.ts"
import * as KeyRing from "./KeyRing.ts"
import * as SigningKeyPair from "./SigningKeyPair.ts"

/** The audience of access tokens: the newer surface only. */
export const audience = "wcs/openapi/v1"

const tokenType = "at+jwt" // RFC 9068, section 2.1

const Payload = Schema.Struct({
  iss: Schema.String,
  aud: Schema.Literal(audience),
  tenant: Schema.String,
  client_id: Schema.String,
  sub: Schema.String,
  jti: Schema.String,
  iat: Schema.Int,
  exp: Schema.Int
})

export const make = Effect.gen(function* () {
  const ring = yield* KeyRing.make("access")
  const tokens = makeCompactTokens(ring, tokenType, Payload)

  return AccessTokens.of({
    sign: Effect.fn("AccessTokens.sign")(({ clientId, expiresAt, issuedAt, issuer, subject, tenantId, tokenId }) =>
      tokens.sign({
        iss: issuer,
        aud: audience,
        tenant: tenantId,
        client_id: clientId,
        sub: subject,
        jti: tokenId,
        iat: issuedAt,
        exp: expiresAt
      })
    ),

    verify: (token) =>
      Effect.map(tokens.verify(token), (verified) =>
        verified.pipe(
          Option.filter(({ iss }) => iss === plainIssuer || authorityOf(iss) !== undefined),
          Option.map(
            (claims): AccessTokenClaims => ({
              issuer: claims.iss,
              tenantId: claims.tenant,
              clientId: claims.client_id,
              subject: claims.sub,
              tokenId: claims.jti,
              issuedAt: claims.iat,
              expiresAt: claims.exp
            })
          )
        )
      ),

    jwks: Effect.map(ring.allVerifying, (keys) => keys.map(SigningKeyPair.publicJwk))
  })
})

export const layer = Layer.effect(AccessTokens, make)
