import { at, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { foundOf, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Effect, Option } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"

const makeWorker = { method: "POST", path: /^\/workers$/ }
const makeCredential = { method: "POST", path: /^\/credentials$/ }
const read = { method: "GET", path: /^\/credentials\/cred_[^/]+$/ }
const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }

/** Refuses with another status or code. */
const refusedAs =
  (status: number, code: string) =>
  (answer: Answer): Answer =>
    Answering.refusal(answer, status, code, "The request was refused.")

/** A success without a body. */
const emptied = (answer: Answer): Answer =>
  Rewrite.withHeader({ ...answer, status: 204, text: "", json: undefined }, "content-type", undefined)

/** Whether a body is broken JSON. */
const isBroken = ({ body }: Request): boolean => body.startsWith("{") && parse(body) === undefined

/** Repairs broken JSON, like a lenient parser. */
const mended = (mend: (body: string) => string) =>
  Rewrite.requests(makeWorker, (request) => (isBroken(request) ? { ...request, body: mend(request.body) } : request))

/** Changes the answers to broken JSON. */
const ofBroken = (change: (answer: Answer) => Answer) =>
  Rewrite.answers({ ...makeWorker, status: 400 }, (answer, request) => (isBroken(request) ? change(answer) : answer))

const unknownSort = /[?&]sort=noSuchField/

const noId = { method: "GET", path: /^\/credentials\/(?!cred_)[^/?]+$/, status: 400 }
const oddId = { method: "GET", path: /^\/credentials\/cred_[^/?]*[^/?\w][^/?]*$/, status: 400 }

/** A read of an unknown id returns another existing resource. */
const neighbours = Seams.store(ResourceStore, (store) => ({
  findText: (resource, tenantId, id) =>
    Effect.flatMap(store.findText(resource, tenantId, id), (found) =>
      Option.isSome(found)
        ? Effect.succeed(found)
        : Effect.map(
            store.list(resource, tenantId, {
              conditions: [],
              sort: { column: "created_at", direction: "asc" },
              pageSize: 1,
              after: undefined,
              offset: 0,
              includeDeleted: false,
              includeTotal: false
            }),
            ({ items }) => Option.map(Option.fromUndefinedOr(items[0]), foundOf)
          )
    )
}))

/** Changes the answer to a repeated request. */
const again =
  (where: Rewrite.Where, serveAgain: (request: Request, serve: Serve) => ReturnType<Serve>) =>
  (serve: Serve): Serve => {
    const served = new Set<string>()
    return Rewrite.instead(where, (request, inner) => {
      const key = `${request.url} ${request.body}`
      if (served.has(key)) return serveAgain(request, inner)
      served.add(key)
      return inner(request)
    })(serve)
  }

const put = { method: "PUT", path: /^\/workers\/[^/]+$/ }

/** Defects of envelopes, bodies, ids and repeated calls. */
export const envelopeMutants: ReadonlyArray<Mutant> = [
  // Successes with an incomplete envelope.
  mutant("links-are-answered-without-data", "ENV-01 missing at body.data", { seenBy: ["OWN-01"] }).answers(
    { ...link, status: 200 },
    Rewrite.field("data", undefined)
  ),
  mutant("links-are-answered-with-a-list-for-meta", "ENV-01 wrong-type at body.meta", {
    alsoKills: ["RID-02"],
    seenBy: ["OWN-01"]
  }).answers({ ...link, status: 200 }, Rewrite.field("meta", [])),
  mutant("empty-lists-are-no-content", "ENV-01 not-json at body", { alsoKills: ["CRD-07"] }).answers(
    { method: "GET", path: /^\/credentials\?ownerExternalId=/, status: 200 },
    (answer) => (at(answer.json, "data.0") === undefined ? emptied(answer) : answer)
  ),
  mutant("json-that-is-cut-short-is-completed", "ENV-04 status").rewrite(mended((body) => `${body}}`)),
  mutant("json-needs-no-quotes-around-keys", "ENV-04 status").rewrite(
    mended((body) => body.replace(/^\{(\w+):/, '{"$1":'))
  ),
  mutant("broken-json-is-unprocessable", "ENV-04 status").rewrite(ofBroken(refusedAs(422, "UNPROCESSABLE"))),
  mutant("broken-json-is-refused-by-the-framework", "ENV-04 missing at body.error.code", {
    alsoKills: ["ENV-02"]
  }).rewrite(
    ofBroken((answer) =>
      Rewrite.withJson(answer, { statusCode: 400, error: "Bad Request", message: "Unexpected end of JSON input" })
    )
  ),
  mutant("broken-json-has-a-code-of-its-own", "ENV-04 wrong-value at body.error.code", {
    alsoKills: ["ENV-03"]
  }).rewrite(ofBroken(refusedAs(400, "MALFORMED_JSON"))),
  mutant("broken-json-has-a-list-of-messages", "ENV-04 wrong-type at body.error.message", {
    alsoKills: ["ENV-02"]
  }).rewrite(ofBroken(Rewrite.field("error.message", ["The body is not JSON."]))),
  mutant("unknown-sort-is-ignored", "ENV-07 status").requests({ method: "GET", path: unknownSort }, (request) => ({
    ...request,
    url: request.url.replace(/sort=[^&]*/, "sort=createdAt")
  })),
  mutant("unknown-sort-is-unprocessable", "ENV-07 status").answers(
    { method: "GET", path: unknownSort, status: 400 },
    refusedAs(422, "UNPROCESSABLE")
  ),
  mutant("unknown-sort-has-a-code-of-its-own", "ENV-07 wrong-value at body.error.code", {
    alsoKills: ["ENV-03"]
  }).answers({ method: "GET", path: unknownSort, status: 400 }, refusedAs(400, "UNKNOWN_SORT")),
  mutant("ids-without-a-prefix-are-not-found", "ENV-08 status").answers(noId, refusedAs(404, "NOT_FOUND")),
  mutant("ids-of-odd-characters-show-nothing", "ENV-08 status", { alsoKills: ["CRD-04"] }).answers(oddId, (answer) =>
    Answering.success(answer, 200, null)
  ),
  mutant("ids-of-odd-characters-have-a-code-of-their-own", "ENV-08 wrong-value at body.error.code", {
    alsoKills: ["ENV-03"]
  }).answers(oddId, refusedAs(400, "INVALID_ID")),
  mutant("unknown-ids-are-forbidden", "ENV-09 status").answers({ ...read, status: 404 }, refusedAs(403, "FORBIDDEN")),
  mutant("unknown-ids-show-nothing", "ENV-09 status", { alsoKills: ["CRD-04"] }).answers(
    { ...read, status: 404 },
    (answer) => Answering.success(answer, 200, null)
  ),
  mutant("unknown-ids-show-what-there-is", "ENV-09 status", { alsoKills: ["CRD-04"] }).stores(neighbours),
  mutant("unknown-ids-have-a-code-of-their-own", "ENV-09 wrong-value at body.error.code", {
    alsoKills: ["ENV-03"]
  }).answers({ ...read, status: 404 }, refusedAs(404, "CREDENTIAL_NOT_FOUND")),
  mutant("business-rules-are-conflicts", "ENV-10 status").answers(
    { ...makeCredential, status: 422 },
    refusedAs(409, "OWNER_MISMATCH")
  ),
  mutant("business-rules-are-bent", "ENV-10 status", { alsoKills: ["CRD-01", "CRD-02", "CRD-03"] }).answers(
    { ...makeCredential, status: 422 },
    (answer) => Answering.success(answer, 201, { id: "cred_0000000000000000", type: "credential" })
  ),
  mutant("business-rules-have-a-code-of-their-own", "ENV-10 wrong-value at body.error.code", {
    alsoKills: ["ENV-03"]
  }).answers({ ...makeCredential, status: 422 }, refusedAs(422, "UNPROCESSABLE_ENTITY")),
  mutant("second-put-is-a-conflict", "ENV-16 status").rewrite(
    again(put, (request, serve) => Effect.map(serve(request), refusedAs(409, "DUPLICATE_ID")))
  ),
  mutant("second-put-is-no-content", "ENV-16 status").rewrite(
    again(put, (request, serve) => Effect.map(serve(request), emptied))
  ),
  mutant("second-put-counts", "ENV-16 changed at body.data").rewrite(
    again(put, (request, serve) =>
      serve({ ...request, body: request.body.replace(/("displayName":"[^"]*)"/, '$1 (2)"') })
    )
  ),
  mutant("credentials-are-shown-once", "ENV-17 status").rewrite(
    again(read, (request, serve) => Effect.map(serve(request), refusedAs(404, "NOT_FOUND")))
  ),
  mutant("credentials-lose-their-worker-when-they-are-shown", "ENV-17 changed at body.data.attributes.owners").rewrite(
    again(read, (request, serve) => Effect.map(serve(request), Rewrite.field("data.attributes.owners.worker", null)))
  )
]
