import type { Request } from "@wcs/conformance/wire/Exchange"
import { at, isObject, type Json, parse } from "@wcs/conformance/wire/Json"
import * as Answering from "../Answering.ts"
import { doneAndRefused } from "../Callers.ts"
import type { Mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import { type Key, remembering, secondTime, withPrefix } from "../seams/Creates.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const create = { method: "POST", path: /^\/workers$/ }
const displayName = "identity.displayName"
const externalId = "source.externalId"

/** A value in the body of a create, if the body is JSON. */
const said = ({ body }: Request, path: string): Json | undefined => at(parse(body), path)

const isCreate = ({ method, ...request }: Request): boolean =>
  method === "POST" && create.path.test(Rewrite.pathOf({ method, ...request }))

const isNameless = (request: Request): boolean =>
  isCreate(request) && isObject(said(request, "identity")) && said(request, displayName) === undefined

const isFaceless = (request: Request): boolean =>
  isCreate(request) && isObject(parse(request.body)) && said(request, "identity") === undefined

/** A create with another identity. */
const withIdentity = (request: Request, identity: Json): Request => {
  const body = parse(request.body)
  return isObject(body) ? { ...request, body: JSON.stringify({ ...body, identity }) } : request
}

/** Changes certain creates before they are served. */
const understood = (isAbout: (request: Request) => boolean, change: (request: Request) => Request) =>
  Rewrite.requests(create, (request) => (isAbout(request) ? change(request) : request))

const named = (request: Request): Request => withIdentity(request, { displayName: "Unknown" })

/** Required fields of creates. */
const requiredMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-create-makes-up-a-name",
    rewrite: understood(isNameless, named),
    kills: [{ rule: "WRK-01", kind: "status", at: "status" }],
    alsoKills: ["ENV-05"]
  },
  {
    name: "worker-create-is-refused-for-its-name-when-it-is-done",
    rewrite: doneAndRefused(isNameless, named),
    kills: [{ rule: "WRK-01", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "worker-create-makes-up-an-identity",
    rewrite: understood(isFaceless, named),
    kills: [{ rule: "ENV-05", kind: "status", at: "status" }]
  },
  {
    name: "worker-create-without-a-name-is-unprocessable",
    rewrite: Rewrite.answers({ ...create, status: 400 }, (answer, request) =>
      isNameless(request)
        ? Answering.refusal(answer, 422, "UNPROCESSABLE", "identity.displayName is required.")
        : answer
    ),
    kills: [
      { rule: "WRK-01", kind: "status", at: "status" },
      { rule: "ENV-05", kind: "status", at: "status" }
    ]
  },
  {
    name: "worker-create-takes-a-number-for-a-name",
    rewrite: understood(
      (request) => typeof said(request, displayName) === "number",
      (request) => withIdentity(request, { displayName: String(said(request, displayName)) })
    ),
    kills: [{ rule: "ENV-06", kind: "status", at: "status" }]
  },
  {
    name: "worker-create-takes-a-text-for-an-identity",
    rewrite: understood(
      (request) => typeof said(request, "identity") === "string",
      (request) => withIdentity(request, { displayName: said(request, "identity") ?? null })
    ),
    kills: [{ rule: "ENV-06", kind: "status", at: "status" }]
  },
  {
    name: "worker-create-wants-an-external-id",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer, request) =>
      said(request, externalId) === undefined
        ? Answering.refusal(answer, 400, "INVALID_ARGUMENT", "source.externalId is required.")
        : answer
    ),
    kills: [{ rule: "WRK-11", kind: "status", at: "status" }]
  }
]

/** Answers to creates. */
const answerMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-create-answers-200",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer) => ({ ...answer, status: 200 })),
    kills: [{ rule: "WRK-02", kind: "status", at: "status" }]
  },
  {
    name: "worker-create-has-no-location",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer) => Rewrite.withHeader(answer, "Location", undefined)),
    kills: [{ rule: "WRK-02", kind: "missing", at: "header location" }]
  },
  {
    name: "worker-create-has-an-empty-location",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer) => Rewrite.withHeader(answer, "Location", "")),
    kills: [{ rule: "WRK-02", kind: "wrong-value", at: "header location" }]
  },
  {
    name: "worker-create-shows-a-list-of-one",
    rewrite: Rewrite.answers(
      { ...create, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data", [at(body, "data") ?? null]))
    ),
    kills: [{ rule: "WRK-02", kind: "wrong-type", at: "body.data" }],
    alsoKills: ["WRK-03", "WRK-04"]
  },
  {
    name: "worker-create-shows-no-meta",
    rewrite: Rewrite.answers(
      { ...create, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "meta", undefined))
    ),
    kills: [{ rule: "WRK-02", kind: "missing", at: "body.meta" }],
    alsoKills: ["ENV-01", "RID-02"]
  }
]

/** Adopts the id in the body of a create. */
const usingProposedIds = (serve: Serve): Serve => {
  const ids = new Map<string, string>()
  return Rewrite.all(
    Rewrite.requests({ path: /^\/workers\/[^/]+$/ }, (request) => ({
      ...request,
      url: request.url.replace(/[^/]+$/, (id) => ids.get(id) ?? id)
    })),
    Rewrite.answers({ ...create, status: 201 }, (answer, request) => {
      const [proposed, id] = [said(request, "id"), at(answer.json, "data.id")]
      if (typeof proposed !== "string" || typeof id !== "string") return answer
      ids.set(proposed, id)
      return Rewrite.mapJson((body) => Rewrite.put(body, "data.id", proposed))(answer)
    })
  )(serve)
}

const anyone: Key = () => "anyone"
const sourceOf: Key = (request) => {
  const source = said(request, externalId)
  return typeof source === "string" ? source : undefined
}
const sourceless: Key = (request) => (said(request, externalId) === undefined ? request.body : undefined)
const nobodysSource: Key = (request) => (said(request, externalId) === undefined ? "" : undefined)
const header =
  (name: string): Key =>
  (request) =>
    Rewrite.headerOf(request, name)

const taken = secondTime(create, header("idempotency-key"), (answer) =>
  Answering.refusal(answer, 409, "DUPLICATE_ID", "This key was used before.")
)

/** Identity and id of the created worker. */
const idMutants: ReadonlyArray<Mutant> = [
  {
    name: "worker-ids-begin-otherwise",
    rewrite: withPrefix("wkr_", "worker-"),
    kills: [{ rule: "WRK-03", kind: "wrong-value", at: "body.data.id" }]
  },
  {
    name: "worker-create-uses-the-proposed-id",
    rewrite: usingProposedIds,
    kills: [{ rule: "WRK-03", kind: "repeated", at: "body.data.id" }]
  },
  {
    name: "worker-create-breaks-down-over-a-proposed-id",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer, request) =>
      said(request, "id") === undefined ? answer : Answering.refusal(answer, 500, "INTERNAL", "Internal error.")
    ),
    kills: [{ rule: "WRK-03", kind: "status", at: "status" }]
  },
  {
    name: "worker-create-answers-with-the-first-worker",
    rewrite: remembering(create, anyone),
    kills: [{ rule: "WRK-04", kind: "repeated", at: "body.data.id" }]
  },
  {
    name: "worker-create-of-a-known-external-id-answers-with-its-worker",
    rewrite: remembering(create, sourceOf),
    kills: [{ rule: "WRK-12", kind: "repeated", at: "body.data.id" }]
  },
  {
    name: "worker-create-of-a-known-external-id-breaks-down",
    rewrite: secondTime(create, sourceOf, (answer) => Answering.refusal(answer, 500, "INTERNAL", "Internal error.")),
    kills: [{ rule: "WRK-12", kind: "status", at: "status" }]
  },
  {
    name: "worker-create-said-twice-without-an-external-id-answers-with-the-first",
    rewrite: remembering(create, sourceless),
    kills: [
      { rule: "WRK-12", kind: "repeated", at: "body.data.id" },
      { rule: "WRK-13", kind: "repeated", at: "body.data.id" }
    ]
  },
  {
    name: "worker-create-takes-no-external-id-for-one-of-its-own",
    rewrite: secondTime(create, nobodysSource, (answer) =>
      Answering.refusal(answer, 409, "DUPLICATE_ID", "The external id is taken.")
    ),
    kills: [
      { rule: "WRK-12", kind: "status", at: "status" },
      { rule: "WRK-13", kind: "status", at: "status" }
    ]
  },
  {
    name: "worker-create-knows-idempotency-keys",
    rewrite: remembering(create, header("idempotency-key")),
    kills: [{ rule: "WRK-13", kind: "repeated", at: "body.data.id" }]
  },
  {
    name: "worker-create-knows-idempotency-keys-by-another-name",
    rewrite: remembering(create, header("x-idempotency-key")),
    kills: [{ rule: "WRK-13", kind: "repeated", at: "body.data.id" }]
  },
  {
    name: "worker-create-takes-idempotency-keys-once",
    rewrite: taken,
    kills: [{ rule: "WRK-13", kind: "status", at: "status" }]
  }
]

/** Defects of creating workers. */
export const workerMutants: ReadonlyArray<Mutant> = [...requiredMutants, ...answerMutants, ...idMutants]
