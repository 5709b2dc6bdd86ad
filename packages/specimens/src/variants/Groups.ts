import type { Group, Profile } from "@wcs/conformance/profile/Profile"
import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Answering from "../Answering.ts"
import type { Serve } from "../Serve.ts"
import { everywhere, type JsonObject, without } from "../seams/Everywhere.ts"
import { has, lookingFor } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

/** Groups whose calls the specification does not document, by entity type. */
const groups = {
  exemption: "exemptions",
  screeningPackage: "screening-packages",
  complianceCheck: "compliance-checks",
  webhook: "webhooks",
  credentialCheck: "recruitment-checks",
  captureRequest: "fetch-requests"
}
const names = Object.values(groups).join("|")
const further = new RegExp(`^/(?:${names})(?:[/?]|$)`)
const furtherOne = new RegExp(`^/(?:applicants|${names})/[^/?]+$`)

const isFurther = (type: string): boolean => Object.hasOwn(groups, type)

const withGroups =
  (change: (group: Group, type: string) => Group) =>
  (profile: Profile): Profile => ({
    ...profile,
    groups: Object.fromEntries(
      Object.entries(profile.groups ?? {}).map(([type, group]) => [type, isFurther(type) ? change(group, type) : group])
    )
  })

const notAllowed = (answer: Answer): Answer =>
  answer.status === 401 || answer.status === 403
    ? answer
    : Answering.refusal(answer, 405, "METHOD_NOT_ALLOWED", "There is no such method.")

/** Accepts one method for changes; the other is unknown even with the privilege. */
const changedBy = (method: "PATCH" | "PUT", other: "PATCH" | "PUT"): Variant =>
  variant(`further-groups-are-changed-by-${method.toLowerCase()}-alone`, ["PRV-03", "PRV-09"]).by({
    rewrite: Rewrite.answers({ method: other, path: further }, notAllowed),
    profile: withGroups(({ update = [], ...group }) => ({
      ...group,
      update: update.filter((change) => change.method === method)
    }))
  })

/** No reads by id, and no known list of resources. */
const readNowhere = variant("further-groups-are-not-read-one-by-one", ["PRV-01", "PRV-14", "PRV-18"]).by({
  rewrite: Rewrite.answers({ method: "GET", path: furtherOne }, (answer) =>
    answer.status === 401 || answer.status === 403
      ? answer
      : Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")
  ),
  profile: withGroups(({ find: _, ...group }) => group)
})

/** Creates and reads, but no changes and deletes. */
const neverChanged = variant("further-groups-are-neither-changed-nor-deleted", ["PRV-03", "PRV-04", "DEL-03"], {
  offersLess: "further groups"
}).by({
  rewrite: Rewrite.all(
    Rewrite.answers({ method: "PATCH", path: further }, notAllowed),
    Rewrite.answers({ method: "PUT", path: further }, notAllowed),
    Rewrite.answers(
      { method: "DELETE", path: /^\/(?!(?:workers|credentials|applicants|compliance-checks)\/)/ },
      notAllowed
    )
  ),
  profile: withGroups(({ create, delete: how, find, path }, type) => ({
    ...(path !== undefined && { path }),
    ...(create && { create }),
    ...(find !== undefined && { find }),
    ...(how && type === "complianceCheck" && { delete: how })
  }))
})

/** State that changes by itself between reads. */
const goingOn = (serve: Serve): Serve => {
  let reads = 0
  return Rewrite.answers({ path: further, status: [200, 201] }, (answer) => {
    reads += 1
    const updatedAt = new Date(reads).toISOString()
    const live = everywhere((object) =>
      "createdAt" in object ? { ...object, updatedAt, state: `STEP_${reads}` } : object
    )
    return Rewrite.mapJson(live)(answer)
  })(serve)
}

const isCheck = (object: JsonObject): boolean => object["type"] === "complianceCheck"

/** A policy has its code in `slug`, and its title in an object of its own. */
const policies = Rewrite.all(
  Rewrite.requests({ path: /^\/compliance-checks(?:\/|$)/ }, (request: Request) => {
    const body = parse(request.body)
    if (!isObject(body)) return request
    const [code, displayName] = [at(body, "policy.slug"), at(body, "policy.title")]
    const given = { ...(code !== undefined && { code }), ...(displayName !== undefined && { displayName }) }
    return { ...request, body: JSON.stringify({ ...without(body, "policy", "code", "displayName"), ...given }) }
  }),
  Rewrite.answers(
    {},
    Rewrite.mapJson(
      everywhere((object): Json => {
        if (!isCheck(object)) return object
        const { code = null, displayName = null } = object
        return { ...without(object, "code", "displayName"), policy: { slug: code, title: displayName } }
      })
    )
  )
)

const withPolicies = (profile: Profile): Profile => ({
  ...profile,
  groups: {
    ...profile.groups,
    complianceCheck: {
      ...profile.groups?.["complianceCheck"],
      create: {
        body: { policy: { slug: "wcs-{{unique}}", title: "{{name}}" }, requirement: { credentialTypes: ["FIRST_AID"] } }
      },
      update: [{ method: "PATCH", path: "/compliance-checks/{{id}}", body: { policy: { title: "{{name}}" } } }]
    }
  }
})

/** The history of a resource is below it, appears a little later, and has more about the actor. */
const historyIsLate = (serve: Serve): Serve => {
  const asked = new Set<string>()
  return Rewrite.all(
    Rewrite.answers({ path: /^\/audit-events\?/, status: 200 }, (answer, { url }) => {
      const isFirst = !asked.has(url)
      asked.add(url)
      if (isFirst) return Rewrite.field("data", [])(answer)
      const acting = everywhere((object) => {
        const { account, ...entry } = object
        return account === undefined ? object : { ...entry, by: { urn: account, since: 2020 } }
      })
      return Rewrite.mapJson(acting)(answer)
    }),
    Rewrite.requests({ path: /^\/workers\/[^/]+\/history$/ }, (request) => ({
      ...request,
      url: request.url.replace(/\/workers\/([^/]+)\/history$/, "/audit-events?entityId=$1")
    }))
  )(serve)
}

const withHistory = (profile: Profile): Profile => ({
  ...profile,
  audit: { path: "/workers/{{id}}/history", actor: "by.urn" }
})

const bulk = /^\/fetch-requests\/many$/

/** Bulk fetch requests at another path and with other names. A success shows only the created id. */
const askedTogether = Rewrite.all(
  Rewrite.answers({ path: /^\/fetch-requests\/bulk$/, status: 200 }, (answer) => {
    const items = at(answer.json, "data")
    if (answer.json === undefined || !Array.isArray(items)) return answer
    const told = items.map(
      (item: Json): Json => (at(item, "success") === true ? { made: { id: at(item, "id") ?? null } } : item)
    )
    return Rewrite.withJson(answer, Rewrite.put(answer.json, "data", { results: told }))
  }),
  Rewrite.requests({ path: bulk }, (request) => {
    const body = parse(request.body)
    const people = at(body, "people")
    const workers = (Array.isArray(people) ? people : []).map((id: Json): Json => ({ id }))
    return {
      ...request,
      url: request.url.replace(/many$/, "bulk"),
      body: JSON.stringify({ workers, requestedCredentialTypes: ["FIRST_AID"] })
    }
  })
)

const withAskedTogether = (profile: Profile): Profile => ({
  ...profile,
  bulkFetchRequest: {
    path: "/fetch-requests/many",
    body: { people: ["{{worker}}", "{{nobody}}"] },
    items: "data.results",
    id: "made.id"
  }
})

/** A profile without applicants and resources that need them. */
const withoutApplicants = (profile: Profile): Profile => {
  const { applicant: _, credentialCheck: __, ...groups } = profile.groups ?? {}
  return { ...profile, groups, notOffered: [...(profile.notOffered ?? []), "applicant"] }
}

/** Privileges on workers also cover applicants: the specification does not give them an entity type of their own. */
const applicantsAreGuardedAsWorkers = variant("applicants-are-guarded-as-workers", ["PRV-06", "PRV-14"]).by({
  rules: lookingFor((privileges, asked) =>
    has(privileges, asked.entityType === "applicant" ? { ...asked, entityType: "worker" } : asked)
  ),
  profile: (profile) => ({
    ...profile,
    principals: {
      ...profile.principals,
      limited: (profile.principals.limited ?? []).map(
        ({ privileges: { applicant: _, ...privileges }, ...limited }) => ({
          ...limited,
          privileges
        })
      )
    }
  })
})

/** Groups besides workers and credentials, which are hardly documented. */
export const groupVariants: ReadonlyArray<Variant> = [
  changedBy("PUT", "PATCH"),
  changedBy("PATCH", "PUT"),
  readNowhere,
  neverChanged,
  variant("further-groups-go-on-by-themselves", ["PRV-09", "ENV-16", "ENV-17"]).rewrite(goingOn),
  variant("compliance-checks-have-their-codes-elsewhere", ["DEL-04", "DEL-05", "DEL-06"]).by({
    rewrite: policies,
    profile: withPolicies
  }),
  variant("history-stands-elsewhere-and-comes-late", ["PRV-15"]).by({ rewrite: historyIsLate, profile: withHistory }),
  variant("many-are-asked-otherwise", ["BLK-17"]).by({ rewrite: askedTogether, profile: withAskedTogether }),
  variant("nothing-is-told-of-applicants", ["CRD-10", "OWN-02"], { offersLess: "owners" }).by({
    profile: withoutApplicants
  }),
  applicantsAreGuardedAsWorkers
]
