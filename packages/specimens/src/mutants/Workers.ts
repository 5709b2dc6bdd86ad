import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import * as Answering from "../Answering.ts"
import { doneAndRefused } from "../Callers.ts"
import { type Mutant, mutant } from "../Mutant.ts"
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
      return Rewrite.field("data.id", proposed)(answer)
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

/** Defects of creating workers. */
export const workerMutants: ReadonlyArray<Mutant> = [
  // Required fields of creates.
  mutant("worker-create-makes-up-a-name", "WRK-01 status", { alsoKills: ["ENV-05"] }).rewrite(
    understood(isNameless, named)
  ),
  mutant("worker-create-is-refused-for-its-name-when-it-is-done", "WRK-01 wrong-value at body.data").rewrite(
    doneAndRefused(isNameless, named)
  ),
  mutant("worker-create-makes-up-an-identity", "ENV-05 status").rewrite(understood(isFaceless, named)),
  mutant("worker-create-without-a-name-is-unprocessable", ["WRK-01 status", "ENV-05 status"]).answers(
    { ...create, status: 400 },
    (answer, request) =>
      isNameless(request)
        ? Answering.refusal(answer, 422, "UNPROCESSABLE", "identity.displayName is required.")
        : answer
  ),
  mutant("worker-create-takes-a-number-for-a-name", "ENV-06 status").rewrite(
    understood(
      (request) => typeof said(request, displayName) === "number",
      (request) => withIdentity(request, { displayName: String(said(request, displayName)) })
    )
  ),
  mutant("worker-create-takes-a-text-for-an-identity", "ENV-06 status").rewrite(
    understood(
      (request) => typeof said(request, "identity") === "string",
      (request) => withIdentity(request, { displayName: said(request, "identity") ?? null })
    )
  ),
  mutant("worker-create-wants-an-external-id", "WRK-11 status").answers(
    { ...create, status: 201 },
    (answer, request) =>
      said(request, externalId) === undefined
        ? Answering.refusal(answer, 400, "INVALID_ARGUMENT", "source.externalId is required.")
        : answer
  ), // Answers to creates.
  mutant("worker-create-answers-200", "WRK-02 status").answers({ ...create, status: 201 }, (answer) => ({
    ...answer,
    status: 200
  })),
  mutant("worker-create-has-no-location", "WRK-02 missing at header location").answers(
    { ...create, status: 201 },
    (answer) => Rewrite.withHeader(answer, "Location", undefined)
  ),
  mutant("worker-create-has-an-empty-location", "WRK-02 wrong-value at header location").answers(
    { ...create, status: 201 },
    (answer) => Rewrite.withHeader(answer, "Location", "")
  ),
  mutant("worker-create-shows-a-list-of-one", "WRK-02 wrong-type at body.data", {
    alsoKills: ["WRK-03", "WRK-04", "WRK-14"]
  }).answers(
    { ...create, status: 201 },
    Rewrite.mapJson((body) => Rewrite.put(body, "data", [at(body, "data") ?? null]))
  ),
  mutant("worker-create-shows-no-meta", "WRK-02 missing at body.meta", { alsoKills: ["ENV-01", "RID-02"] }).answers(
    { ...create, status: 201 },
    Rewrite.field("meta", undefined)
  ), // Identity and id of the created worker.
  mutant("worker-ids-begin-otherwise", "WRK-03 wrong-value at body.data.id").rewrite(withPrefix("wkr_", "worker-")),
  mutant("worker-create-uses-the-proposed-id", "WRK-03 repeated at body.data.id", {
    alsoKills: ["WRK-02"]
  }).rewrite(usingProposedIds),
  mutant("worker-create-breaks-down-over-a-proposed-id", "WRK-03 status").answers(
    { ...create, status: 201 },
    (answer, request) =>
      said(request, "id") === undefined ? answer : Answering.refusal(answer, 500, "INTERNAL", "Internal error.")
  ),
  mutant("worker-create-answers-with-the-first-worker", "WRK-04 repeated at body.data.id", {
    alsoKills: ["WRK-02", "WRK-14", "WRK-05"]
  }).rewrite(remembering(create, anyone)),
  mutant("worker-create-of-a-known-external-id-answers-with-its-worker", "WRK-12 repeated at body.data.id", {
    alsoKills: ["WRK-02", "WRK-04"]
  }).rewrite(remembering(create, sourceOf)),
  mutant("worker-create-of-a-known-external-id-breaks-down", "WRK-12 status").rewrite(
    secondTime(create, sourceOf, (answer) => Answering.refusal(answer, 500, "INTERNAL", "Internal error."))
  ),
  mutant(
    "worker-create-said-twice-without-an-external-id-answers-with-the-first",
    ["WRK-12 repeated at body.data.id", "WRK-13 repeated at body.data.id"],
    { alsoKills: ["WRK-02", "WRK-04"] }
  ).rewrite(remembering(create, sourceless)),
  mutant("worker-create-takes-no-external-id-for-one-of-its-own", ["WRK-12 status", "WRK-13 status"]).rewrite(
    secondTime(create, nobodysSource, (answer) =>
      Answering.refusal(answer, 409, "DUPLICATE_ID", "The external id is taken.")
    )
  ),
  mutant("worker-create-knows-idempotency-keys", "WRK-13 repeated at body.data.id", {
    alsoKills: ["WRK-02", "WRK-04"]
  }).rewrite(remembering(create, header("idempotency-key"))),
  mutant("worker-create-knows-idempotency-keys-by-another-name", "WRK-13 repeated at body.data.id", {
    alsoKills: ["WRK-02", "WRK-04"]
  }).rewrite(remembering(create, header("x-idempotency-key"))),
  mutant("worker-create-takes-idempotency-keys-once", "WRK-13 status").rewrite(taken)
]
