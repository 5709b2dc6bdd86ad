import { Login } from "@wcs/domain/login/Login"
import type { SetUp } from "@wcs/domain/login/SetUp"
import { UnknownPath } from "@wcs/domain/service/HttpRefusal"
import { ErrorCodes } from "@wcs/domain/service/Refusals"
import { wantsPage } from "@wcs/http/ConsoleRoutes"
import { html } from "@wcs/http/Html"
import { finish } from "@wcs/http/login/LoginRoutes"
import { page } from "@wcs/http/login/Page"
import type { Call } from "@wcs/http/pipeline/Call"
import { route } from "@wcs/http/pipeline/Route"
import { answerOf } from "@wcs/http/refusal/Refused"
import { readText } from "@wcs/http/request/RequestBody"
import { Effect, Redacted, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

/** The path of the set-up page, without the token. */
export const setUpPath = "/setup"

const bodyLimitBytes = 4096

// The URL contains a secret.
const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" }

const form = HttpServerResponse.setHeaders(
  page(
    "Set up",
    html`<p>Create the first Super Admin. The next page sets up an authenticator app. This page works only once.</p>
<form method="post"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="10" maxlength="128" required>
<button>Create the first Super Admin</button></form>`
  ),
  headers
)

const JsonBody = Schema.fromJsonString(
  Schema.Struct({ email: Schema.String, password: Schema.optionalKey(Schema.String) })
)

interface Fields {
  readonly email: string
  readonly password?: string
}

/** Reads the fields of a form or JSON. A missing email is empty and is refused as an invalid email. */
const fieldsOf = (contentType: string, text: string): Effect.Effect<Fields> => {
  if (contentType.startsWith("application/json")) {
    return Effect.orElseSucceed(Schema.decodeUnknownEffect(JsonBody)(text), () => ({ email: "" }))
  }
  const form = new URLSearchParams(text)
  const password = form.get("password")
  return Effect.succeed({ email: form.get("email") ?? "", ...(password === null ? {} : { password }) })
}

const answerToken = (token: Redacted.Redacted, asPage: boolean) =>
  asPage
    ? HttpServerResponse.setHeaders(
        page(
          "Done",
          html`<p>Your personal token. It is shown only once:</p><p><code>${Redacted.value(token)}</code></p>`
        ),
        headers
      )
    : HttpServerResponse.jsonUnsafe({ token: Redacted.value(token) }, { status: 201, headers })

/** Continues as a login. A Super Admin enrols an app next. */
const logIn = (login: Login["Service"], { tenant }: SetUp["Service"]) => {
  return (call: Call, email: string, password: Redacted.Redacted) => {
    const { address, request } = call
    const browser = { address, userAgent: request.headers["user-agent"] ?? "", device: Redacted.make("") }
    return Effect.match(login.password(tenant, email, password, browser), {
      onSuccess: (outcome) => finish({ call, wantsJson: !wantsPage(request) }, outcome),
      // The account exists. If this login fails, the user can still log in on the login page.
      onFailure: () => HttpServerResponse.redirect("/login", { status: 303 })
    })
  }
}

/**
 * Returns the route of the set-up page. `GET` shows a form. `POST` creates the first Super Admin. With a password it
 * continues to the login; without a password it returns a personal token. All other requests get the response of an
 * unknown path.
 */
export const make = Effect.fnUntraced(function* (setUp: SetUp["Service"]) {
  const codes = yield* ErrorCodes
  const continueAs = logIn(yield* Login, setUp)

  const claim = Effect.fnUntraced(function* (call: Call, token: string) {
    yield* setUp.check(token)
    const text = yield* readText(call, bodyLimitBytes)
    const { email, password } = yield* fieldsOf(call.request.headers["content-type"] ?? "", text)
    if (password === undefined) return answerToken(yield* setUp.claim(token, email), wantsPage(call.request))
    const secret = Redacted.make(password)
    yield* setUp.claimLogin(token, email, secret)
    return HttpServerResponse.setHeaders(yield* continueAs(call, email, secret), headers)
  })

  return route("*", `${setUpPath}/:token`, (call) => {
    const token = call.params["token"] ?? ""
    switch (call.request.method) {
      case "GET":
        return Effect.mapBoth(setUp.check(token), { onFailure: () => new UnknownPath(), onSuccess: () => form })
      case "POST":
        return Effect.mapError(claim(call, token), (refusal) =>
          refusal._tag === "NoSetUp"
            ? new UnknownPath()
            : HttpServerResponse.setHeaders(answerOf(codes, refusal, call.requestId), headers)
        )
      default:
        return Effect.fail(new UnknownPath())
    }
  })
})
