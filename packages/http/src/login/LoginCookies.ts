import { lifetimeMillis as halfLifetimeMillis } from "@wcs/domain/login/HalfLogin"
import { lifetimeMillis as deviceLifetimeMillis } from "@wcs/domain/login/KnownDevice"
import { pendingLifetimeMillis } from "@wcs/domain/single-sign-on/PendingLogin"
import { Duration, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { cookieOf } from "../request/FieldValue.ts"
import type { Incoming } from "../request/Incoming.ts"

// The prefix binds the cookie to this host. Sibling hosts cannot set it (RFC 6265bis, section 4.1.3.2).
const names = {
  session: "__Host-wcs",
  half: "__Host-wcs-login",
  device: "__Host-wcs-device",
  signOn: "__Host-wcs-sso",
  answer: "__Host-wcs-answer"
} as const

/** The cookies of web login: session, unfinished login, known device, pending single sign-on, and the device that answers a request. */
export type LoginCookie = keyof typeof names

// Identity providers answer with a cross-site post, and a link in a mail is opened from another site. Browsers would not
// send a stricter cookie with it.
const sameSites: Partial<Record<LoginCookie, "none" | "lax">> = { signOn: "none", answer: "lax" }

const attributesOf = (cookie: LoginCookie) =>
  ({ httpOnly: true, secure: true, sameSite: sameSites[cookie] ?? "strict", path: "/" }) as const

/** The cookies of a session and of an answer have no lifetime here. The server limits the session, and the request ends. */
const lifetimesMillis: Partial<Record<LoginCookie, number>> = {
  half: halfLifetimeMillis,
  device: deviceLifetimeMillis,
  signOn: pendingLifetimeMillis
}

type Request = Pick<Incoming, "headers">

/**
 * Returns the name of a cookie at the port of the request. Browsers share cookies among the ports of a host, so servers
 * on other ports have cookies of other names.
 */
const nameOf = ({ headers }: Request, cookie: LoginCookie): string => {
  const port = /:([1-9]\d{0,4})$/.exec(headers["host"] ?? "")?.[1] ?? "443"
  return port === "443" ? names[cookie] : `${names[cookie]}-${port}`
}

/** Returns the value of the cookie. Empty if absent. */
export const read = (request: Request, cookie: LoginCookie): Redacted.Redacted =>
  Redacted.make(cookieOf(request.headers["cookie"], nameOf(request, cookie)))

export const set = (
  response: HttpServerResponse.HttpServerResponse,
  request: Request,
  cookie: LoginCookie,
  value: Redacted.Redacted
): HttpServerResponse.HttpServerResponse => {
  const millis = lifetimesMillis[cookie]
  const maxAge = millis === undefined ? {} : { maxAge: Duration.millis(millis) }
  return HttpServerResponse.setCookieUnsafe(response, nameOf(request, cookie), Redacted.value(value), {
    ...attributesOf(cookie),
    ...maxAge
  })
}

export const clear = (
  response: HttpServerResponse.HttpServerResponse,
  request: Request,
  cookie: LoginCookie
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.expireCookieUnsafe(response, nameOf(request, cookie), attributesOf(cookie))
