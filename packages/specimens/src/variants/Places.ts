import type { Group, Profile } from "@wcs/conformance/profile/Profile"
import { isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const newerRoot = "/openapi/v1"

/** A request for another path below the newer surface's root, with its query. */
const atPath = (request: Request, path: string): Request => ({
  ...request,
  url: `${new URL(request.url).origin}${newerRoot}${path}`
})

/** An unused path. */
const nowhere = "/nowhere"

/** Groups at other paths only. */
const moved: ReadonlyArray<readonly [ours: string, theirs: string]> = [
  ["/applicants", "/people/directory"],
  ["/exemptions", "/waivers"],
  ["/compliance-checks", "/policies/all"]
]

const isBelow = (path: string, place: string): boolean => path === place || /^[/?]/.test(path.slice(place.length))

const theirsOf = (path: string): string => {
  const [ours, theirs] = moved.find(([place]) => path.startsWith(place) && isBelow(path, place)) ?? ["", ""]
  return `${theirs}${path.slice(ours.length)}`
}

const oursOf = (path: string): string => {
  if (theirsOf(path) !== path) return nowhere
  const [ours, theirs] = moved.find(([, place]) => path.startsWith(place) && isBelow(path, place)) ?? ["", ""]
  return `${ours}${path.slice(theirs.length)}`
}

const groupsAreElsewhere = Rewrite.all(
  Rewrite.answers({ status: 201 }, (answer) => {
    const path = answer.headers["location"]?.slice(newerRoot.length)
    return path === undefined ? answer : Rewrite.withHeader(answer, "location", `${newerRoot}${theirsOf(path)}`)
  }),
  Rewrite.requests({}, (request) => {
    const path = Rewrite.pathOf(request)
    return new URL(request.url).pathname.startsWith(newerRoot) && oursOf(path) !== path
      ? atPath(request, oursOf(path))
      : request
  })
)

const archive = /^(\/(?:[a-z-]+)\/[^/]+)\/archive$/

/** Deletes are POSTs. */
const deletedByPost = Rewrite.instead({}, (request, serve: Serve) => {
  const path = Rewrite.pathOf(request)
  const [, resource] = archive.exec(path) ?? []
  if (request.method === "POST" && resource !== undefined) {
    return serve({ ...atPath(request, resource), method: "DELETE", body: "" })
  }
  return serve(request.method === "DELETE" ? { ...request, method: "PROPFIND" } : request)
})

/** Another sort parameter; unknown parameters are ignored. */
const orderedBy = Rewrite.requests({ method: "GET", path: /\?/ }, (request) => {
  const [path, query] = Rewrite.pathOf(request).split("?")
  const parameters = new URLSearchParams(query)
  const order = parameters.get("orderBy")
  if (order === null) return request
  parameters.delete("orderBy")
  parameters.set("sort", order.startsWith("-") ? `${order.slice(1)}:desc` : `${order}:asc`)
  return atPath(request, `${path}?${parameters}`)
})

const elsewhereOf = ({ create, find, path, update = [] }: Group): Group => {
  const place = path === undefined ? {} : { path: theirsOf(path) }
  const deleted = create && path !== undefined ? { delete: archiving(theirsOf(path)) } : {}
  return {
    ...place,
    ...deleted,
    ...(create && { create }),
    ...(find !== undefined && { find: theirsOf(find) }),
    update: update.map((change) => ({ ...change, path: theirsOf(change.path) }))
  }
}

const archiving = (path: string) => ({ method: "POST" as const, path: `${path}/{{id}}/archive` })

const withOtherPlaces = (profile: Profile): Profile => ({
  ...profile,
  groups: Object.fromEntries(Object.entries(profile.groups ?? {}).map(([type, group]) => [type, elsewhereOf(group)])),
  sort: { path: "/workers", parameter: "orderBy", known: "-createdAt", unknown: "noSuchField" },
  derivedReads: (profile.derivedReads ?? []).map((read) => ({ ...read, path: theirsOf(read.path) }))
})

/** Replaces a JSON object body; other bodies are unchanged. */
const bodyOf =
  (change: (body: { readonly [key: string]: Json }) => Json | undefined) =>
  (request: Request): Request => {
    const [first, last] = [request.body.at(0), request.body.at(-1)]
    if (first !== "{" || last !== "}") return request
    const body = parse(request.body)
    return !isObject(body) ? request : { ...request, body: JSON.stringify(change(body) ?? null) }
  }

const single = /^\/credentials\/[^/]+\//

/** The owner reference is nested (link), or in two fields (unlink). */
const otherBodies = Rewrite.all(
  Rewrite.requests(
    { method: "POST", path: new RegExp(`${single.source}link$`) },
    bodyOf(({ owner }) => owner ?? {})
  ),
  Rewrite.requests(
    { method: "POST", path: new RegExp(`${single.source}unlink$`) },
    bodyOf(({ ownerId, ownerType }) => ({ id: ownerId ?? null, type: ownerType ?? null }))
  ),
  Rewrite.requests(
    { method: "POST", path: /^\/credentials\/link$/ },
    bodyOf(({ credentialIds, owner, source }) => ({
      ...(credentialIds === undefined ? {} : { credentialIds }),
      ...(owner === undefined ? {} : { to: owner }),
      ...(source === undefined ? {} : { from: source })
    }))
  )
)

/** A credential needs a worker as owner. An applicant as its only owner is refused. */
const withOtherBodies = (profile: Profile): Profile => ({
  ...profile,
  ownership: {
    link: { owner: { type: "{{type}}", id: "{{id}}" } },
    unlink: { ownerType: "{{type}}", ownerId: "{{id}}" },
    bulkLink: { source: "{{from}}", owner: "{{to}}", credentialIds: "{{credentialIds}}" }
  },
  groups: {
    ...profile.groups,
    credential: {
      ...profile.groups?.["credential"],
      create: { body: { attributes: { credentialType: "FIRST_AID", owners: { worker: "{{worker}}" } } } }
    }
  }
})

/** Workers and applicants are only in lists, because no other read is documented (§4.2). */
const foundInLists = Rewrite.requests({ method: "GET", path: /^\/(?:workers|applicants)\/[^/?]+$/ }, (request) =>
  atPath(request, nowhere)
)

/** A list of credentials requires the owner filter, the only documented query (§4.2). */
const listedByOwner = Rewrite.instead(
  { method: "GET", path: /^\/credentials(?:\?(?!.*ownerExternalId=)|$)/ },
  (request, serve) =>
    Effect.map(serve(request), (answer): Answer => {
      if (answer.status !== 200) return answer
      const requestId = answer.headers["x-request-id"] ?? ""
      const error = { code: "INVALID_ARGUMENT", message: "ownerExternalId is required.", requestId }
      return { ...Rewrite.withJson(answer, { error }), status: 400 }
    })
)

/** An absolute URL, as many frameworks return it (SIL-29). */
const absolute = Rewrite.answers({ status: 201 }, (answer, { url }) => {
  const location = answer.headers["location"]
  return location === undefined ? answer : Rewrite.withHeader(answer, "location", new URL(location, url).href)
})

/** A URL of another surface, not of the API (SIL-29). */
const elsewhere = Rewrite.answers({ status: 201 }, (answer, { url }) => {
  const location = answer.headers["location"]?.replace(newerRoot, "/app/records")
  return location === undefined ? answer : Rewrite.withHeader(answer, "location", new URL(location, url).href)
})

/** Paths and places. */
export const placeVariants: ReadonlyArray<Variant> = [
  variant("other-paths-than-ours", ["SIL-29"]).by({
    rewrite: Rewrite.all(deletedByPost, groupsAreElsewhere, orderedBy, absolute),
    profile: withOtherPlaces
  }),
  variant("other-ownership-bodies", ["OWN-01", "OWN-11", "BLK-01"]).by({
    rewrite: otherBodies,
    profile: withOtherBodies
  }),
  variant("workers-are-found-and-not-read", ["SIL-29"]).rewrite(Rewrite.all(foundInLists, elsewhere)),
  variant("credentials-are-listed-by-owner-alone", ["CRD-06", "CRD-07"]).rewrite(listedByOwner)
]
