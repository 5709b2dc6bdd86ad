import type { Tls } from "@wcs/node-server/Certificate"
import type { ServerSettings } from "@wcs/node-server/Listening"
import { Effect, Option } from "effect"
import { host, listenHost, range } from "./Addresses.ts"
import { consistent, integer, list, oneOf, optional, path, required, wholeNumber } from "./Variable.ts"

/** The addresses, ports, TLS mode and connection limits of the server. */
export interface ListenSettings extends ServerSettings {
  readonly tls: Tls
  readonly adminHost: string
  readonly adminNames: ReadonlyArray<string>
  readonly adminPort: number
  readonly tenantHosts: ReadonlyArray<string>
}

const hosts = (text: string) => Option.filter(list(host)(text), (names) => names.length <= 17)

const portRange = "a port number from 0 to 65535"

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  host: {
    name: "WCS_HOST",
    must: "an IP address or a host name, without a port",
    standard: "",
    meaning: "Address to listen on. Default: all addresses.",
    read: listenHost
  },
  port: {
    name: "WCS_PORT",
    must: portRange,
    standard: "8443",
    meaning: "Port of both surfaces. 0 selects a free port. Plain HTTP on this port gets 400.",
    read: integer(0, 65535)
  },
  plainPort: {
    name: "WCS_PLAIN_PORT",
    must: portRange,
    standard: "",
    meaning: "Additional port that answers every plain HTTP request with 400.",
    read: integer(0, 65535)
  },
  tls: {
    name: "WCS_TLS",
    must: "self-signed, files or proxy",
    standard: "self-signed",
    meaning:
      "`self-signed`: creates a certificate in the data directory, for development. `files`: uses your certificate. `proxy`: listens without TLS behind a proxy that terminates TLS.",
    read: oneOf("self-signed", "files", "proxy")
  },
  certFile: {
    name: "WCS_TLS_CERT_FILE",
    must: "the path of a PEM file",
    standard: "",
    meaning: "With `files`: the certificate with its chain.",
    read: path
  },
  keyFile: {
    name: "WCS_TLS_KEY_FILE",
    must: "the path of a PEM file",
    standard: "",
    meaning: "With `files`: the private key. Must be [private](#secret-files).",
    read: path
  },
  trustedProxies: {
    name: "WCS_TRUSTED_PROXIES",
    must: "a comma-separated list of addresses and CIDR ranges",
    standard: "",
    meaning: "Proxies whose `X-Forwarded-For` is trusted. With `WCS_TLS=proxy`, also `X-Forwarded-Proto`.",
    read: list(range)
  },
  adminHost: {
    name: "WCS_ADMIN_HOST",
    must: "an IP address or a host name, without a port",
    standard: "127.0.0.1",
    meaning: "Address of the admin port.",
    read: listenHost
  },
  adminNames: {
    name: "WCS_ADMIN_NAMES",
    must: "a comma-separated list of at most 17 host names without ports",
    standard: "",
    meaning: "Host names of the admin port in addition to its address, `localhost` and the name of the machine.",
    read: hosts
  },
  adminPort: {
    name: "WCS_ADMIN_PORT",
    must: portRange,
    standard: "8444",
    meaning: "Port of `/livez`, `/readyz`, `/metrics` and `/process`, plain HTTP. 0 selects a free port.",
    read: integer(0, 65535)
  },
  tenantHosts: {
    name: "WCS_TENANT_HOSTS",
    must: "a comma-separated list of at most 17 host names without ports",
    standard: "",
    meaning:
      "Hosts of the tenant that the first run creates, in addition to `localhost`, `127.0.0.1` and `[::1]`. Later, a change applies only to the self-signed certificate, which includes them: add further hosts by `wcs admin add-host`.",
    read: hosts
  },
  maxConnections: {
    name: "WCS_MAX_CONNECTIONS",
    ...wholeNumber(1, 1_000_000),
    standard: "10000",
    meaning:
      "Maximum open connections. A further one replaces the connection that has been idle longest. If none is idle, the further one is closed."
  },
  maxConnectionsPerAddress: {
    name: "WCS_MAX_CONNECTIONS_PER_ADDRESS",
    ...wholeNumber(1, 1_000_000),
    standard: "1000",
    meaning:
      "Maximum open connections per address; all addresses of an IPv6 /64 network count as one. An IPv6 /56 or /48 network and an IPv4 /24 network get a quarter of `WCS_MAX_CONNECTIONS`. Does not apply to `WCS_TRUSTED_PROXIES`."
  }
} as const

type Mode = Option.Option.Value<ReturnType<typeof variables.tls.read>>
type Files = Option.Option<{ readonly certFile: string; readonly keyFile: string }>

/** The TLS mode. The files are there exactly with the mode `files`. */
const tlsOf = (mode: Mode, files: Files): Tls =>
  Option.match(files, {
    onNone: (): Tls => ({ _tag: mode === "proxy" ? "Proxy" : "SelfSigned" }),
    onSome: (paths): Tls => ({ _tag: "Files", ...paths })
  })

export const read = Effect.gen(function* () {
  const mode = yield* required(variables.tls)
  const certFile = yield* optional(variables.certFile)
  const keyFile = yield* optional(variables.keyFile)
  const plainPort = yield* optional(variables.plainPort)
  const trustedProxies = Option.getOrElse(yield* optional(variables.trustedProxies), () => [])
  const files = Option.all({ certFile, keyFile })
  yield* consistent([
    mode === "files" &&
      Option.isNone(files) &&
      "WCS_TLS_CERT_FILE and WCS_TLS_KEY_FILE must both be set when WCS_TLS is files.",
    mode !== "files" &&
      (Option.isSome(certFile) || Option.isSome(keyFile)) &&
      "WCS_TLS must be files when WCS_TLS_CERT_FILE or WCS_TLS_KEY_FILE is set.",
    mode === "proxy" && trustedProxies.length === 0 && "WCS_TRUSTED_PROXIES must be set when WCS_TLS is proxy.",
    mode === "proxy" &&
      Option.isSome(plainPort) &&
      "WCS_PLAIN_PORT must not be set when WCS_TLS is proxy: WCS_PORT is already plain HTTP."
  ])
  return {
    host: yield* optional(variables.host),
    port: yield* required(variables.port),
    plainPort,
    tls: tlsOf(mode, files),
    trustedProxies,
    adminHost: yield* required(variables.adminHost),
    adminNames: Option.getOrElse(yield* optional(variables.adminNames), () => []),
    adminPort: yield* required(variables.adminPort),
    tenantHosts: Option.getOrElse(yield* optional(variables.tenantHosts), () => []),
    maxConnections: yield* required(variables.maxConnections),
    maxConnectionsPerAddress: yield* required(variables.maxConnectionsPerAddress)
  } satisfies ListenSettings
})
