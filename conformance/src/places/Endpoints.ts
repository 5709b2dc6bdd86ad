import { furtherPaths, groupPathOf, isIssued, tablePaths } from "../profile/Groups.ts"
import { needs } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"

/** The ways in which a call uses a group (§4.2). `action` is aimed at one resource, `batch` at several. */
export type Way = "list" | "read" | "create" | "update" | "delete" | "action" | "batch"

/** One call that a deployment offers on the newer surface. */
export interface Endpoint {
  /** Unique, such as `POST /credentials/{id}/link`. */
  readonly name: string
  readonly method: string
  readonly entity: string
  readonly way: Way
  readonly takesBody: boolean
}

/** The calls of §4.2 other than reads, creates, changes and deletes. */
const actions = [
  { entity: "credential", way: "action", path: "/{id}/link", takesBody: true },
  { entity: "credential", way: "action", path: "/{id}/unlink", takesBody: true },
  { entity: "credential", way: "action", path: "/{id}/transfer", takesBody: true },
  { entity: "credential", way: "action", path: "/{id}/verify", takesBody: true },
  { entity: "credential", way: "batch", path: "/transfer", takesBody: true },
  { entity: "credential", way: "batch", path: "/link", takesBody: true },
  { entity: "webhook", way: "action", path: "/{id}/rotate", takesBody: false }
] as const satisfies ReadonlyArray<Pick<Endpoint, "entity" | "takesBody" | "way"> & { readonly path: string }>

/** The name of an action's path: `link` for `/{id}/link`. */
export type ActionPath = (typeof actions)[number]["path"]

const isOffered = (path: ActionPath, profile: Profile): boolean =>
  path !== "/link" || needs["bulk link body"].isMet(profile)

/** The groups that the specification names: by table, by path or by their checks. */
const named = new Set<string>([...Object.keys(tablePaths), ...Object.keys(furtherPaths), "complianceCheck"])

/** Whether the specification names a group. A profile may add others. */
export const isNamed = (entity: string): boolean => named.has(entity)

/** A template with `{id}` for its names: `/workers/{{id}}` is `/workers/{id}`. */
const shaped = (path: string): string => (path.split("?")[0] ?? "").replaceAll(/\{\{\w+\}\}/g, "{id}")

/** A call of a group, with its path. */
type GroupCall = Omit<Endpoint, "entity" | "name"> & { readonly path: string }

const groupCall = (way: Way, method: string, path: string, takesBody = false): GroupCall => ({
  way,
  method,
  path,
  takesBody
})

const actionsOf = (entity: string, path: string, profile: Profile): ReadonlyArray<GroupCall> =>
  actions
    .filter((action) => action.entity === entity && isOffered(action.path, profile))
    .map(({ takesBody, way, path: end }) => groupCall(way, "POST", `${path}${end}`, takesBody))

/** The actions of an entity type that the profile offers. */
export const actionPathsOf = (entity: string, profile: Profile): ReadonlyArray<ActionPath> =>
  actions.filter((action) => action.entity === entity && isOffered(action.path, profile)).map(({ path }) => path)

/** The calls of one group: those that the specification documents, and those of the profile. */
const ofGroup = (entity: string, profile: Profile): ReadonlyArray<Endpoint> => {
  const path = groupPathOf(profile, entity)
  if (path === undefined) return []
  const { create, delete: how, update = [] } = profile.groups?.[entity] ?? {}
  const isMade = create !== undefined || entity === "worker"
  const item = `${path}/{id}`
  const hasItem = entity === "credential" || [...update, ...(how ? [how] : [])].some((one) => shaped(one.path) === item)
  const all: ReadonlyArray<GroupCall> = [
    groupCall("list", "GET", path),
    ...(isMade && hasItem ? [groupCall("read", "GET", item)] : []),
    ...(isMade ? [groupCall("create", "POST", path, true)] : []),
    ...update.map((one) => groupCall("update", one.method, shaped(one.path), true)),
    ...(how?.method === "DELETE" ? [groupCall("delete", how.method, shaped(how.path))] : []),
    ...(isMade ? actionsOf(entity, path, profile) : [])
  ]
  return all.map(({ path: whole, ...rest }) => ({ ...rest, entity, name: `${rest.method} ${whole}` }))
}

/** Whether the deployment may have `GET` of one resource of an entity type. */
export const isReadable = (entity: string, profile: Profile): boolean =>
  !isIssued(entity) && ofGroup(entity, profile).some(({ way }) => way === "read")

/** Groups whose list the specification documents, or for which the profile has a path. */
const groupsOf = ({ groups = {}, readPaths = {} }: Profile): ReadonlyArray<string> => [
  ...new Set(["worker", "credential", ...Object.keys(groups), ...Object.keys(readPaths)])
]

/** Every call that a deployment offers, by the specification and its profile. */
export const endpointsOf = (profile: Profile): ReadonlyArray<Endpoint> => {
  const all = groupsOf(profile)
    .filter((entity) => !isIssued(entity))
    .flatMap((entity) => ofGroup(entity, profile))
  return [...new Map(all.map((endpoint) => [endpoint.name, endpoint])).values()]
}
