import { Context, Result } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"

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

/** A change of the hosts of a tenant. The same hosts mean no change. */
export type HostChange<E> = (hosts: ReadonlyArray<string>) => Result.Result<ReadonlyArray<string>, E>

/** The most hosts of a tenant. */
const hostsMax = 20

const malformed = (field: string, host: string) =>
  new InvalidArgument({ field, reason: `${host.slice(0, 100)} is not a valid host name` })

/** Normalizes the hosts of a new tenant. It needs at least one, because no request could reach it otherwise. */
export const hostsOfNewTenant = (
  hosts: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, InvalidArgument> => {
  const names = [...new Set(hosts.map(hostName))]
  if (names.length === 0 || names.length > hostsMax) {
    return Result.fail(new InvalidArgument({ field: "hosts", reason: `must be 1 to ${hostsMax} host names` }))
  }
  const wrong = names.find((name) => !isHostName(name))
  return wrong === undefined ? Result.succeed(names) : Result.fail(malformed("hosts", wrong))
}

/** Adds a host at the end. No change if the tenant has the host. */
export const addingHost =
  (host: string): HostChange<InvalidArgument> =>
  (hosts) => {
    const name = hostName(host)
    if (!isHostName(name)) return Result.fail(malformed("host", host))
    if (hosts.includes(name)) return Result.succeed(hosts)
    if (hosts.length < hostsMax) return Result.succeed([...hosts, name])
    const reason = `cannot be added: the tenant has ${hostsMax} hosts, the most that are allowed; remove one first`
    return Result.fail(new InvalidArgument({ field: "host", reason }))
  }

/** Removes a host. The last one stays, because no request could reach the tenant without it. */
export const removingHost =
  (host: string): HostChange<InvalidArgument> =>
  (hosts) => {
    const name = hostName(host)
    if (!hosts.includes(name)) {
      const reason = `${name.slice(0, 100)} is not a host of the tenant; list-hosts shows the hosts of every tenant`
      return Result.fail(new InvalidArgument({ field: "host", reason }))
    }
    if (hosts.length > 1) return Result.succeed(hosts.filter((other) => other !== name))
    const reason = `cannot be removed: ${name} is the only host of the tenant; add another one first`
    return Result.fail(new InvalidArgument({ field: "host", reason }))
  }
