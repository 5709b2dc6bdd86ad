import { Effect, Option } from "effect"
import { host, listenHost, type Range, range } from "./Addresses.ts"
import { contradiction, integer, list, oneOf, optional, path, required } from "./Variable.ts"

/** Where the certificate comes from (DECISIONS.md#operation). */
export type Tls =
  | { readonly _tag: "SelfSigned" }
  | { readonly _tag: "Files"; readonly certFile: string; readonly keyFile: string }
  /** TLS ends at a proxy in front, which says so in `X-Forwarded-Proto`. */
  | { readonly _tag: "Proxy" }

/** Where the server is reached, and by whom. */
export interface ListenSettings {
  /** None: every address of the machine. */
  readonly host: Option.Option<string>
  /** 0: any free port. */
  readonly port: number
  readonly plainPort: Option.Option<number>
  readonly tls: Tls
  readonly trustedProxies: ReadonlyArray<Range>
  readonly adminHost: string
  readonly adminPort: number
  readonly tenantHosts: ReadonlyArray<string>
  readonly maxConnections: number
}

const portRange = "a port number from 0 to 65535"

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  host: {
    name: "WCS_HOST",
    must: "an IP address or a host name, without a port",
    standard: "",
    meaning: "The address to listen on; all addresses where it is left out.",
    read: listenHost
  },
  port: {
    name: "WCS_PORT",
    must: portRange,
    standard: "8443",
    meaning: "The port of both surfaces; 0 takes a free one. Plain HTTP gets a 400 here too.",
    read: integer(0, 65535)
  },
  plainPort: {
    name: "WCS_PLAIN_PORT",
    must: portRange,
    standard: "",
    meaning: "A second port that answers plain HTTP with 400 and serves nothing.",
    read: integer(0, 65535)
  },
  tls: {
    name: "WCS_TLS",
    must: "self-signed, files or proxy",
    standard: "self-signed",
    meaning:
      "`self-signed` makes a certificate into the data directory, for development; `files` reads yours; `proxy` listens without TLS behind a proxy that ends it.",
    read: oneOf("self-signed", "files", "proxy")
  },
  certFile: {
    name: "WCS_TLS_CERT_FILE",
    must: "the path of a PEM file",
    standard: "",
    meaning: "With `files`: the certificate and its chain.",
    read: path
  },
  keyFile: {
    name: "WCS_TLS_KEY_FILE",
    must: "the path of a PEM file",
    standard: "",
    meaning: "With `files`: the private key; no other user may be able to read it.",
    read: path
  },
  trustedProxies: {
    name: "WCS_TRUSTED_PROXIES",
    must: "a comma-separated list of addresses and CIDR ranges",
    standard: "",
    meaning:
      "The proxies whose `X-Forwarded-For` is believed and, where `WCS_TLS` is `proxy`, `X-Forwarded-Proto` too.",
    read: list(range)
  },
  adminHost: {
    name: "WCS_ADMIN_HOST",
    must: "an IP address or a host name, without a port",
    standard: "127.0.0.1",
    meaning: "The address of the admin port.",
    read: listenHost
  },
  adminPort: {
    name: "WCS_ADMIN_PORT",
    must: portRange,
    standard: "8444",
    meaning: "The port of `/livez`, `/readyz` and `/metrics`, plain HTTP; 0 takes a free one.",
    read: integer(0, 65535)
  },
  tenantHosts: {
    name: "WCS_TENANT_HOSTS",
    must: "a comma-separated list of at most 17 host names without ports",
    standard: "",
    meaning:
      "Hosts of the first tenant beside `localhost`, `127.0.0.1` and `[::1]`; also named by the self-signed certificate.",
    read: (text: string) => Option.filter(list(host)(text), (hosts) => hosts.length <= 17)
  },
  maxConnections: {
    name: "WCS_MAX_CONNECTIONS",
    must: "a whole number from 1 to 1000000",
    standard: "10000",
    meaning: "Open connections at once; more are closed at once.",
    read: integer(1, 1_000_000)
  }
} as const

const readTls = Effect.gen(function* () {
  const mode = yield* required(variables.tls)
  const certFile = yield* optional(variables.certFile)
  const keyFile = yield* optional(variables.keyFile)
  if (mode === "files") {
    if (Option.isNone(certFile) || Option.isNone(keyFile)) {
      return yield* contradiction("WCS_TLS_CERT_FILE and WCS_TLS_KEY_FILE must both be given where WCS_TLS is files.")
    }
    return { _tag: "Files", certFile: certFile.value, keyFile: keyFile.value } satisfies Tls
  }
  if (Option.isSome(certFile) || Option.isSome(keyFile)) {
    return yield* contradiction("WCS_TLS must be files where WCS_TLS_CERT_FILE or WCS_TLS_KEY_FILE is given.")
  }
  return { _tag: mode === "proxy" ? "Proxy" : "SelfSigned" } satisfies Tls
})

export const read = Effect.gen(function* () {
  const tls = yield* readTls
  const plainPort = yield* optional(variables.plainPort)
  const trustedProxies = Option.getOrElse(yield* optional(variables.trustedProxies), () => [])
  if (tls._tag === "Proxy" && trustedProxies.length === 0) {
    return yield* contradiction("WCS_TRUSTED_PROXIES must name the proxies where WCS_TLS is proxy.")
  }
  if (tls._tag === "Proxy" && Option.isSome(plainPort)) {
    return yield* contradiction("WCS_PLAIN_PORT must be left out where WCS_TLS is proxy: WCS_PORT is plain already.")
  }
  return {
    host: yield* optional(variables.host),
    port: yield* required(variables.port),
    plainPort,
    tls,
    trustedProxies,
    adminHost: yield* required(variables.adminHost),
    adminPort: yield* required(variables.adminPort),
    tenantHosts: Option.getOrElse(yield* optional(variables.tenantHosts), () => []),
    maxConnections: yield* required(variables.maxConnections)
  } satisfies ListenSettings
})
