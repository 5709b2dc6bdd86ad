import { existingOwners } from "../profile/ExistingOwners.ts"
import { groupPathOf } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import { newerRoot } from "../profile/Roots.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"

/** An entry of a profile with a path, and the method of its calls. */
interface Entry {
  readonly at: string
  readonly method: string
  readonly path: string | undefined
  /** The entry also has the body of the call. */
  readonly hasBody?: boolean
  /** The specification gives the path: only the body may be wrong. */
  readonly isPathGiven?: boolean
}

/** An entry with the body of a call on one credential. */
const onCredential = (at: string, call: string): Entry => ({
  at,
  method: "POST",
  path: `/credentials/{{id}}/${call}`,
  hasBody: true,
  isPathGiven: true
})

const entriesOf = (profile: Profile): ReadonlyArray<Entry> => {
  const { audit, bulkFetchRequest, businessRule, derivedReads = [], groups = {}, readPaths = {}, redrive } = profile
  return [
    ...Object.entries(groups).flatMap(([type, group]): ReadonlyArray<Entry> => {
      const at = `groups.${type}`
      const path = groupPathOf(profile, type)
      return [
        ...(group.update ?? []).map((one, index) => ({ ...one, at: `${at}.update.${index}`, hasBody: true })),
        { at: `${at}.delete`, method: group.delete?.method ?? "", path: group.delete?.path },
        { at: `${at}.find`, method: "GET", path: group.find },
        { at: `${at}.path`, method: "GET", path: group.path },
        { at: `${at}.path`, method: "GET", path: group.path === undefined ? undefined : `${group.path}/{{id}}` },
        ...(group.create === undefined ? [] : [{ at: `${at}.create`, method: "POST", path, hasBody: true }])
      ]
    }),
    ...Object.entries(readPaths).map(([type, path]) => ({ at: `readPaths.${type}`, method: "GET", path })),
    ...derivedReads.map(({ method, path }, index) => ({ at: `derivedReads.${index}`, method, path, hasBody: true })),
    { at: "businessRule", method: businessRule?.method ?? "", path: businessRule?.path, hasBody: true },
    { at: "redrive", method: redrive?.method ?? "", path: redrive?.path, hasBody: true },
    { at: "audit.path", method: "GET", path: audit?.path },
    { at: "bulkFetchRequest", method: "POST", path: bulkFetchRequest?.path, hasBody: true },
    { at: "sort.path", method: "GET", path: profile.sort?.path },
    ...(["link", "unlink"] as const).map((at) => onCredential(`ownership.${at}`, at)),
    onCredential("verifiableCredential", "verify")
  ]
}

const special = /[$()*+.?[\\\]^{|}]/gu

/** Whether a call was sent to a path of the profile. The query may have more parameters. */
const isSentTo = (template: string, target: string): boolean => {
  const parts = template.split(/\{\{\w+\}\}/).map((part) => part.replaceAll(special, "\\$&"))
  return new RegExp(`^${parts.join("[^/?&]+")}(?:[?&].*)?$`, "u").test(target)
}

const body = (status: number): boolean => status === 400 || status === 422

/** Whether a status may come from a wrong path, or from a wrong body. */
const mayBeMistaken = (status: number, { hasBody = false, isPathGiven = false }: Entry): boolean =>
  (!isPathGiven && (status === 404 || status === 405)) || (hasBody && body(status))

/** The entry of the profile with an existing owner that a call names; undefined if the call names none. */
const ownerIn = (profile: Profile, { request }: Exchange): string | undefined =>
  (["applicant", "worker"] as const)
    .filter((type) => existingOwners(profile, type).some((id) => request.body.includes(JSON.stringify(id))))
    .map((type) => `owners.${type}.existing`)[0]

/**
 * Returns the entry of the profile that may be wrong because the deployment refused a call with its path or body, such
 * as `groups.worker.update.0`; undefined if no entry has that path. A call that names an existing owner of the profile
 * may be refused because of that owner.
 */
export const mistakenAt = (profile: Profile, exchange: Exchange): string | undefined => {
  const { method, url } = exchange.request
  const { pathname, search } = new URL(url)
  if (!pathname.startsWith(newerRoot)) return undefined
  const target = `${pathname.slice(newerRoot.length)}${search}`
  const status = statusOf(exchange)
  const entry = entriesOf(profile).find(
    (one) => one.path !== undefined && one.method === method && mayBeMistaken(status, one) && isSentTo(one.path, target)
  )?.at
  const owner = body(status) || status === 404 ? ownerIn(profile, exchange) : undefined
  return owner === undefined || entry === undefined || status === 404 ? (owner ?? entry) : `${owner} and ${entry}`
}
