import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { isIP } from "node:net"
import { dirname, relative, resolve } from "node:path"
import type { ServerDescription } from "@wcs/admin/ServerDescription"
import { Effect, Option } from "effect"
import type { Place } from "./ConformanceProfile.ts"
import { Misused } from "./Output.ts"

/** The flags about the place of the deployment and the profile. */
export interface Asked {
  readonly out: string
  readonly url: Option.Option<URL>
  readonly otherHost: string
  readonly caFile: Option.Option<string>
}

/** An address of the server on this machine. */
const addressOf = ({ host }: ServerDescription): string =>
  host === null || isIP(host) === 0 || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host

/** Returns the URL of the tenant: the given one or that of the server. */
export const urlOf = Effect.fnUntraced(function* (given: Option.Option<URL>, server: ServerDescription) {
  if (Option.isSome(given)) return given.value
  if (server.tls === "Proxy") {
    return yield* new Misused({ message: "--url must be the address of the proxy in front of the server" })
  }
  if (server.port === 0) {
    return yield* new Misused({ message: "--url must be set: WCS_PORT selects a free port, and no server runs" })
  }
  const address = addressOf(server)
  const host = address === "127.0.0.1" ? "localhost" : address.includes(":") ? `[${address}]` : address
  return new URL(`https://${host}:${server.port}`)
})

const withHost = (url: URL, host: string): string => {
  const other = new URL(url)
  other.hostname = host
  return other.origin
}

/** Returns the URL that refuses plain HTTP: on its own port or on the TLS port. */
const plainUrlOf = (url: URL, isGiven: boolean, { plainPort, tls }: ServerDescription): string | undefined => {
  if (tls === "Proxy") return undefined
  const port = isGiven || plainPort === null ? url.port || "443" : String(plainPort)
  return `http://${url.hostname}:${port}`
}

/** Whether a certificate includes a host. True if absent, because the server will create it. */
const names = (file: string, host: string) =>
  Effect.promise(() =>
    readFile(file, "utf8").then(
      (pem) => isIP(host) !== 0 || new X509Certificate(pem).checkHost(host) !== undefined,
      () => true
    )
  )

const isLoopbackName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

const noReceiver =
  "The server sends no webhooks to this machine, so the profile has no receiver, and webhook rules are blocked. Start the server " +
  "with WCS_WEBHOOK_HTTP=allow and WCS_WEBHOOK_ALLOWED_ADDRESSES=127.0.0.0/8, or add a receiver with a publicUrl to the profile."

/** Returns the place of the deployment for the profile, and notes for the operator. */
export const placeOf = Effect.fnUntraced(function* (asked: Asked, url: URL, server: ServerDescription) {
  const { caFile, otherHost, out } = asked
  const certificate = Option.getOrElse(caFile, () => server.certificateFile)
  const plainHttpUrl = plainUrlOf(url, Option.isSome(asked.url), server)
  const unknown = [url.hostname, otherHost].filter(isLoopbackName)
  const place: Place = {
    tenantBaseUrl: url.origin,
    secondTenantBaseUrl: withHost(url, otherHost),
    ...(plainHttpUrl === undefined ? {} : { plainHttpUrl }),
    ...(certificate === null ? {} : { caFile: relative(dirname(resolve(out)), resolve(certificate)) }),
    ...(unknown.length === 0
      ? {}
      : { resolve: Object.fromEntries(unknown.map((host) => [host, addressOf(server)] as const)) })
  }
  const isNamed = server.certificateFile === null || (yield* names(server.certificateFile, otherHost))
  const notes = [
    ...(isNamed
      ? []
      : [`The certificate does not include ${otherHost}: add the host to WCS_TENANT_HOSTS and restart the server.`]),
    ...(server.deliversToLoopback ? [] : [noReceiver])
  ]
  return { place, notes }
})
