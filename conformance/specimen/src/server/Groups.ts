import { inside, objectIn, text, texts } from "./BodyFields.ts"
import { type Call, idOf, Refusal, refuse } from "./Call.ts"
import type { Group, Operation } from "./Group.ts"
import { someOdd } from "./Odd.ts"
import { newId } from "./shown/Ids.ts"
import { type Fields, isFields, type Resource, random, resourcesOf } from "./World.ts"

const every: ReadonlyArray<Operation> = ["READ", "CREATE", "UPDATE", "DELETE"]

/** Fails if no resource of this type has the id. */
const known = (call: Call, type: string, value: unknown): void => {
  if (value === undefined) return
  if (resourcesOf(call.tenant, type).get(String(value))?.deletedAt !== null) throw refuse.broken(`Unknown ${type}.`)
}

const external = (resource: Resource): string => String(inside(resource.fields, "source")["externalId"] ?? "")

/** The ways in which a lookup is wrongly inexact, by their names in the table of faults. */
const inexact: Readonly<Record<string, (have: string, asked: string) => boolean>> = {
  prefix: (have, asked) => have.startsWith(asked),
  suffix: (have, asked) => have.endsWith(asked),
  substring: (have, asked) => have.includes(asked),
  "longer value": (have, asked) => asked.startsWith(have),
  padding: (have, asked) => have.trim() === asked.trim(),
  "Unicode form": (have, asked) => have.normalize("NFC") === asked.normalize("NFC"),
  "letter case": (have, asked) => have.toLowerCase() === asked.toLowerCase(),
  punctuation: (have, asked) => have.replaceAll(/[-_. ]/g, "") === asked.replaceAll(/[-_. ]/g, ""),
  wildcard: (have, asked) =>
    /[%*]/.test(asked) && new RegExp(`^${asked.replaceAll(/[^\w%*-]/g, ".").replaceAll(/[%*]/g, ".*")}$`).test(have),
  "first 16 characters": (have, asked) => have.slice(0, 16) === asked.slice(0, 16)
}

/** Whether a lookup finds an external id. `parameter` is that of the query. */
export const isNamed = (call: Call, parameter: string, have: string, owner = "worker", since = "create"): boolean => {
  const asked = call.request.url.searchParams.get(parameter)
  if (asked === null) return true
  const isMissed = (odd: string) => call.at("a lookup misses", { parameter, owner, odd, since })
  if (have === asked) return have !== "" && !someOdd(have, isMissed)
  if (have === "" || asked === "") return false
  return Object.entries(inexact).some(
    ([near, isNear]) => isNear(have, asked) && call.at("a lookup is inexact", { parameter, owner, near })
  )
}

const source = (call: Call, body: Fields): Fields => {
  const from = objectIn(call, body, "source")
  const externalId = text(call, from, "externalId")
  if (externalId === undefined) {
    if (call.at("an external id is required")) throw refuse.malformed("source.externalId is required.")
    return {}
  }
  const isChanged = someOdd(externalId, (odd) => call.at("an externalId is stored otherwise", { odd }))
  if (isChanged) return { source: { externalId: `${externalId.trim()}-0` } }
  return { source: { ...texts(call, from, [], ["system"]), externalId } }
}

export const workers: Group = {
  path: "/workers",
  type: "worker",
  prefix: "wkr_",
  operations: every,
  update: "PUT",
  read: (call, whole, before) => {
    const { chosen } = call.world
    const body = chosen("body of a worker", "its fields") === "in attributes" ? inside(whole, "attributes") : whole
    const isStrange = Object.keys(body).some((name) => !["identity", "phone", "source"].includes(name))
    if (isStrange && before === undefined && chosen("unknown fields", "ignored") === "refused") {
      throw refuse.malformed("A field is unknown.")
    }
    const identity = texts(call, objectIn(call, body, "identity"), ["displayName"], ["birthDate"])
    const needsPhone = before === undefined && chosen("a worker needs a phone", false)
    const phone = needsPhone ? texts(call, body, ["phone"], []) : texts(call, body, [], ["phone"])
    return { identity, ...phone, ...source(call, body) }
  },
  show: (call, { fields, type }) => {
    const { source, ...others } = fields
    const shown = call.at("no externalId is shown") ? others : fields
    const isFlat = call.world.chosen("fields of a worker", "in attributes") === "on the worker"
    return { kind: type, ...(isFlat ? shown : { attributes: shown }) }
  },
  matches: (call, resource) => isNamed(call, "externalId", external(resource))
}

export const applicants: Group = {
  path: "/applicants",
  type: "applicant",
  prefix: "app_",
  operations: every,
  update: "PATCH",
  read: (call, body, before) => {
    const whole = { ...before?.fields, ...body }
    return { ...texts(call, whole, ["fullName", "email"], ["phone"]), ...source(call, whole) }
  },
  matches: (call, resource) => isNamed(call, "externalId", external(resource), "applicant")
}

const exemptions: Group = {
  path: "/exemptions",
  type: "exemption",
  prefix: "exo_",
  operations: every,
  update: "PUT",
  read: (call, body) => {
    const fields = texts(call, body, ["worker", "grounds"], ["from", "until"])
    known(call, "worker", fields["worker"])
    const { from = "", until = "9" } = fields
    if (from > until && !call.at("a business rule is not kept")) throw refuse.broken("until is before from.")
    return fields
  }
}

const recruitmentChecks: Group = {
  path: "/recruitment-checks",
  type: "credentialCheck",
  prefix: "rec_",
  operations: every,
  update: "PUT",
  read: (call, body) => {
    const fields = texts(call, body, ["applicant", "package"], ["note"])
    known(call, "applicant", fields["applicant"])
    return fields
  }
}

export const fetchRequests: Group = {
  path: "/fetch-requests",
  type: "captureRequest",
  prefix: "fet_",
  operations: every,
  update: "PATCH",
  remove: "/fetch-requests/by-id/{id}",
  read: (call, body, before) => {
    const fields = texts(call, { ...before?.fields, ...body }, ["worker"], ["note"])
    known(call, "worker", fields["worker"])
    return fields
  }
}

/** Whether code and title of a compliance check are in an object of their own. */
const hasPolicy = (call: Call): boolean => call.world.chosen("code of a compliance check", "code") === "policy.slug"

/** The fields of a compliance check in a body. */
const checkIn = (call: Call, body: Fields): Fields => {
  if (!hasPolicy(call)) return body
  const { code: _, policy: __, title: ___, ...others } = body
  const { slug, title } = inside(body, "policy")
  return { ...others, ...(slug !== undefined && { code: slug }), ...(title !== undefined && { title }) }
}

const complianceChecks: Group = {
  path: "/compliance-checks",
  type: "complianceCheck",
  prefix: "",
  operations: every,
  update: "PUT",
  read: (call, body, before) => {
    const given = checkIn(call, body)
    const fields = texts(call, { ...(before && { code: before.id }), ...given }, ["code", "title"], ["note"])
    if (before !== undefined && fields["code"] !== before.id) throw refuse.malformed("code cannot change.")
    return fields
  },
  show: (call, { fields, type }) => {
    const { code, title, ...others } = fields
    return { kind: type, ...(hasPolicy(call) ? { ...others, policy: { slug: code, title } } : fields) }
  },
  id: (call, fields) => {
    const code = String(fields["code"])
    const before = resourcesOf(call.tenant, "complianceCheck").get(code)
    const near = [...resourcesOf(call.tenant, "complianceCheck").keys()].some((id) => id === code)
    const state = before?.deletedAt === null ? "live" : "deleted"
    Object.assign(call.details, { state })
    if (before !== undefined && near && !call.at("a code is used twice", { state })) {
      if (call.at("a refused duplicate is stored", { state })) Object.assign(before, { fields, deletedAt: null })
      throw refuse.conflict("DUPLICATE_ID", `${code} exists or existed.`)
    }
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(code)) throw refuse.malformed("code has another form.")
    return call.at("a code is not the id") ? `chk_${random()}` : code
  }
}

const readOnly = (path: string, type: string): Group => ({
  path,
  type,
  prefix: "",
  operations: ["READ"],
  read: () => ({}),
  id: () => random()
})

export const bans = readOnly("/bans", "ban")
const screeningPackages = readOnly("/screening-packages", "screeningPackage")

/** The audit log: entries are read by the id of a resource. */
export const auditTrail = (call: Call) => {
  const asked = call.request.url.searchParams.get("resource")
  const isHidden = (resource: string) =>
    call.world.kept.get(`made ${resource}`) === "second client" && call.at("entries of a second client are missing")
  const all = call.tenant.audit.filter(({ resource }) => (asked === null || resource === asked) && !isHidden(resource))
  // the latest entries are first in the list of all
  const entries = asked === null ? all.slice(-200).toReversed() : all
  const second = "urn:stranger:acct:client-2"
  const data = entries.slice(-200).map(({ action, by, resource }) => ({
    what: action,
    resource,
    by:
      by === call.tenant.service.urn &&
      call.world.kept.get(`made ${resource}`) === "second client" &&
      call.at("an entry names the client")
        ? second
        : by
  }))
  return { status: 200, data }
}

/** The history of a worker. It is empty in the first read. */
export const history = (call: Call) => {
  if (call.world.chosen("audit log", "a list") !== "below the worker") {
    throw new Refusal(404, "NOT_FOUND", "path", "Unknown path.")
  }
  const key = `history ${idOf(call)}`
  const isFirst = !call.world.kept.has(key)
  call.world.kept.set(key, "")
  const own = call.tenant.audit.filter(({ resource }) => resource === idOf(call))
  const data = own.map(({ action, by }) => ({ what: action, by: { urn: by, since: 2020 } }))
  return { status: 200, data: isFirst ? [] : data }
}

/** A token of a user or an OAuth client: the secret is in the response to the create only. */
const issued = (path: string, type: string, prefix: string, field: string, secretOf: () => string): Group => ({
  path,
  type,
  prefix,
  operations: ["READ", "CREATE", "DELETE"],
  read: (call, body) => texts(call, body, ["label"], []),
  created: (call, resource) => {
    const secret = secretOf()
    call.tenant.secrets.set(resource.id, secret)
    if (call.at("a create shows no secret")) return {}
    return {
      shown: { [fieldIn(call, field)]: secret, ...(type === "apiClient" && { clientId: clientIdOf(call, resource) }) }
    }
  },
  show: (call, resource) => ({
    kind: type,
    ...resource.fields,
    ...(type === "apiClient" && { clientId: clientIdOf(call, resource) }),
    ...(call.at("a secret is shown again", { by: call.request.method }) && call.request.method === "GET"
      ? { [fieldIn(call, field)]: call.tenant.secrets.get(resource.id) }
      : {})
  })
})

/** The name of the field with a secret. */
const fieldIn = (call: Call, usual: string): string => call.world.chosen("field of an issued secret", usual)

const clientIdOf = (call: Call, { id }: Resource): string =>
  call.at("a client id has another prefix") ? `client_${id}` : `stranger_oauth_${id.slice(4)}`

export const accessTokens = issued("/my/tokens", "accessToken", "tok_", "token", () => `pat-${random(20)}`)
export const apiClients = issued("/my/clients", "apiClient", "cli_", "clientSecret", () => random(24))

/** The groups without calls of their own. */
export const plainGroups: ReadonlyArray<Group> = [
  workers,
  applicants,
  exemptions,
  recruitmentChecks,
  fetchRequests,
  complianceChecks,
  screeningPackages,
  bans,
  accessTokens,
  apiClients
]

/** Creates fetch requests for several workers. Failures are reported by item. */
export const fetchBatch = (call: Call) => {
  const areIds = call.world.chosen("bulk fetch requests", "requests") === "people"
  const asked = call.body()[areIds ? "people" : "requests"]
  if (!Array.isArray(asked)) throw refuse.malformed("requests must be a list.")
  const results = asked.map((item: unknown) => {
    const worker = areIds ? item : isFields(item) ? item["worker"] : undefined
    if (resourcesOf(call.tenant, "worker").get(String(worker))?.deletedAt === null) {
      const id = newId(call.world, fetchRequests.prefix)
      const fields = { worker, note: call.body()["note"] }
      const made = { id, type: fetchRequests.type, fields, createdAt: new Date().toISOString(), deletedAt: null }
      resourcesOf(call.tenant, fetchRequests.type).set(id, made)
      if (call.at("a fetch request of a batch is not stored")) resourcesOf(call.tenant, fetchRequests.type).delete(id)
      return areIds ? { made: { id } } : { success: true, request: { id, worker } }
    }
    if (call.at("a failed item stops the batch")) throw refuse.unknown("worker")
    const error = "The worker is unknown."
    if (call.at("an item's error is an object")) return { success: false, error: { message: error } }
    return call.at("a failed item has no error") ? { success: false } : { success: false, error }
  })
  return { status: call.at("a batch is 207") ? 207 : 200, data: { results } }
}
