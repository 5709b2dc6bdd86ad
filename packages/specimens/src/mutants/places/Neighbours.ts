import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { clientInBody, formOf, refused, withClient, withFields } from "../../Callers.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

// Defects that confuse similar texts, and bodies that a single call reads in another way.

/** A request whose JSON body is changed; another body is unchanged. */
const withSent =
  (change: (body: Json) => Json) =>
  (request: Request): Request => {
    const body = parse(request.body)
    return isObject(body) ? { ...request, body: JSON.stringify(change(body)) } : request
  }

/** The types of owner references, compared without regard to case. */
const lowerTypes = withSent(
  (body) =>
    parse(JSON.stringify(body).replaceAll(/"type":"(\w+)"/g, (_, type: string) => `"type":"${type.toLowerCase()}"`)) ??
    body
)

/** A lookup of another external id. */
const lookingUp = (change: (externalId: string) => string) =>
  Rewrite.requests({ method: "GET", path: /^\/workers\?externalId=/ }, (request) => {
    const url = new URL(request.url)
    const externalId = url.searchParams.get("externalId") ?? ""
    url.searchParams.set("externalId", change(externalId))
    return change(externalId) === externalId ? request : { ...request, url: url.href }
  })

/**
 * Creates and lookups change the external id in the same way. So a create stores a wrong id, and the lookup finds it.
 */
const keeping = (change: (externalId: string) => string) =>
  Rewrite.all(
    lookingUp(change),
    Rewrite.requests(
      { method: "POST", path: /^\/workers$/ },
      withSent((body) => {
        const externalId = at(body, "source.externalId")
        return typeof externalId === "string" ? Rewrite.put(body, "source.externalId", change(externalId)) : body
      })
    )
  )

/** Reads a form as JSON at one call. */
const readsForms = (path: RegExp) =>
  Rewrite.requests({ method: "POST", path }, (request) => {
    const form = formOf(request)
    if (form === undefined) return request
    let body: Json = {}
    for (const [name, value] of form) {
      const [outer = "", inner] = name.split(/[[\].]+/).filter((part) => part !== "")
      const known = at(body, outer)
      body = { ...body, [outer]: inner === undefined ? value : { ...(isObject(known) ? known : {}), [inner]: value } }
    }
    return { ...Rewrite.withRequestHeader(request, "Content-Type", "application/json"), body: JSON.stringify(body) }
  })

/** The second of two equal concurrent calls is a conflict. */
const conflictsAtOnce = (serve: Serve): Serve => {
  const flying = new Set<string>()
  return (request) => {
    const key = `${request.method} ${request.url} ${request.body}`
    if (!/\/(link|unlink|transfer)$/.test(request.url)) return serve(request)
    if (flying.has(key)) return Effect.map(serve(request), refused(409, "OWNER_MISMATCH"))
    flying.add(key)
    return Effect.ensuring(
      Effect.andThen(Effect.yieldNow, serve(request)),
      Effect.sync(() => flying.delete(key))
    )
  }
}

const sentId = ({ body }: Request): Json | undefined => at(parse(body), "correlationId")

/** Defects of matching. */
export const neighbourMutants: ReadonlyArray<Mutant> = [
  mutant("lookups-trim-blanks", "WRK-06 unexpected at body.data.0", { alsoKills: ["WRK-05"] }).rewrite(
    lookingUp((text) => text.trim())
  ),
  mutant("external-ids-are-normalized", "WRK-14 changed at body.data.source.externalId", {
    alsoKills: ["WRK-06"]
  }).rewrite(keeping((text) => text.normalize("NFC"))),
  mutant("blanks-in-external-ids-are-evened-out", "WRK-14 changed at body.data.source.externalId", {
    alsoKills: ["WRK-06"]
  }).rewrite(keeping((text) => text.replaceAll(/ +/g, " "))),
  mutant("page-sizes-are-read-as-far-as-they-go", "WRK-10 status").requests(
    { method: "GET", path: /^\/workers\?pageSize=\d+[a-z]+$/ },
    (request) => ({ ...request, url: request.url.replace(/(pageSize=\d+)[a-z]+$/, "$1") })
  ),
  mutant("literal-is-refused-in-every-case", "VER-04 status").answers(
    { method: "POST", path: /\/verify$/, status: 200 },
    (answer, request) => (/^string$/i.test(String(sentId(request))) ? refused(400, "INVALID_ARGUMENT")(answer) : answer)
  ),
  mutant("ids-that-begin-with-the-literal-are-refused", "VER-04 status").answers(
    { method: "POST", path: /\/verify$/, status: 200 },
    (answer, request) => (/^string-/.test(String(sentId(request))) ? refused(400, "INVALID_ARGUMENT")(answer) : answer)
  ),
  mutant("grants-are-named-in-any-case", "OAU-10 status").requests(
    { method: "POST", path: /^\/oauth\/token$/ },
    (request) =>
      formOf(request) === undefined
        ? request
        : withFields(request, { grant_type: formOf(request)?.get("grant_type")?.toLowerCase() })
  ),
  mutant("secrets-may-begin-with-a-blank", "OAU-12 status").requests(
    { method: "POST", path: /^\/oauth\/token$/ },
    (request) => {
      const client = clientInBody(request)
      return client === undefined ? request : withClient(request, { ...client, secret: client.secret.trim() })
    }
  ),
  mutant("secrets-are-compared-as-far-as-they-go", "OAU-12 status").rewrite((serve) => {
    const known = new Map<string, string>()
    return (request) => {
      const client = clientInBody(request)
      const right = client === undefined ? undefined : known.get(client.id)
      const isLonger = client !== undefined && right !== undefined && client.secret.startsWith(right)
      const asked = isLonger ? withClient(request, { id: client.id, secret: right }) : request
      return Effect.tap(serve(asked), ({ status }) =>
        Effect.sync(() => {
          if (client !== undefined && status === 200 && !isLonger) known.set(client.id, client.secret)
        })
      )
    }
  }),
  mutant("owner-types-are-read-in-any-case", "OWN-16 status").requests(
    { method: "POST", path: /^\/credentials\/[^/]+\/(link|transfer)$/ },
    lowerTypes
  ),
  mutant("unlinks-read-owner-types-in-any-case", "OWN-16 status").requests(
    { method: "POST", path: /^\/credentials\/[^/]+\/unlink$/ },
    lowerTypes
  ),
  mutant("transfers-are-read-from-forms", "TRN-08 status").rewrite(readsForms(/^\/credentials\/[^/]+\/transfer$/)),
  mutant("broken-changes-of-exemptions-are-unprocessable", "ENV-04 status").answers(
    { method: "PATCH", path: /^\/exemptions\//, status: 400 },
    refused(422, "UNPROCESSABLE")
  ),
  mutant("broken-verifications-are-carried-out", "ENV-04 status").requests(
    { method: "POST", path: /\/verify$/ },
    (request) => (parse(request.body) === undefined ? { ...request, body: "{}" } : request)
  ),
  mutant("a-call-sent-twice-at-once-is-a-conflict", "OWN-19 status").rewrite(conflictsAtOnce)
]
