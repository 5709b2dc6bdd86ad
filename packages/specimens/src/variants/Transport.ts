import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"
import { longUrls } from "../LongUrls.ts"
import type { Serve } from "../Serve.ts"
import { legacyPath } from "../seams/LegacySeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const isPlain = ({ url }: Request): boolean => url.startsWith("http:")

/** Other answers to plain HTTP (SIL-03). */
const plainly = (answerPlainly: (request: Request) => ReturnType<Serve>) =>
  Rewrite.instead({}, (request, serve: Serve) => (isPlain(request) ? answerPlainly(request) : serve(request)))

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  Rewrite.withText({ status, headers: { "content-type": "text/html", ...headers }, text: "", json: undefined }, body)

const refused = plainly(() => Effect.fail(new NoAnswer({ silence: "refused", detail: "nobody listens" })))

const redirected = plainly(({ url }) => Effect.succeed(text(308, "", { location: url.replace("http:", "https:") })))

const upgraded = plainly(() =>
  Effect.succeed(
    text(426, "Use TLS.", { upgrade: "TLS/1.2, HTTP/1.1", connection: "Upgrade", "content-type": "text/plain" })
  )
)

/** Answers are late and out of order. */
const slowly = (serve: Serve): Serve => {
  let count = 0
  return (request) => {
    count += 1
    return Effect.delay(serve(request), (count * 7) % 13)
  }
}

const notFound = text(404, "<html><head><title>404 Not Found</title></head><body></body></html>")

const groups =
  /^\/(?:workers|credentials|applicants|webhooks|bans|exemptions|oauth|[a-z]+-(?:checks|requests|packages|types|events))(?:[/?]|$)/

/** The legacy surface has its own errors. */
const isLegacy = (request: Request): boolean => legacyPath.test(Rewrite.pathOf(request))

/** Unknown paths return a page or another status, without authentication (SIL-15). */
const unknownPages = Rewrite.all(
  Rewrite.answers({ status: [401, 404] }, (answer, request) =>
    groups.test(Rewrite.pathOf(request)) || isLegacy(request) || isPlain(request) ? answer : notFound
  ),
  Rewrite.answers({ status: 405 }, () => notFound)
)

const unknownMethods = Rewrite.all(
  Rewrite.answers({ status: 404 }, (answer, request) =>
    groups.test(Rewrite.pathOf(request)) ? answer : Rewrite.withText(answer, "")
  ),
  Rewrite.answers({ status: 405 }, (answer) => Rewrite.withText(Rewrite.withHeader(answer, "allow", "GET"), ""))
)

/** A gateway that refuses requests that are too long or not text, with its own errors (SIL-21). */
const gateway = Rewrite.instead({}, (request, serve: Serve) => {
  if (request.url.length > 1024) return Effect.succeed(text(414, "<h1>URI Too Long</h1>"))
  if (request.headers.some(([, value]) => value.length > 1024 && !/^bearer /i.test(value))) {
    return Effect.succeed(text(431, "<h1>Request Header Fields Too Large</h1>"))
  }
  if (request.body.length > 8192 && !request.body.includes("credentialIds")) {
    return Effect.succeed(text(413, "<h1>Payload Too Large</h1>"))
  }
  if (/%(?![0-9a-f]{2})|%00|%ff|%c0/i.test(request.url)) return Effect.succeed(text(400, "<h1>Bad Request</h1>"))
  return serve(request)
})

/** Transport of requests and answers. */
export const transportVariants: ReadonlyArray<Variant> = [
  variant("plain-http-is-refused-a-connection", ["SIL-03"]).rewrite(refused),
  variant("plain-http-is-redirected", ["SIL-03"]).rewrite(redirected),
  variant("plain-http-is-told-to-upgrade", ["SIL-03"]).rewrite(Rewrite.all(upgraded, unknownMethods)),
  variant("answers-come-late", ["OWN-17", "OWN-18", "OWN-19", "OWN-23"], { changesOnlyTime: true }).rewrite(slowly),
  variant("unknown-paths-are-pages", ["SIL-15"]).rewrite(unknownPages),
  variant("gateway-in-front", ["SIL-21"]).rewrite(gateway),
  variant("long-urls-are-refused-after-authentication", ["SIL-21", "RTL-01"]).rewrite(longUrls())
]
