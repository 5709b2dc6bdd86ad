import { Base64 } from "effect/encoding"

/** The id and secret of an OAuth client. */
export interface ClientPair {
  readonly id: string
  readonly secret: string
}

/** The form body of §4.2. */
export const clientForm = ({ id, secret }: ClientPair) => ({
  grant_type: "client_credentials",
  client_id: id,
  client_secret: secret
})

/** The form body if a Basic header names the client. */
export const bareForm = { grant_type: "client_credentials" }

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

const basicOf = (id: string, secret: string): string => `Basic ${Base64.encode(`${id}:${secret}`)}`

/**
 * Returns the Basic headers for an id and a secret. RFC 6749, section 2.3.1, form-encodes both before joining them, and
 * much software does not. There are two headers if the results differ.
 */
export const basicHeaders = ({ id, secret }: ClientPair): readonly [string, ...ReadonlyArray<string>] => {
  const asRead = basicOf(formEncoded(id), formEncoded(secret))
  const asIs = basicOf(id, secret)
  return asRead === asIs ? [asIs] : [asRead, asIs]
}
