import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { at, parse } from "@wcs/conformance/wire/Json"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { Effect, Option } from "effect"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
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

/** Successes with an incomplete envelope. */
const successMutants: ReadonlyArray<Mutant> = [
  {
    name: "links-are-answered-without-data",
    rewrite: Rewrite.answers(
      { ...link, status: 200 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data", undefined))
    ),
    kills: [{ rule: "ENV-01", kind: "missing", at: "body.data" }],
    seenBy: ["OWN-01"]
  },
  {
    name: "links-are-answered-with-a-list-for-meta",
    rewrite: Rewrite.answers(
      { ...link, status: 200 },
      Rewrite.mapJson((body) => Rewrite.put(body, "meta", []))
    ),
    kills: [{ rule: "ENV-01", kind: "wrong-type", at: "body.meta" }],
    alsoKills: ["RID-02"],
    seenBy: ["OWN-01"]
  },
  {
    name: "empty-lists-are-no-content",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/credentials\?ownerExternalId=/, status: 200 }, (answer) =>
      at(answer.json, "data.0") === undefined ? emptied(answer) : answer
    ),
    kills: [{ rule: "ENV-01", kind: "not-json", at: "body" }],
    alsoKills: ["CRD-07"]
  }
]

/** Whether a body is broken JSON. */
const isBroken = ({ body }: Request): boolean => body.startsWith("{") && parse(body) === undefined

/** Repairs broken JSON, like a lenient parser. */
const mended = (mend: (body: string) => string) =>
  Rewrite.requests(makeWorker, (request) => (isBroken(request) ? { ...request, body: mend(request.body) } : request))

/** Changes the answers to broken JSON. */
const ofBroken = (change: (answer: Answer) => Answer) =>
  Rewrite.answers({ ...makeWorker, status: 400 }, (answer, request) => (isBroken(request) ? change(answer) : answer))

const jsonMutants: ReadonlyArray<Mutant> = [
  {
    name: "json-that-is-cut-short-is-completed",
    rewrite: mended((body) => `${body}}`),
    kills: [{ rule: "ENV-04", kind: "status", at: "status" }]
  },
  {
    name: "json-needs-no-quotes-around-keys",
    rewrite: mended((body) => body.replace(/^\{(\w+):/, '{"$1":')),
    kills: [{ rule: "ENV-04", kind: "status", at: "status" }]
  },
  {
    name: "broken-json-is-unprocessable",
    rewrite: ofBroken(refusedAs(422, "UNPROCESSABLE")),
    kills: [{ rule: "ENV-04", kind: "status", at: "status" }]
  },
  {
    name: "broken-json-is-refused-by-the-framework",
    rewrite: ofBroken((answer) =>
      Rewrite.withJson(answer, { statusCode: 400, error: "Bad Request", message: "Unexpected end of JSON input" })
    ),
    kills: [{ rule: "ENV-04", kind: "missing", at: "body.error.code" }],
    alsoKills: ["ENV-02"]
  },
  {
    name: "broken-json-has-a-code-of-its-own",
    rewrite: ofBroken(refusedAs(400, "MALFORMED_JSON")),
    kills: [{ rule: "ENV-04", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  },
  {
    name: "broken-json-has-a-list-of-messages",
    rewrite: ofBroken(Rewrite.mapJson((body) => Rewrite.put(body, "error.message", ["The body is not JSON."]))),
    kills: [{ rule: "ENV-04", kind: "wrong-type", at: "body.error.message" }],
    alsoKills: ["ENV-02"]
  }
]

const unknownSort = /[?&]sort=noSuchField/

const sortMutants: ReadonlyArray<Mutant> = [
  {
    name: "unknown-sort-is-ignored",
    rewrite: Rewrite.requests({ method: "GET", path: unknownSort }, (request) => ({
      ...request,
      url: request.url.replace(/sort=[^&]*/, "sort=createdAt")
    })),
    kills: [{ rule: "ENV-07", kind: "status", at: "status" }]
  },
  {
    name: "unknown-sort-is-unprocessable",
    rewrite: Rewrite.answers({ method: "GET", path: unknownSort, status: 400 }, refusedAs(422, "UNPROCESSABLE")),
    kills: [{ rule: "ENV-07", kind: "status", at: "status" }]
  },
  {
    name: "unknown-sort-has-a-code-of-its-own",
    rewrite: Rewrite.answers({ method: "GET", path: unknownSort, status: 400 }, refusedAs(400, "UNKNOWN_SORT")),
    kills: [{ rule: "ENV-07", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  }
]

const noId = { method: "GET", path: /^\/credentials\/(?!cred_)[^/?]+$/, status: 400 }
const oddId = { method: "GET", path: /^\/credentials\/cred_[^/?]*[^/?\w][^/?]*$/, status: 400 }

/** A read of an unknown id returns another existing resource. */
const neighbours = Seams.store(ResourceStore, (store) => ({
  find: (resource, tenantId, id) =>
    Effect.flatMap(store.find(resource, tenantId, id), (found) =>
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
            ({ items }) => Option.fromUndefinedOr(items[0])
          )
    )
}))

const idMutants: ReadonlyArray<Mutant> = [
  {
    name: "ids-without-a-prefix-are-not-found",
    rewrite: Rewrite.answers(noId, refusedAs(404, "NOT_FOUND")),
    kills: [{ rule: "ENV-08", kind: "status", at: "status" }]
  },
  {
    name: "ids-of-odd-characters-show-nothing",
    rewrite: Rewrite.answers(oddId, (answer) => Answering.success(answer, 200, null)),
    kills: [{ rule: "ENV-08", kind: "status", at: "status" }]
  },
  {
    name: "ids-of-odd-characters-have-a-code-of-their-own",
    rewrite: Rewrite.answers(oddId, refusedAs(400, "INVALID_ID")),
    kills: [{ rule: "ENV-08", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  },
  {
    name: "unknown-ids-are-forbidden",
    rewrite: Rewrite.answers({ ...read, status: 404 }, refusedAs(403, "FORBIDDEN")),
    kills: [{ rule: "ENV-09", kind: "status", at: "status" }]
  },
  {
    name: "unknown-ids-show-nothing",
    rewrite: Rewrite.answers({ ...read, status: 404 }, (answer) => Answering.success(answer, 200, null)),
    kills: [{ rule: "ENV-09", kind: "status", at: "status" }]
  },
  {
    name: "unknown-ids-show-what-there-is",
    stores: neighbours,
    kills: [{ rule: "ENV-09", kind: "status", at: "status" }]
  },
  {
    name: "unknown-ids-have-a-code-of-their-own",
    rewrite: Rewrite.answers({ ...read, status: 404 }, refusedAs(404, "CREDENTIAL_NOT_FOUND")),
    kills: [{ rule: "ENV-09", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  }
]

const ruleMutants: ReadonlyArray<Mutant> = [
  {
    name: "business-rules-are-conflicts",
    rewrite: Rewrite.answers({ ...makeCredential, status: 422 }, refusedAs(409, "OWNER_MISMATCH")),
    kills: [{ rule: "ENV-10", kind: "status", at: "status" }]
  },
  {
    name: "business-rules-are-bent",
    rewrite: Rewrite.answers({ ...makeCredential, status: 422 }, (answer) =>
      Answering.success(answer, 201, { id: "cred_0000000000000000", type: "credential" })
    ),
    kills: [{ rule: "ENV-10", kind: "status", at: "status" }]
  },
  {
    name: "business-rules-have-a-code-of-their-own",
    rewrite: Rewrite.answers({ ...makeCredential, status: 422 }, refusedAs(422, "UNPROCESSABLE_ENTITY")),
    kills: [{ rule: "ENV-10", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  }
]

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

const repeatedMutants: ReadonlyArray<Mutant> = [
  {
    name: "second-put-is-a-conflict",
    rewrite: again(put, (request, serve) => Effect.map(serve(request), refusedAs(409, "DUPLICATE_ID"))),
    kills: [{ rule: "ENV-16", kind: "status", at: "status" }]
  },
  {
    name: "second-put-is-no-content",
    rewrite: again(put, (request, serve) => Effect.map(serve(request), emptied)),
    kills: [{ rule: "ENV-16", kind: "status", at: "status" }]
  },
  {
    name: "second-put-counts",
    rewrite: again(put, (request, serve) =>
      serve({ ...request, body: request.body.replace(/("displayName":"[^"]*)"/, '$1 (2)"') })
    ),
    kills: [{ rule: "ENV-16", kind: "changed", at: "body.data" }]
  },
  {
    name: "credentials-are-shown-once",
    rewrite: again(read, (request, serve) => Effect.map(serve(request), refusedAs(404, "NOT_FOUND"))),
    kills: [{ rule: "ENV-17", kind: "status", at: "status" }]
  },
  {
    name: "credentials-lose-their-worker-when-they-are-shown",
    rewrite: again(read, (request, serve) =>
      Effect.map(
        serve(request),
        Rewrite.mapJson((body) => Rewrite.put(body, "data.attributes.owners.worker", null))
      )
    ),
    kills: [{ rule: "ENV-17", kind: "changed", at: "body.data.attributes.owners" }]
  }
]

/** Defects of envelopes, bodies, ids and repeated calls. */
export const envelopeMutants: ReadonlyArray<Mutant> = [
  ...successMutants,
  ...jsonMutants,
  ...sortMutants,
  ...idMutants,
  ...ruleMutants,
  ...repeatedMutants
]
