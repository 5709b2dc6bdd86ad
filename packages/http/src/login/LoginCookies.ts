import { lifetimeMillis as halfLifetimeMillis } from "@wcs/domain/login/HalfLogin"
import { lifetimeMillis as deviceLifetimeMillis } from "@wcs/domain/login/KnownDevice"
import { pendingLifetimeMillis } from "@wcs/domain/single-sign-on/SingleSignOn"
import { Duration, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"

// The prefix binds a cookie to this very host: no sibling can set one for us (RFC 6265bis, section 4.1.3.2).
const names = {
  session: "__Host-wcs",
  half: "__Host-wcs-login",
  device: "__Host-wcs-device",
  signOn: "__Host-wcs-sso"
} as const

/** The cookies of web login: the session, the half login, the mark of a known device, and a pending single sign-on. */
export type LoginCookie = keyof typeof names

// The answer of an identity provider is a cross-site post, to which a stricter cookie is not added.
const attributesOf = (cookie: LoginCookie) =>
  ({ httpOnly: true, secure: true, sameSite: cookie === "signOn" ? "none" : "strict", path: "/" }) as const

/** A session's cookie ends with the browser; the server's limits end the session itself. */
const lifetimesMillis: Partial<Record<LoginCookie, number>> = {
  half: halfLifetimeMillis,
  device: deviceLifetimeMillis,
  signOn: pendingLifetimeMillis
}

/** The cookie's value; empty if the request has none. */
export const read = (
  request: Pick<HttpServerRequest.HttpServerRequest, "cookies">,
  cookie: LoginCookie
): Redacted.Redacted => Redacted.make(request.cookies[names[cookie]] ?? "")

export const set = (
  response: HttpServerResponse.HttpServerResponse,
  cookie: LoginCookie,
  value: Redacted.Redacted
): HttpServerResponse.HttpServerResponse => {
  const millis = lifetimesMillis[cookie]
  const maxAge = millis === undefined ? {} : { maxAge: Duration.millis(millis) }
  return HttpServerResponse.setCookieUnsafe(response, names[cookie], Redacted.value(value), {
    ...attributesOf(cookie),
    ...maxAge
  })
}

export const clear = (
  response: HttpServerResponse.HttpServerResponse,
  cookie: LoginCookie
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.expireCookieUnsafe(response, names[cookie], attributesOf(cookie))
