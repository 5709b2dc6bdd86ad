import { Context, Option, Result, Schema } from "effect"
import { isTimeZone } from "../shared/CalendarDay.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"

/** An organization with its own hosts (§1). Every stored row belongs to exactly one tenant. */
export interface Tenant {
  readonly id: string
  readonly name: string
  /** IANA name of the zone whose calendar days decide expiry dates and verdicts. */
  readonly timeZone: string
  /** Years for which workers who have left are kept. Absent: for ever. */
  readonly retentionYears?: number
  /** The day from which each login with a password needs an authenticator app, `2026-01-31`. Absent: only some need one. */
  readonly secondFactorFrom?: string
  /** Lower-case host names without a port. A host belongs to one tenant. */
  readonly hosts: ReadonlyArray<string>
}

/** What a caller has of its tenant. */
export type CallersTenant = Pick<Tenant, "id" | "timeZone">

/** The tenant of the current request, found by its host. */
export class CurrentTenant extends Context.Service<CurrentTenant, Tenant>()("@wcs/domain/CurrentTenant") {}

/** Returns a host as URLs spell it: an IPv6 address in its shortest form, and an internationalized name in ASCII. */
const inUrl = (host: string): string | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Schema.URLFromString)(`http://${host}/`))?.hostname

/** Returns the host of a `Host` header or URL authority as URLs spell it, without port and trailing dot. */
export const hostName = (authority: string): string => {
  const [, bracketed] = /^(\[[0-9a-f:.]+\])(?::\d*)?$/i.exec(authority) ?? []
  if (bracketed !== undefined) return inUrl(bracketed) ?? ""
  return authority.replace(/:\d*$/, "").toLowerCase().replace(/\.$/, "")
}

/** Returns whether a host or address is followed by a port. */
export const hasPort = (authority: string): boolean => /^(\[.*\]|[^:]*):\d*$/.test(authority)

const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
const hostForm = new RegExp(`^(${label}(\\.${label})*|\\[[0-9a-f:.]+\\])$`)

/** Returns whether text is a host name or address as normalized by `hostName`. */
export const isHostName = (text: string): boolean => text.length <= 253 && hostForm.test(text)

/** A change of the hosts of a tenant. The same hosts mean no change. */
export type HostChange<E> = (hosts: ReadonlyArray<string>) => Result.Result<ReadonlyArray<string>, E>

/** The most hosts of a tenant. */
const hostsMax = 20

/** Fails unless the runtime knows the time zone. */
export const requireTimeZone = (text: string): Result.Result<string, InvalidArgument> =>
  isTimeZone(text)
    ? Result.succeed(text)
    : Result.fail(new InvalidArgument({ field: "timeZone", reason: "must be an IANA name, such as Australia/Sydney" }))

/** The most years that workers who have left can be kept, besides for ever. */
const retentionMax = 100

/** Reads for how many years workers who have left are kept: undefined for `never`, which erases nobody. */
export const requireRetention = (text: string): Result.Result<number | undefined, InvalidArgument> => {
  if (text === "never") return Result.succeed(undefined)
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= retentionMax) return Result.succeed(Number(text))
  const reason = `must be a whole number of years from 1 to ${retentionMax}, or never`
  return Result.fail(new InvalidArgument({ field: "years", reason }))
}

/** The host that an operator names. A port would be ignored, and clients send an internationalized name in ASCII. */
const named = (field: string, text: string): Result.Result<string, InvalidArgument> => {
  const name = hostName(text)
  const wrong = (reason: string) => Result.fail(new InvalidArgument({ field, reason }))
  if (isHostName(name)) return hasPort(text) ? wrong(`must have no port: use ${name}`) : Result.succeed(name)
  const shown = text.slice(0, 100)
  const ascii = /^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? (inUrl(text) ?? "") : ""
  return wrong(`${shown} is not a valid host name${isHostName(ascii) ? `: use its ASCII form ${ascii}` : ""}`)
}

/** Normalizes the hosts of a new tenant. It needs at least one, because no request could reach it otherwise. */
export const hostsOfNewTenant = (
  hosts: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, InvalidArgument> => {
  if (hosts.length === 0 || hosts.length > hostsMax) {
    return Result.fail(new InvalidArgument({ field: "hosts", reason: `must be 1 to ${hostsMax} host names` }))
  }
  return Result.map(Result.all(hosts.map((host) => named("hosts", host))), (names) => [...new Set(names)])
}

/** Adds a host at the end. No change if the tenant has the host. */
export const addingHost =
  (host: string): HostChange<InvalidArgument> =>
  (hosts) =>
    Result.flatMap(named("host", host), (name) => {
      if (hosts.includes(name)) return Result.succeed(hosts)
      if (hosts.length < hostsMax) return Result.succeed([...hosts, name])
      const reason = `cannot be added: the tenant has ${hostsMax} hosts, the most that are allowed; remove one first`
      return Result.fail(new InvalidArgument({ field: "host", reason }))
    })

/** Removes a host. The last one stays, because no request could reach the tenant without it. */
export const removingHost =
  (host: string): HostChange<InvalidArgument> =>
  (hosts) =>
    Result.flatMap(named("host", host), (name) => {
      // The store of an earlier release can have another form of an IPv6 address.
      const others = hosts.filter((other) => hostName(other) !== name)
      if (others.length === hosts.length) {
        const reason = `${name} is not a host of the tenant; list-hosts shows the hosts of every tenant`
        return Result.fail(new InvalidArgument({ field: "host", reason }))
      }
      if (others.length > 0) return Result.succeed(others)
      const reason = `cannot be removed: ${name} is the only host of the tenant; add another one first`
      return Result.fail(new InvalidArgument({ field: "host", reason }))
    })
