import type { ClientCredentials } from "@wcs/domain/token/TokenExchange"
import { Option, Redacted, Result } from "effect"
import * as BasicCredentials from "../request/BasicCredentials.ts"

/** The grant and the client of a token request. */
export interface Grant {
  readonly grantType: string | undefined
  readonly client: Option.Option<ClientCredentials>
  readonly viaBasic: boolean
}

/** RFC 6749, section 2.3.1, form-encodes both parts, but many clients do not. Our ids and secrets need no encoding. */
const formDecoded = (text: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(text.replaceAll("+", " "))),
    () => text
  )

const basicClient = (authorization: string | undefined): Option.Option<ClientCredentials> =>
  Option.map(BasicCredentials.read(authorization), ({ password, username }) => ({
    clientId: formDecoded(username),
    clientSecret: Redacted.make(formDecoded(Redacted.value(password)))
  }))

/**
 * Returns the client of a request. Full credentials in the body take precedence over Basic (§4.2). A `client_id`
 * without a secret must match the Basic user. Other partial credentials name no client (DECISIONS.md#access).
 */
export const clientOf = (form: URLSearchParams, authorization: string | undefined): Grant["client"] => {
  // A parameter without a value counts as absent (RFC 6749, section 3.2).
  const clientId = form.get("client_id") || undefined
  const clientSecret = form.get("client_secret") || undefined
  if (clientId !== undefined && clientSecret !== undefined) {
    return Option.some({ clientId, clientSecret: Redacted.make(clientSecret) })
  }
  if (clientSecret !== undefined) return Option.none()
  const basic = basicClient(authorization)
  return clientId === undefined ? basic : Option.filter(basic, (client) => client.clientId === clientId)
}

/** Returns the name of a repeated parameter, which is not allowed (RFC 6749, section 3.2). */
export const repeatedParameter = (form: URLSearchParams): string | undefined =>
  [...form.keys()].find((name, index, names) => names.indexOf(name) !== index)

/** Reads the form and the header of a token request. */
export const read = (form: URLSearchParams, authorization: string | undefined): Grant => ({
  grantType: form.get("grant_type") || undefined,
  client: clientOf(form, authorization),
  viaBasic: /^basic(?:[ \t]|$)/i.test(authorization ?? "")
})
