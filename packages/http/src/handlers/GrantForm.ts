import type { ClientCredentials } from "@wcs/domain/access/TokenExchange"
import { Option, Redacted, Result } from "effect"
import * as BasicCredentials from "../request/BasicCredentials.ts"

/** What the form and the header of a token request say. */
export interface Grant {
  readonly grantType: string | undefined
  readonly client: Option.Option<ClientCredentials>
  readonly viaBasic: boolean
}

/** RFC 6749, section 2.3.1, has both halves form-encoded; many callers send them raw. For our alphabet both agree. */
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
 * Which client a request names. The body wins when both are given (§4.2); a lone `client_id` beside Basic must
 * say the same, and then Basic counts; any other half names nobody (DECISIONS.md#access).
 */
export const clientOf = (form: URLSearchParams, authorization: string | undefined): Grant["client"] => {
  // A parameter without a value counts as left out (RFC 6749, section 3.2).
  const clientId = form.get("client_id") || undefined
  const clientSecret = form.get("client_secret") || undefined
  if (clientId !== undefined && clientSecret !== undefined) {
    return Option.some({ clientId, clientSecret: Redacted.make(clientSecret) })
  }
  if (clientSecret !== undefined) return Option.none()
  const basic = basicClient(authorization)
  return clientId === undefined ? basic : Option.filter(basic, (client) => client.clientId === clientId)
}

/** Whether a parameter is there twice, which no request may (RFC 6749, section 3.2). */
export const repeatedParameter = (form: URLSearchParams): string | undefined =>
  [...form.keys()].find((name, index, names) => names.indexOf(name) !== index)

/** Reads a token request's form and header. */
export const read = (form: URLSearchParams, authorization: string | undefined): Grant => ({
  grantType: form.get("grant_type") || undefined,
  client: clientOf(form, authorization),
  viaBasic: /^basic(\s|$)/i.test(authorization ?? "")
})
