import { Effect, Option, Schema } from "effect"
import { compactVerify, decodeProtectedHeader, SignJWT } from "jose"
import type { KeyRing } from "./KeyRing.ts"
import * as SigningKeyPair from "./SigningKeyPair.ts"

/** A SHA-256 thumbprint. Any other kid is unknown without a lookup. */
const Kid = Schema.String.check(Schema.isPattern(/^[\w-]{43}$/))

/**
 * Three parts; the last is a signature of 64 bytes in 86 characters. The last character carries 2 bits, and only four
 * letters leave its other bits zero. Any other letter would be a second spelling of the same token.
 */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/

/** JWTs of one type in compact form (RFC 7515, section 7.1), signed with the keys of one ring. */
export interface CompactTokens<Payload> {
  /** Never fails. */
  readonly sign: (payload: Payload) => Effect.Effect<string>
  /** Returns the payload if the header and the signature are valid; otherwise none, without a reason. */
  readonly verify: (token: string) => Effect.Effect<Option.Option<Payload>>
}

/** The public keys whose signatures are accepted, by kid. */
export type VerifyingKeys = (
  kid: string
) => Effect.Effect<Option.Option<Pick<SigningKeyPair.SigningKeyPair, "publicKey">>>

/** Verifies tokens with this `typ` header (RFC 8725, section 3.11) and this payload. */
export const makeVerify = <Payload extends Record<string, unknown>>(
  verifying: VerifyingKeys,
  type: string,
  payloadSchema: Schema.Codec<Payload, Payload>
): CompactTokens<Payload>["verify"] => {
  /** Exactly the header that `sign` writes. A header with its own key (`jwk`, `jku`, `x5c`) is refused. */
  const Header = Schema.Struct({
    alg: Schema.Literal(SigningKeyPair.algorithm),
    typ: Schema.Literal(type),
    kid: Kid
  })
  const readHeader = Schema.decodeUnknownOption(Header, { onExcessProperty: "error" })
  const readPayload = Schema.decodeUnknownOption(Schema.fromJsonString(payloadSchema))

  return Effect.fnUntraced(function* (token) {
    if (!compactForm.test(token)) return Option.none()
    const header = Option.flatMap(Option.liftThrowable(() => decodeProtectedHeader(token))(), readHeader)
    if (Option.isNone(header)) return Option.none()
    const key = yield* verifying(header.value.kid)
    if (Option.isNone(key)) return Option.none()
    const verified = yield* Effect.option(
      Effect.tryPromise(() => compactVerify(token, key.value.publicKey, { algorithms: [SigningKeyPair.algorithm] }))
    )
    return Option.flatMap(verified, ({ payload }) => readPayload(new TextDecoder().decode(payload)))
  })
}

/** Signs and verifies tokens with this `typ` header and this payload, with the keys of a ring. */
export const makeCompactTokens = <Payload extends Record<string, unknown>>(
  ring: KeyRing,
  type: string,
  payloadSchema: Schema.Codec<Payload, Payload>
): CompactTokens<Payload> => ({
  sign: Effect.fnUntraced(function* (payload) {
    const { kid, privateKey } = yield* ring.current
    const header = { alg: SigningKeyPair.algorithm, typ: type, kid }
    return yield* Effect.promise(() => new SignJWT(payload).setProtectedHeader(header).sign(privateKey))
  }),
  verify: makeVerify(ring.verifying, type, payloadSchema)
})
