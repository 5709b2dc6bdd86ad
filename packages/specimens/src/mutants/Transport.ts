import { isObject, type Json } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { doneAndRefused, formOf, isCall, refused, tokenOf } from "../Callers.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const isPlain = ({ url }: Request): boolean => url.startsWith("http:")
const overTls = (request: Request): Request => ({ ...request, url: request.url.replace(/^http:/, "https:") })
const isPlainLegacy = (request: Request): boolean => isPlain(request) && Rewrite.pathOf(request).startsWith("/api/")
const isPlainNewer = (request: Request): boolean => isPlain(request) && !isPlainLegacy(request)

/** Serves some requests differently, for conditions beyond `Rewrite.Where`. */
const where = (
  isAbout: (request: Request) => boolean,
  serveInstead: (request: Request, serve: Serve) => ReturnType<Serve>
) => Rewrite.instead({}, (request, serve) => (isAbout(request) ? serveInstead(request, serve) : serve(request)))

/** Redirects to HTTPS with the token in the query, where section 2.3 of RFC 6750 allows tokens. */
const redirectWithToken = (request: Request) =>
  Effect.succeed(
    Rewrite.withHeader(
      { status: 308, headers: {}, text: "", json: undefined },
      "location",
      `${overTls(request).url.split("?")[0]}?access_token=${tokenOf(request)}`
    )
  )

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }

const inserted = (value: Json, [key, ...rest]: ReadonlyArray<string>, text: string): Json => {
  if (key === undefined) return text
  const object = isObject(value) ? value : {}
  return { ...object, [key]: inserted(object[key] ?? {}, rest, text) }
}

const stylesOfNames = {
  brackets: { isUsed: /%5B/, separator: /[[\]]+/ },
  dots: { isUsed: /^[^=]*\./, separator: /\./ },
  either: { isUsed: /./, separator: /[[\].]+/ }
}
type Style = keyof typeof stylesOfNames

/** A form as JSON, with names nested by brackets or dots. */
const asJson =
  (style: Style) =>
  (request: Request): Request => {
    const { separator } = stylesOfNames[style]
    const body = [...new URLSearchParams(request.body)].reduce<Json>(
      (value, [name, text]) =>
        inserted(
          value,
          name.split(separator).filter((key) => key !== ""),
          text
        ),
      {}
    )
    return { ...Rewrite.withRequestHeader(request, "Content-Type", "application/json"), body: JSON.stringify(body) }
  }

const isForm =
  (path: RegExp, style: Style) =>
  (request: Request): boolean =>
    formOf(request) !== undefined &&
    path.test(Rewrite.pathOf(request)) &&
    stylesOfNames[style].isUsed.test(request.body)

const readForms = (path: RegExp, style: Style) =>
  where(isForm(path, style), (request, serve) => serve(asJson(style)(request)))

/** Refuses links by form, and removes the credential's owners. */
const emptiedByForm = (serve: Serve): Serve => {
  const emptied = new Set<string>()
  return where(
    (request) => /^\/credentials\/cred_/.test(Rewrite.pathOf(request)),
    (request, served) =>
      Effect.map(served(request), (answer) => {
        const id = Rewrite.pathOf(request).split("/")[2] ?? ""
        if (isForm(link.path, "either")(request)) emptied.add(id)
        return request.method === "GET" && emptied.has(id)
          ? Rewrite.field("data.attributes.owners.worker", null)(answer)
          : answer
      })
  )(serve)
}

/** Defects of transport: plain HTTP, the surface's root, bodies and forms. */
export const transportMutants: ReadonlyArray<Mutant> = [
  mutant("legacy-surface-answers-by-plain-http", "TRN-01 status").rewrite(
    where(isPlainLegacy, () => Effect.succeed(Rewrite.jsonAnswer(200, { id: "usr_1", email: "a@example.org" })))
  ),
  mutant("legacy-surface-redirects-plain-http-with-the-token", "TRN-01 disclosed at header location").rewrite(
    where(isPlainLegacy, redirectWithToken)
  ),
  mutant("newer-surface-answers-by-plain-http", "TRN-02 status").rewrite(
    where(isPlainNewer, (request, serve) => serve(overTls(request)))
  ),
  mutant("newer-surface-redirects-plain-http-with-the-token", "TRN-02 disclosed at header location").rewrite(
    where(isPlainNewer, redirectWithToken)
  ),
  mutant("plain-http-create-is-refused-when-it-is-done", "TRN-02 wrong-value at body.data").rewrite(
    doneAndRefused((request) => isPlainNewer(request) && request.method === "POST", overTls)
  ),
  mutant("plain-http-is-refused-with-the-data", "TRN-02 disclosed at body").rewrite(
    where(
      (request) => isPlainNewer(request) && request.method === "GET",
      (request, serve) => Effect.map(serve(overTls(request)), (answer) => ({ ...answer, status: 403 }))
    )
  ),
  mutant("credentials-have-no-version-in-their-path", "TRN-04 status").requests(
    { path: /^\/credentials/ },
    (request) => ({
      ...request,
      url: request.url.replace("/openapi/v1/", "/openapi/")
    })
  ),
  mutant("version-is-asked-for-in-a-header", "TRN-04 status").rewrite(
    where(
      (request) => isCall(request) && Rewrite.headerOf(request, "api-version") === undefined,
      (request, serve) => Effect.map(serve(request), refused(400, "INVALID_ARGUMENT"))
    )
  ),
  mutant("lists-stand-at-the-top-of-the-body", "TRN-04 missing at body.data", { alsoKills: ["ENV-01"] }).answers(
    { method: "GET", path: /^\/workers\?/, status: 200 },
    Rewrite.mapJson((body) => (isObject(body) ? (body["data"] ?? null) : body))
  ),
  mutant("links-are-answered-behind-a-guard-against-scripts", "TRN-07 not-json at body", {
    alsoKills: ["ENV-01"],
    seenBy: ["OWN-03"]
  }).answers({ ...link, status: 200 }, (answer) => Rewrite.withText(answer, `)]}',\n${answer.text}`)),
  mutant("lists-are-cut-off", "TRN-07 not-json at body", { alsoKills: ["ENV-01"], seenBy: ["AUT-09"] }).answers(
    { method: "GET", path: /^\/workers$/, status: 200 },
    (answer) => Rewrite.withText(answer, answer.text.slice(0, -2))
  ),
  mutant("refusals-are-pages", ["TRN-07 not-json at body", "TRN-09 wrong-value at header content-type"], {
    alsoKills: ["ENV-02"],
    seenBy: ["AUT-09"]
  }).answers({ status: 403 }, (answer) =>
    Rewrite.withHeader(
      Rewrite.withText(answer, "<html><body><h1>Forbidden</h1></body></html>"),
      "content-type",
      "text/html"
    )
  ),
  mutant("creates-say-no-content-type", "TRN-09 missing at header content-type", { seenBy: ["TRN-08"] }).answers(
    { status: 201 },
    (answer) => Rewrite.withHeader(answer, "content-type", undefined)
  ),
  mutant("grants-are-declared-as-text", "TRN-09 wrong-value at header content-type", { seenBy: ["OAU-09"] }).answers(
    { path: /^\/oauth\/token$/, status: 200 },
    (answer) => Rewrite.withHeader(answer, "content-type", "text/plain; charset=utf-8")
  ),
  mutant("creates-are-read-from-forms-with-brackets", "TRN-08 status").rewrite(readForms(/^\/workers$/, "brackets")),
  mutant("creates-are-read-from-forms-with-dots", "TRN-08 status").rewrite(readForms(/^\/workers$/, "dots")),
  mutant("form-create-is-refused-when-it-is-done", "TRN-08 wrong-value at body.data").rewrite(
    doneAndRefused(isForm(/^\/workers$/, "either"), asJson("either"))
  ),
  mutant("links-are-read-from-forms", "TRN-08 status").rewrite(readForms(link.path, "either")),
  mutant("form-link-is-refused-and-empties-the-slots", "TRN-08 changed at body.data").rewrite(emptiedByForm)
]
