import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const lists = { method: "GET", path: /^\/(?:workers|credentials|applicants)(?:\?|$)/ }

const withQuery = (request: Request, change: (query: URLSearchParams) => void): Request => {
  const url = new URL(request.url)
  change(url.searchParams)
  return { ...request, url: url.href }
}

/** At most this many per page, and this many by default. */
const clampedTo = (most: number) =>
  Rewrite.requests(lists, (request) => {
    const asked = new URL(request.url).searchParams.get("pageSize")
    if (asked !== null && !/^\d+$/.test(asked)) return request
    return withQuery(request, (query) => query.set("pageSize", String(Math.min(Number(asked ?? most), most))))
  })

/** Pages may be short but not empty: `pageSize` is only an upper bound. */
const short = Rewrite.answers({ ...lists, status: 200 }, (answer, request) => {
  const size = Number(new URL(request.url).searchParams.get("pageSize") ?? 0)
  const data = at(answer.json, "data")
  if (answer.json === undefined || !Array.isArray(data) || size < 2 || data.length < size) return answer
  return Rewrite.withJson(answer, Rewrite.put(answer.json, "data", data.slice(0, size - 1)))
})

/** Refuses larger pages. */
const refusedAbove = (most: number) =>
  Rewrite.requests(lists, (request) => {
    const asked = Number(new URL(request.url).searchParams.get("pageSize") ?? 0)
    return asked > most ? withQuery(request, (query) => query.set("pageSize", "0")) : request
  })

/** Shows deleted resources as deleted, in single reads and in lists. */
const deletedAreShown = Rewrite.requests(
  { method: "GET", path: /^\/(?:workers|credentials|applicants)(?:\/[^/?]+)?(?:\?|$)/ },
  (request) => withQuery(request, (query) => query.set("includeDeleted", "true"))
)

/** Deleted resources are 410 and not 404. */
const deletedAreGone = (serve: Serve): Serve => {
  const deleted = new Set<string>()
  const keyOf = ({ url }: Request) => url.split("?")[0] ?? ""
  return Rewrite.all(
    Rewrite.answers({ method: "DELETE", status: 204 }, (answer, request) => {
      deleted.add(keyOf(request))
      return answer
    }),
    Rewrite.answers({ status: 404 }, (answer, request): Answer => {
      if (!deleted.has(keyOf(request).replace(/\/(?:link|unlink|transfer)$/, ""))) return answer
      return { ...Rewrite.field("error.code", "GONE")(answer), status: 410 }
    })
  )(serve)
}

const refusal = (answer: Answer, status: number, code: string): Answer => {
  const requestId = answer.headers["x-request-id"] ?? ""
  return { ...Rewrite.withJson(answer, { error: { code, message: "It is there already.", requestId } }), status }
}

/** Whether a list with the caller's credentials has items. */
const isAny = Effect.fnUntraced(function* (request: Request, serve: Serve, path: string) {
  const url = `${new URL(request.url).origin}/openapi/v1${path}`
  const shown = yield* serve({ ...request, method: "GET", url, body: "" })
  const data = at(shown.json, "data")
  return { answer: shown, isAny: Array.isArray(data) && data.length > 0 }
})

/** External ids are unique, and so are a credential's fields (SIL-31). */
const duplicatesAreRefused = (serve: Serve): Serve => {
  const credentials = new Set<string>()
  return Rewrite.all(
    Rewrite.instead(
      { method: "POST", path: /^\/workers$/ },
      Effect.fnUntraced(function* (request: Request, inner: Serve) {
        const externalId = at(parse(request.body), "source.externalId")
        if (typeof externalId !== "string" || externalId === "") return yield* inner(request)
        const path = `/workers?externalId=${encodeURIComponent(externalId)}`
        const found = yield* isAny(request, inner, path)
        return found.isAny ? refusal(found.answer, 409, "DUPLICATE_ID") : yield* inner(request)
      })
    ),
    Rewrite.instead(
      { method: "POST", path: /^\/credentials$/ },
      Effect.fnUntraced(function* (request: Request, inner: Serve) {
        const key = `${request.url} ${request.body}`
        const answer = yield* inner(credentials.has(key) ? { ...request, body: "{}" } : request)
        if (answer.status === 201) credentials.add(key)
        return answer
      })
    )
  )(serve)
}

/** An owner cannot be deleted while it owns a credential. */
const ownersStay = Rewrite.instead(
  { method: "DELETE", path: /^\/(?:workers|applicants)\/[^/]+$/ },
  Effect.fnUntraced(function* (request: Request, serve: Serve) {
    const [, group, id = ""] = Rewrite.pathOf(request).split("/")
    const type = group === "workers" ? "worker" : "applicant"
    const owned = yield* isAny(request, serve, `/credentials?ownerType=${type}&ownerId=${id}`)
    return owned.isAny ? refusal(owned.answer, 422, "UNPROCESSABLE") : yield* serve(request)
  })
)

const knownFields = ["identity", "contact", "employment", "source"]

/** Refuses unknown fields, including ids from callers. */
const strangeFieldsAreRefused = Rewrite.requests({ method: "POST", path: /^\/workers$/ }, (request) => {
  const body: Json | undefined = parse(request.body)
  const isStrange = isObject(body) && Object.keys(body).some((key) => !knownFields.includes(key))
  return isStrange ? { ...request, body: "{}" } : request
})

/** Lists and their content. */
export const listVariants: ReadonlyArray<Variant> = [
  variant("pages-of-ten", ["WRK-08", "WRK-09", "SIL-11"]).rewrite(clampedTo(10)),
  variant("pages-may-be-short", ["WRK-08", "WRK-09"]).rewrite(short),
  variant("large-pages-are-refused", ["WRK-03", "WRK-09", "SIL-11"]).rewrite(
    Rewrite.all(refusedAbove(50), strangeFieldsAreRefused)
  ),
  variant("deleted-resources-are-shown", ["SIL-09"]).rewrite(deletedAreShown),
  variant("deleted-resources-are-gone", ["SIL-09"]).rewrite(Rewrite.all(deletedAreGone, ownersStay)),
  variant("duplicates-are-refused", ["SIL-31"]).rewrite(duplicatesAreRefused)
]
