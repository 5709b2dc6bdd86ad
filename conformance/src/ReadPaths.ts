import type { Profile } from "./Profile.ts"

/** The groups of section 4.2, by entity type. */
const listed: Readonly<Record<string, string>> = {
  worker: "/workers",
  credential: "/credentials",
  credentialCheck: "/recruitment-checks",
  captureRequest: "/fetch-requests",
  exemption: "/exemptions",
  webhook: "/webhooks",
  ban: "/bans"
}

/** A GET that reads a group. */
export interface ReadPath {
  readonly entity: string
  readonly path: string
}

/** The groups that have a path: those of section 4.2 where the profile puts them, and what the profile adds. */
export const readPathsOf = ({ groups, readPaths }: Profile): ReadonlyArray<ReadPath> => {
  const told = Object.entries(groups ?? {}).flatMap(([entity, { path }]) =>
    path === undefined ? [] : [[entity, path]]
  )
  const paths: Readonly<Record<string, string>> = { ...listed, ...Object.fromEntries(told), ...readPaths }
  return Object.entries(paths)
    .filter(([, path]) => !path.includes("{{"))
    .map(([entity, path]) => ({ entity, path }))
}
