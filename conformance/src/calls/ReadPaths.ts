import type { Call } from "../judgement/Session.ts"
import { isIssued, tablePaths } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"

/** A GET that reads a group. */
export interface ReadPath {
  readonly entity: string
  readonly call: Call
}

/** Credentials are listed as in §4.2, because a deployment may require an owner filter. */
const asShown = (entity: string, path: string): string =>
  entity === "credential" && !path.includes("?") ? `${path}?ownerExternalId=nobody` : path

/**
 * The groups that have a read path: those of §4.2, at the profile's path if given, and those that the profile adds.
 * Only workers and credentials have a fixed path. Another path may be unknown unless the profile names it or has a body
 * for it. Access tokens and API clients are left out: every user may read their own.
 */
export const readPathsOf = ({ groups, readPaths }: Profile): ReadonlyArray<ReadPath> => {
  const told = Object.entries(groups ?? {}).flatMap(([entity, { path }]) =>
    path === undefined || isIssued(entity) ? [] : [[entity, path]]
  )
  const named: Readonly<Record<string, string>> = { ...Object.fromEntries(told), ...readPaths }
  return Object.entries({ ...tablePaths, ...named })
    .filter(([, path]) => !path.includes("{{"))
    .map(([entity, path]): ReadPath => {
      const isShown = Object.hasOwn(named, entity) || entity === "worker" || entity === "credential"
      const isMade = groups?.[entity]?.create !== undefined
      const call: Call = { method: "GET", path: asShown(entity, path) }
      return { entity, call: isShown || isMade ? call : { ...call, isUnknownPath: true } }
    })
}
