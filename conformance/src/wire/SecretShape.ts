import { Schema } from "effect"
import { jwtOf } from "./Jwt.ts"

/** The facts about a secret that rules judge and that grant no access. */
export const SecretShape = Schema.Struct({
  length: Schema.Int,
  /** Whether a header can carry it: printable ASCII only (RFC 6749, appendix A.12). */
  isSendable: Schema.Boolean,
  /** Whether a form carries it unchanged. */
  isPlain: Schema.Boolean,
  /** Whether a part of it is masked. */
  isMasked: Schema.Boolean,
  /** The number of parts between dots. */
  parts: Schema.Int,
  /** Whether it is three parts of base64url. */
  isCompact: Schema.Boolean,
  /** The times of a JWT. */
  jwt: Schema.optionalKey(Schema.Struct({ iat: Schema.Json, exp: Schema.Json }))
})
export type SecretShape = typeof SecretShape.Type

/** The text in a form (`application/x-www-form-urlencoded`). */
export const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** The seconds from issue to expiry of a JWT; undefined if it does not say them. */
export const lifetimeOf = ({ jwt }: SecretShape): number | undefined => {
  const { exp, iat } = jwt ?? {}
  return typeof exp === "number" && typeof iat === "number" ? exp - iat : undefined
}

/** The shape of a text that is no handle. */
export const shapeOf = (text: string): SecretShape => {
  const payload = jwtOf(text)?.payload
  return {
    length: text.length,
    isSendable: /^[\x21-\x7e]+$/.test(text),
    isPlain: formEncoded(text) === text,
    isMasked: /[*•…]/.test(text),
    parts: text.split(".").length,
    isCompact: /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text),
    ...(payload && { jwt: { iat: payload["iat"] ?? null, exp: payload["exp"] ?? null } })
  }
}
