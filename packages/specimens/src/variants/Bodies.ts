import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "../Serve.ts"
import { everywhere, type JsonObject, only, without } from "../seams/Everywhere.ts"
import { isByBasic, me } from "../seams/LegacySeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const fieldsOfWorkers = ["identity", "contact", "employment", "source"]

const isWorker = ({ id }: JsonObject): boolean => typeof id === "string" && id.startsWith("wkr_")

const withAttributes = (worker: JsonObject): JsonObject => ({
  ...without(worker, ...fieldsOfWorkers),
  attributes: only(worker, ...fieldsOfWorkers)
})

/** Shows a worker's fields under `attributes`, like a credential's (SIL-22). */
const showAttributes = Rewrite.answers(
  {},
  Rewrite.mapJson(everywhere((object) => (isWorker(object) ? withAttributes(object) : object)))
)

/** Accepts the fields there and nowhere else. */
const takeAttributes = Rewrite.requests({ path: /^\/workers(?:\/|$)/ }, (request) => {
  const body = parse(request.body)
  if (!isObject(body)) return request
  const { attributes = {}, ...others } = without(body, ...fieldsOfWorkers)
  return { ...request, body: JSON.stringify(isObject(attributes) ? { ...others, ...attributes } : others) }
})

/** The profile bodies for such a deployment. */
const workersHaveAttributes = (profile: Profile): Profile => {
  const { worker, ...groups } = profile.groups ?? {}
  if (worker?.create === undefined) return profile
  const inside = (body: Json): Json => ({ attributes: body })
  const update = (worker.update ?? []).map((change) => ({ ...change, body: inside(change.body) }))
  return {
    ...profile,
    groups: { ...groups, worker: { ...worker, create: { body: inside(worker.create.body) }, update } }
  }
}

/** Adds fields to every object and changes the order of keys. */
const embroidered = everywhere((object) => {
  const turned = Object.fromEntries(Object.entries(object).toReversed())
  return { _links: { self: "https://links.example/1" }, ...turned, vendorExtension: [null, 1, "x"] }
})

/** With Basic, the organization has two fields only (LEG-02). */
const showsTwoFieldsAlone = (request: Request): boolean => isByBasic(request) && me.path.test(Rewrite.pathOf(request))

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

const least = (json: Json): Json => {
  if (!isObject(json)) return json
  const { data = null, meta } = json
  const kept = ["requestId", "correlationId", "total", "succeeded", "failed"]
  return { data: everywhere(bare)(data), ...(isObject(meta) ? { meta: only(meta, ...kept) } : {}) }
}

/** Only the fields that the specification shows or the profile's changes write. */
const bare = (object: JsonObject): JsonObject => {
  if (!("createdAt" in object)) return object
  const isApplicant = typeof object["id"] === "string" && object["id"].startsWith("app_")
  if (isApplicant) return only(object, "id")
  const shown = only(object, "id", "identity", "source", "contact")
  const { attributes } = object
  return isObject(attributes) ? { ...shown, attributes: only(attributes, "owners", "cardType") } : shown
}

const withoutBody = (answer: Answer): Answer => ({
  ...Rewrite.withHeader(answer, "content-type", undefined),
  text: "",
  json: undefined
})

const relative = (answer: Answer, method: string): Answer => {
  const location = answer.headers["location"]
  return location === undefined || method !== "POST"
    ? answer
    : Rewrite.withHeader(answer, "location", location.replace(/^\/openapi\/v1\//, ""))
}

/** Different ids in body and header (SIL-14). Errors have an id only in the header. */
const twoRequestIds = Rewrite.answers({}, (answer) => {
  if (!isSuccess(answer) || !isObject(answer.json) || !isObject(answer.json["meta"])) return answer
  const id = `req-${String(answer.json["meta"]["requestId"])}`
  return Rewrite.withHeader(
    Rewrite.withJson(answer, Rewrite.put(answer.json, "meta.requestId", id)),
    "x-request-id",
    undefined
  )
})

/** A worker needs an address too; a missing privilege is refused first. */
const addressIsRequired = Rewrite.requests({ method: "POST", path: /^\/workers$/ }, (request) =>
  at(parse(request.body), "contact.workEmail") === undefined ? { ...request, body: "{}" } : request
)

const withAddress = (profile: Profile): Profile => {
  const { worker, ...groups } = profile.groups ?? {}
  if (worker === undefined) return profile
  const body = {
    identity: { displayName: "{{name}}" },
    contact: { workEmail: "{{email}}" },
    source: { externalId: "{{unique}}" }
  }
  return { ...profile, groups: { ...groups, worker: { ...worker, create: { body } } } }
}

/** A verification runs by itself, so each read shows another state. */
const verifying = (serve: Serve): Serve => {
  let reads = 0
  const verified = everywhere((object) => {
    const { attributes, id } = object
    if (typeof id !== "string" || !id.startsWith("cred_") || !isObject(attributes)) return object
    const updatedAt = new Date(reads).toISOString()
    return {
      ...object,
      updatedAt,
      attributes: { ...attributes, statusDetail: `STEP_${reads}`, lastVerifiedAt: updatedAt }
    }
  })
  return Rewrite.answers({ path: /^\/credentials/, status: [200, 201] }, (answer) => {
    reads += 1
    return Rewrite.mapJson(verified)(answer)
  })(serve)
}

/** Content and order of bodies. */
export const bodyVariants: ReadonlyArray<Variant> = [
  variant("workers-need-an-address", ["WRK-01", "SIL-22"]).by({ rewrite: addressIsRequired, profile: withAddress }),
  variant("credentials-are-verified-meanwhile", ["ENV-16", "ENV-17", "SIL-20"]).rewrite(verifying),
  variant("workers-are-shown-with-attributes", ["SIL-22"]).rewrite(showAttributes),
  variant("more-fields-than-shown", ["LEG-02", "SIL-32"]).answers({}, (answer, request) => {
    if (showsTwoFieldsAlone(request)) return answer
    const more = Rewrite.mapJson(embroidered)(answer)
    const type = isSuccess(answer) ? "application/vnd.api+json; charset=utf-8" : "application/problem+json"
    return answer.json === undefined ? answer : Rewrite.withHeader(more, "content-type", type)
  }),
  variant("workers-are-taken-with-attributes", ["SIL-22"]).by({
    rewrite: Rewrite.all(takeAttributes, showAttributes),
    profile: workersHaveAttributes
  }),
  variant("no-more-fields-than-shown", ["SIL-14", "SIL-29"]).rewrite(
    Rewrite.all(
      Rewrite.answers({ status: [200, 201], path: /^\/(?:workers|credentials|applicants)/ }, (answer, { method }) =>
        relative(Rewrite.mapJson(least)(answer), method)
      ),
      twoRequestIds
    )
  ),
  variant("writes-answer-no-body", ["OWN-01", "OWN-07", "OWN-11", "ENV-01", "ENV-16"]).rewrite(
    Rewrite.all(
      Rewrite.answers(
        { method: "POST", path: /^\/credentials\/[^/]+\/(?:link|unlink|transfer)$/, status: 200 },
        withoutBody
      ),
      Rewrite.answers({ method: "PUT", status: 200 }, (answer) => ({ ...withoutBody(answer), status: 204 })),
      Rewrite.answers({ method: "PATCH", status: 200 }, (answer) => ({ ...withoutBody(answer), status: 204 })),
      Rewrite.answers(
        { method: "POST", path: /^\/(?:credentials|applicants)$/, status: 201 },
        Rewrite.mapJson((body) =>
          isObject(body) && isObject(body["data"]) ? { ...body, data: only(body["data"], "id") } : body
        )
      )
    )
  )
]
