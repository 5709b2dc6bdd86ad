import { Context } from "effect"

/** An organization with its own hosts (§1). Every stored row belongs to exactly one tenant. */
export interface Tenant {
  readonly id: string
  readonly name: string
  /** Lower-case host names without a port. A host belongs to one tenant. */
  readonly hosts: ReadonlyArray<string>
}

/** The tenant of the current request, found by its host. */
export class CurrentTenant extends Context.Service<CurrentTenant, Tenant>()("@wcs/domain/CurrentTenant") {}

/** Returns the host of a `Host` header or URL authority in lower case, without port and trailing dot. */
export const hostName = (authority: string): string => {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d*)?$/i.exec(authority)
  const host = bracketed === null ? authority.replace(/:\d*$/, "") : `[${bracketed[1]}]`
  return host.toLowerCase().replace(/\.$/, "")
}

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
const hostForm = new RegExp(`^(${label}(\\.${label})*|\\[[0-9a-f:.]+\\])$`)

/** Returns whether text is a host name or address as normalized by `hostName`. */
export const isHostName = (text: string): boolean => text.length <= 253 && hostForm.test(text)
