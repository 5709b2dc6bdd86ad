import { Context } from "effect"

/** An organization with hosts of its own (§1): everything stored belongs to exactly one. */
export interface Tenant {
  readonly id: string
  readonly name: string
  /** Lower-case host names without a port; each answers for this tenant alone. */
  readonly hosts: ReadonlyArray<string>
}

/** The tenant that the request at hand is addressed to, by its host. */
export class CurrentTenant extends Context.Service<CurrentTenant, Tenant>()("@wcs/domain/CurrentTenant") {}

/** The host of a `Host` header or URL authority: lower case, without port and trailing dot. */
export const hostName = (authority: string): string => {
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d*)?$/i.exec(authority)
  const host = bracketed === null ? authority.replace(/:\d*$/, "") : `[${bracketed[1]}]`
  return host.toLowerCase().replace(/\.$/, "")
}

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
const hostForm = new RegExp(`^(${label}(\\.${label})*|\\[[0-9a-f:.]+\\])$`)

/** Whether text is a host name or an address in the form that `hostName` answers. */
export const isHostName = (text: string): boolean => text.length <= 253 && hostForm.test(text)
