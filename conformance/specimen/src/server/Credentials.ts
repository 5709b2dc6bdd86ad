import { randomUUID } from "node:crypto"
import { inside, text, texts } from "./BodyFields.ts"
import { type Call, idOf, type Reply, refusalAs, refuse } from "./Call.ts"
import { emit } from "./Deliveries.ts"
import { typeOf } from "./Forms.ts"
import { findLive, type Group } from "./Group.ts"
import { isNamed } from "./Groups.ts"
import { oddnessOf } from "./Odd.ts"
import { type Fields, isFields, type Resource, resourcesOf } from "./World.ts"

/** The external id of an owner. */
const externalOf = (call: Call, type: "worker" | "applicant", id: unknown): string => {
  const owner = resourcesOf(call.tenant, type).get(String(id))
  return String(inside(owner?.fields ?? {}, "source")["externalId"] ?? "")
}

const isOwnedBy = (call: Call, { fields, id }: Resource): boolean => {
  if (!call.request.url.searchParams.has("ownerExternalId")) return true
  const owners = isFields(fields["owners"]) ? fields["owners"] : {}
  const since = call.world.kept.get(`last ${id}`) ?? "create"
  const isIn = (["worker", "applicant"] as const).some((type) =>
    isNamed(call, "ownerExternalId", externalOf(call, type, owners[type]), type, since)
  )
  const asked = call.request.url.searchParams.get("ownerExternalId")
  const former = (["worker", "applicant"] as const).some(
    (type) => externalOf(call, type, call.world.kept.get(`previous ${type} ${id}`)) === asked && asked !== ""
  )
  return isIn || (former && call.at("a former owner still finds the credential", { since }))
}

const ownerIn = (call: Call, body: Fields, type: "worker" | "applicant"): string => {
  const isReference = call.world.chosen("owners of a new credential", "two fields") === "one reference"
  const owner = isReference ? inside(body, "owner") : {}
  const id = isReference
    ? owner["type"] === type
      ? (text(call, owner, "id") ?? "")
      : ""
    : (text(call, body, `${type}Id`) ?? "")
  if (id !== "" && resourcesOf(call.tenant, type).get(id)?.deletedAt !== null) throw refuse.broken(`Unknown ${type}.`)
  return id
}

/** The forms of an empty slot, besides an empty text. */
const empty: Readonly<Record<string, unknown>> = { null: null, "an object": {}, "a list": [] }

/** The fields of a credential, with each empty slot as the server shows it. */
export const fieldsOf = (call: Call, { fields }: Resource): Fields => {
  const form = call.world.chosen("an empty slot", "a text")
  const { owners, ...others } = fields
  if (!isFields(owners) || form === "a text") return fields
  const shown = Object.entries(owners).map(([slot, id]) => [slot, id === "" ? empty[form] : id])
  return { ...others, owners: Object.fromEntries(shown) }
}

const showOwners = (call: Call, owners: unknown): unknown => {
  if (!isFields(owners)) return owners
  const { applicant, worker } = owners
  if (worker === "" && call.at("an empty slot has no key", { slot: "worker" })) return { applicant }
  if (applicant === "" && call.at("an empty slot has no key", { slot: "applicant" })) return { worker }
  if (worker !== "" && call.at("a slot is a list", { slot: "worker" })) return { worker: [worker, worker], applicant }
  if (applicant !== "" && call.at("a slot is a list", { slot: "applicant" }))
    return { worker, applicant: [applicant, applicant] }
  if (worker !== "" && applicant !== "" && call.at("the slots are confused"))
    return { worker: applicant, applicant: worker }
  return owners
}

/** The outcome of a verification. Only checks of the type wwc can be verified. */
const outcomeOf = () => ({ eligibility: "MAY_ENGAGE", statusDetail: "VALID", expiryDate: "2031-06-30" })

export const credentials: Group = {
  path: "/credentials",
  type: "credential",
  prefix: "cred_",
  operations: ["READ", "CREATE", "UPDATE", "DELETE"],
  update: "PATCH",
  read: (call, body, before) => {
    const fields = texts(call, { ...before?.fields, ...body }, ["what"], ["number", "holder"])
    if (before !== undefined) return { ...fields, owners: before.fields["owners"] }
    return { ...fields, owners: { worker: ownerIn(call, body, "worker"), applicant: ownerIn(call, body, "applicant") } }
  },
  show: (call, resource) => {
    const { owners, ...others } = fieldsOf(call, resource)
    if (call.at("no owners are shown")) return { attributes: others }
    if (call.at("owners are outside the attributes")) return { attributes: others, owners }
    return { attributes: { ...others, owners: showOwners(call, owners) } }
  },
  matches: isOwnedBy,
  created: (call, resource) => {
    const correlationId = randomUUID()
    if (resource.fields["what"] === "wwc" && !call.at("a create starts no verification")) {
      emit(call, { trigger: "create", correlationId, credential: resource, outcome: outcomeOf() })
    }
    if (call.at("a create has no correlationId")) return {}
    if (call.at("a create has an empty correlationId")) return { meta: { correlationId: "" } }
    return { meta: { correlationId } }
  }
}

const correlationOf = (call: Call, asked: unknown): string => {
  const kept = call.world.kept.get("correlation")
  if (asked === undefined || asked === null) {
    const made = kept !== undefined && call.at("a correlation id is used again") ? kept : randomUUID()
    call.world.kept.set("correlation", made)
    return made
  }
  if (typeof asked !== "string" && call.at("a value of another type is accepted", { field: "correlationId" }))
    return String(asked)
  if (typeof asked !== "string" || asked === "") throw refuse.malformed("correlationId must be a text.", "type")
  if (asked.length > 1000) throw refuse.malformed("correlationId is too long.")
  return asked
}

/**
 * Refuses the literal placeholder as correlation id. With a fault, also refuses a similar text, or accepts the literal.
 */
const checkPlaceholder = (call: Call, asked: unknown, start: () => void): void => {
  if (typeof asked !== "string") return
  const isNear = asked !== "string" && /^["\s]*strings?["\s]*$/i.test(asked)
  if (isNear && !call.at("a neighbour of the placeholder is refused")) return
  if (!isNear && asked !== "string") return
  if (asked === "string" && call.at("the placeholder is accepted")) return
  if (asked === "string" && call.at("a refused verification starts")) start()
  const refusal = call.world.chosen("refusal of a literal correlation id", "422 UNPROCESSABLE")
  throw refusalAs(refusal, "correlationId is a placeholder.", "rule")
}

const withFaults = (call: Call, place: Fields & Record<string, string>, data: Fields): Fields => {
  const told = { ...data }
  for (const name of ["eligibility", "statusDetail", "correlationId", "requestId", "errorMessage"]) {
    if (call.at("a field is missing", { ...place, name })) delete told[name]
    if (call.at("a field has another type", { ...place, name })) told[name] = name === "errorMessage" ? [] : 1
  }
  if (call.at("a date has a time", place)) told["expiryDate"] = "2031-06-30T00:00:00Z"
  if (call.at("a date has slashes", place)) told["expiryDate"] = "30/06/2031"
  return told
}

/** Whether the caller wants a fresh outcome: `absent`, `true` or `false`. */
const forceIn = (call: Call, value: unknown, start: () => void): string => {
  if (value === undefined) return "absent"
  if (typeof value === "boolean") return String(value)
  const place = { field: "forceRefresh", type: typeOf(value) }
  if (call.at("a value of another type is accepted", place)) return String(Boolean(value))
  if (call.at("a refused value of another type starts a verification", place)) start()
  throw refuse.malformed("forceRefresh must be true or false.", "type")
}

/** The credential of a verification. */
const verifiedIn = (call: Call): Resource =>
  !resourcesOf(call.tenant, "credential").has(idOf(call)) && call.at("an unknown credential is accepted")
    ? { id: idOf(call), type: "credential", fields: { what: "wwc" }, createdAt: "", deletedAt: null }
    : findLive(credentials, call, idOf(call))

/** The outcome as a response has it. */
const answeredOutcome = (call: Call, force: string): Fields => {
  const known = { ...outcomeOf(), errorMessage: null, requestId: call.requestId }
  if (call.world.chosen("words of a verification", "plain") === "plain") return known
  const expiryDate = force === "false" ? null : known.expiryDate
  return { ...known, expiryDate, eligibility: "cleared", errorMessage: "", requestId: "7c0f1f0e" }
}

/** The response to a verification: in the envelope, without one, or both. */
const verified = (call: Call, data: Fields): Reply => {
  const { chosen } = call.world
  const status = chosen("status of a verification", 200)
  const form = chosen("response to a verification", "in the envelope")
  if (form === "in the envelope") return { status, data }
  const envelope = form === "both" ? { data, meta: { requestId: call.requestId } } : {}
  return { status, whole: JSON.stringify({ ...data, ...envelope }) }
}

/** Verifies a credential. The event follows the response. */
export const verify = (call: Call): Reply => {
  const credential = verifiedIn(call)
  const { correlationId: asked, forceRefresh } = call.body()
  const emitFor = (correlationId: string, force: string) =>
    emit(call, { trigger: "verify", force, correlationId, credential, outcome: outcomeOf() })
  const force = forceIn(call, forceRefresh, () => emitFor(call.requestId, "absent"))
  if (call.at("forceRefresh is refused", { force })) throw refuse.malformed("forceRefresh is wrong.")
  if (credential.fields["what"] !== "wwc") throw refuse.broken("It cannot be verified.")
  checkPlaceholder(call, asked, () => emitFor("string", force))
  const correlationId = correlationOf(call, asked)
  const origin = asked === undefined ? "generated" : oddnessOf(correlationId)
  const isKnown = asked !== undefined && asked !== null && force !== "true"
  if (!isKnown || call.world.chosen("event of a verification without forceRefresh", true)) emitFor(correlationId, force)
  const echoed =
    asked !== undefined && call.at("a correlationId is not echoed", { odd: origin })
      ? randomUUID()
      : asked !== undefined &&
          call.at("a correlationId is cut", { length: correlationId.length > 36 ? "over 36" : "short" })
        ? correlationId.slice(0, 36)
        : correlationId
  const answer = { ...answeredOutcome(call, force), correlationId: echoed }
  return verified(call, withFaults(call, { force, origin }, answer))
}
