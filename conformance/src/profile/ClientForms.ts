import { handle, handleOf } from "../text/Handle.ts"

/** The id and secret of an OAuth client: handles or texts. */
export interface ClientPair {
  readonly id: string
  readonly secret: string
  /** Whether a form carries both unchanged; default: by comparison. */
  readonly isPlain?: boolean
}

/** The form body of §4.2. */
export const clientForm = ({ id, secret }: ClientPair) => ({
  grant_type: "client_credentials",
  client_id: id,
  client_secret: secret
})

/** The form body if a Basic header names the client. */
export const bareForm = { grant_type: "client_credentials" }

/** A text in a form. The handle of a secret becomes the handle of its encoding. */
const formEncoded = (text: string): string =>
  text
    .split(handle)
    .map((part, index) =>
      index % 2 === 0 ? new URLSearchParams({ "": part }).toString().slice(1) : handleOf(`form-encoded ${part}`)
    )
    .join("")

/** The Basic header of an id and a secret. The wire encodes the pair in base64. */
export const basicOf = (id: string, secret: string): string => `Basic base64(${id}:${secret})`

/**
 * Returns the Basic headers for an id and a secret. RFC 6749, section 2.3.1, form-encodes both before joining them, and
 * much software does not. There are two headers if the results differ.
 */
export const basicHeaders = ({ id, isPlain, secret }: ClientPair): readonly [string, ...ReadonlyArray<string>] => {
  const asRead = basicOf(formEncoded(id), formEncoded(secret))
  const asIs = basicOf(id, secret)
  return (isPlain ?? asRead === asIs) ? [asIs] : [asRead, asIs]
}
