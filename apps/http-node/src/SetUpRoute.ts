import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { RequestId } from "@wcs/domain/RequestId"
import { SetUp } from "@wcs/domain/SetUp"
import type { Refusal } from "@wcs/http/RefusalText"
import { answerOf } from "@wcs/http/Refused"
import { readText } from "@wcs/http/RequestBody"
import { Effect, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"

/** The path of the set-up page, before its token. */
export const setUpPath = "/setup"

const bodyLimitBytes = 4096

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; form-action 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  // The URL is the secret.
  "referrer-policy": "no-referrer"
}

const page = (content: string) =>
  HttpServerResponse.text(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Set up</title>
<style>body{font:1rem/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}code{word-break:break-all}</style>
${content}</html>
`,
    { contentType: "text/html; charset=utf-8", headers }
  )

const form = page(`<h1>Workforce Compliance Service</h1>
<p>Make the first Super Admin. You get its personal token once; this page is gone afterwards.</p>
<form method="post"><label>Email <input name="email" type="email" required autofocus></label> <button>Make</button></form>`)

const JsonBody = Schema.fromJsonString(Schema.Struct({ email: Schema.String }))

/** The email of a form or of JSON; empty where there is none, which is no email. */
const emailOf = (contentType: string, text: string) =>
  contentType.startsWith("application/json")
    ? Effect.match(Schema.decodeUnknownEffect(JsonBody)(text), {
        onFailure: () => "",
        onSuccess: ({ email }) => email
      })
    : Effect.succeed(new URLSearchParams(text).get("email") ?? "")

const answerToken = (token: Redacted.Redacted, wantsPage: boolean) =>
  wantsPage
    ? page(`<h1>Done</h1><p>The personal token, shown this once:</p><p><code>${Redacted.value(token)}</code></p>`)
    : HttpServerResponse.jsonUnsafe({ token: Redacted.value(token) }, { status: 201, headers })

/** `GET` shows a form, `POST` makes the first Super Admin; whatever is not in order is as if there were no such page. */
const handle = Effect.fnUntraced(function* (setUp: SetUp["Service"], codes: ErrorCodes["Service"]) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const token = (yield* HttpRouter.params)["token"] ?? ""
  const nothingThere = new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) })
  if (request.method === "GET") {
    return yield* Effect.mapBoth(setUp.check(token), { onFailure: () => nothingThere, onSuccess: () => form })
  }
  if (request.method !== "POST") return yield* Effect.fail(nothingThere)
  const answer = Effect.gen(function* () {
    yield* setUp.check(token)
    const text = yield* readText(request, bodyLimitBytes)
    const email = yield* emailOf(request.headers["content-type"] ?? "", text)
    const made = yield* setUp.claim(token, email)
    return answerToken(made, (request.headers["accept"] ?? "").includes("text/html"))
  })
  const refuse = (refusal: Refusal) =>
    Effect.map(RequestId, (requestId) => HttpServerResponse.setHeaders(answerOf(codes, refusal, requestId), headers))
  return yield* Effect.catchTags(answer, {
    NoSetUp: () => Effect.fail(nothingThere),
    InvalidArgument: refuse,
    MalformedBody: refuse,
    PayloadTooLarge: refuse,
    Unavailable: refuse
  })
})

/** The set-up page, beside the routes of the surfaces and behind the same edge. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("*", `${setUpPath}/:token`, handle(yield* SetUp, yield* ErrorCodes))
  })
)
