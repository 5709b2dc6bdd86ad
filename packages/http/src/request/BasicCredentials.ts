import { Option, Redacted, Result } from "effect"
import { Base64 } from "effect/encoding"

/** The credentials of a Basic header (RFC 7617). */
export interface BasicCredentials {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** Reads an `Authorization` header with the scheme Basic. None if malformed or of another scheme. */
export const read = (authorization: string | undefined): Option.Option<BasicCredentials> => {
  const encoded = /^basic +(\S+) *$/i.exec(authorization ?? "")?.[1]
  if (encoded === undefined) return Option.none()
  const decoded = Result.getOrElse(Base64.decodeString(encoded), () => "")
  const colon = decoded.indexOf(":")
  if (colon === -1) return Option.none()
  return Option.some({ username: decoded.slice(0, colon), password: Redacted.make(decoded.slice(colon + 1)) })
}
