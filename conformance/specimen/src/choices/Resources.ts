import type { Group, Profile } from "@wcs/conformance/profile/Profile"
import { type Choice, choice, choicesOf, withGroup } from "./Rows.ts"

const withoutFind = ({ find: _, ...group }: Group): Group => group

const further = ["exemption", "complianceCheck", "webhook", "credentialCheck", "captureRequest", "screeningPackage"]

const withFurther =
  (change: (group: Group, type: string) => Group) =>
  (profile: Profile): Profile =>
    further.reduce((before, type) => withGroup(type, (group) => change(group, type))(before), profile)

const withGroups =
  (change: (group: Group) => Group) =>
  (profile: Profile): Profile => ({
    ...profile,
    groups: Object.fromEntries(Object.entries(profile.groups ?? {}).map(([type, group]) => [type, change(group)]))
  })

/** Creates and reads, but no changes, and deletes of compliance checks alone. */
const withoutChanges = ({ delete: how, update: _, ...group }: Group, type: string): Group => ({
  ...group,
  ...(how && type === "complianceCheck" && { delete: how })
})

const workerBody = { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }

const withAttributes = withGroup("worker", ({ create, update = [], ...group }) => ({
  ...group,
  ...(create && { create: { body: { attributes: create.body } } }),
  update: update.map((one) => ({ ...one, body: { attributes: one.body } }))
}))

const moved = [
  ["/applicants", "/people/directory"],
  ["/exemptions", "/waivers"],
  ["/compliance-checks", "/policies/all"]
] as const

const movedPath = (path: string): string => {
  const [usual, other] = moved.find(([usual]) => path.startsWith(usual)) ?? ["", ""]
  return `${other}${path.slice(usual.length)}`
}

const withMovedPaths = (profile: Profile): Profile => {
  const { businessRule } = profile
  const told = withGroups(({ delete: how, find, path, update, ...group }) => ({
    ...group,
    ...(path !== undefined && { path: movedPath(path) }),
    ...(find !== undefined && { find: movedPath(find) }),
    ...(how && { delete: { ...how, path: movedPath(how.path) } }),
    ...(update && { update: update.map((one) => ({ ...one, path: movedPath(one.path) })) })
  }))(profile)
  return {
    ...told,
    ...(businessRule && { businessRule: { ...businessRule, path: movedPath(businessRule.path) } })
  }
}

const archived = withGroups(({ delete: how, ...group }) => ({
  ...group,
  ...(how && { delete: { method: "POST" as const, path: `${how.path}/archive` } })
}))

const withPolicies = withGroup("complianceCheck", (group) => ({
  ...group,
  create: { body: { policy: { slug: "{{unique}}", title: "{{name}}" } } },
  update: (group.update ?? []).map((one) => ({ ...one, body: { policy: { title: "{{name}}" }, note: "{{unique}}" } }))
}))

const lists: ReadonlyArray<Choice> = [
  // the server's own: 20, at most 200, and 400 above
  choice("page size", 10, ["SIL-11"]),
  ...choicesOf("largest page", ["50, a larger one is refused", "50, a larger one is clamped"], ["SIL-11", "WRK-09"]),
  choice("pages may be short", true, ["WRK-08", "WRK-09"]),
  choice("a list of credentials needs an owner", true, ["CRD-06", "CRD-07"], {
    profile: withGroup("credential", withoutFind)
  }),
  choice("deleted resources in lists", true, ["SIL-09"]),
  // the server's own: the resource
  ...choicesOf("a deleted resource", ["404 NOT_FOUND", "410 GONE"], ["SIL-09"]),
  choice("a delete of an unknown id", "a no-op", ["TRN-05"])
]

const workers: ReadonlyArray<Choice> = [
  // the server's own: 24 hexadecimal digits
  ...choicesOf("form of ids", ["UUID", "base32", "counted"], ["ENV-08", "ENV-09", "WRK-03", "CRD-03", "CRD-10"]),
  choice("an externalId again", "409 DUPLICATE_ID", ["SIL-31"]),
  choice("an equal credential", "refused", ["SIL-31"]),
  choice("unknown fields", "refused", ["WRK-03"]),
  choice("a worker needs a phone", true, ["WRK-01", "SIL-22"], {
    profile: withGroup("worker", (group) => ({ ...group, create: { body: { ...workerBody, phone: "{{unique}}" } } }))
  }),
  // the server's own: a worker is shown with `attributes`, and taken without
  choice("fields of a worker", "on the worker", ["SIL-22"]),
  choice("body of a worker", "in attributes", ["SIL-22"], { profile: withAttributes })
]

const groups: ReadonlyArray<Choice> = [
  choice("owners are read by id", false, ["SIL-29"]),
  choice("further groups are read by id", false, ["PRV-01", "PRV-14", "PRV-18"], {
    // webhooks have a point of their own
    profile: withFurther((group, type) => (type === "webhook" ? group : withoutFind(group)))
  }),
  choice("webhooks are read by id", false, ["EVT-09", "EVT-14"]),
  choice("further groups are changed and deleted", false, ["PRV-03", "PRV-04", "DEL-03"], {
    profile: withFurther(withoutChanges)
  }),
  ...choicesOf(
    "state that moves by itself",
    ["of credentials", "of further groups"],
    ["PRV-09", "ENV-16", "ENV-17", "SIL-20"]
  ),
  choice("paths of some groups", "other", ["PRV-14", "SIL-29"], { profile: withMovedPaths }),
  choice("deletes", "by POST", ["DEL-01"], { profile: archived }),
  choice("code of a compliance check", "policy.slug", ["DEL-04", "DEL-05", "DEL-06"], { profile: withPolicies }),
  choice("bulk fetch requests", "people", ["BLK-17"], {
    profile: (profile) => ({
      ...profile,
      bulkFetchRequest: {
        path: "/fetch-requests/batch",
        body: { people: ["{{worker}}", "{{nobody}}"] },
        items: "data.results",
        id: "made.id"
      }
    })
  }),
  // the server's own: the entries of one resource
  choice("audit log", "of all resources", ["PRV-15"], {
    profile: (profile) => ({ ...profile, audit: { path: "/audit", actor: "by" } })
  }),
  choice("audit log", "below the worker", ["PRV-15"], {
    profile: (profile) => ({ ...profile, audit: { path: "/workers/{{id}}/history", actor: "by.urn" } })
  })
]

/** Choices about WRK, CRD, DEL, and groups that the specification hardly shows. */
export const resourceChoices: ReadonlyArray<Choice> = [...lists, ...workers, ...groups]
