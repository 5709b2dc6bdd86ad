import { isEmail } from "@wcs/domain/Account"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/RateLimitTier"
import { hostName, isHostName } from "@wcs/domain/Tenant"
import { defaultLifetimeSeconds, maxLegacyLifetimeSeconds } from "@wcs/domain/TokenLifetime"
import { changeoverSeconds } from "@wcs/domain/WebhookSecret"
import * as GatewayUrl from "@wcs/register/GatewayUrl"
import * as HttpRegister from "@wcs/register/HttpRegister"
import { Config, Context, Effect, Layer, type LogLevel, Option, Redacted } from "effect"
import ipaddr from "ipaddr.js"
import { StartRefused } from "./StartRefused.ts"

/** A range of addresses, `10.0.0.0/8`: the network and how many bits of it count. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Where the certificate comes from (decisions, section 7). */
export type Tls =
  | { readonly _tag: "SelfSigned" }
  | { readonly _tag: "Files"; readonly certFile: string; readonly keyFile: string }
  /** TLS ends at a proxy in front, which says so in `X-Forwarded-Proto`. */
  | { readonly _tag: "Proxy" }

/** The Postgres that several servers share. */
export interface Database {
  readonly url: Redacted.Redacted
  /** How many connections this server's requests may have at once. */
  readonly connections: number
}

/** What the first run makes so that somebody can call (decisions, section 7). */
export interface Bootstrap {
  readonly admin: Option.Option<{ readonly email: string; readonly tokenFile: string }>
  readonly clientFile: Option.Option<string>
}

/** What credentials are verified against (decisions, section 4). */
export type RegisterSettings =
  | { readonly _tag: "Simulator" }
  | ({
      readonly _tag: "Gateway"
      readonly url: GatewayUrl.GatewayUrl
      /** Who asks, where the secret is a password; a token needs no name. */
      readonly user: Option.Option<string>
      readonly secretFile: Option.Option<string>
    } & Pick<HttpRegister.HttpRegisterOptions, "timeoutMillis" | "totalMillis" | "tries" | "concurrency">)

/** Everything that can be configured, read once at start. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly dataDirectory: string
    /** None: the store is a file of the data directory, and this process's alone. */
    readonly database: Option.Option<Database>
    /** None: the master key is a file of the data directory, made where there is none. */
    readonly masterKeyFile: Option.Option<string>
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
    readonly tokenLifetimeSeconds: number
    readonly legacyTokenLifetimeSeconds: number
    readonly rateLimits: RateLimits
    /** Whether the server does a worker's work too. */
    readonly isWorkerInside: boolean
    readonly webhooks: {
      readonly allowsHttp: boolean
      readonly changeoverSeconds: number
      readonly webhooksMax: number
    }
    readonly deliveries: {
      /** What webhooks may lead to although nobody outside should reach it. */
      readonly allowedAddresses: ReadonlyArray<Range>
      readonly retryDelaysMillis: ReadonlyArray<number>
      readonly retentionMillis: number
    }
    readonly verifications: {
      readonly patienceMillis: number
      readonly retryDelaysMillis: ReadonlyArray<number>
    }
    readonly register: RegisterSettings
    readonly maxConnections: number
    readonly bootstrap: Bootstrap
    readonly logFormat: "text" | "json"
    readonly logLevel: LogLevel.LogLevel
  }
>()("@wcs/http-node/Settings") {}

/** One environment variable: what it may hold, what stands where it is left out, and what it is for. */
interface Variable<A> {
  readonly name: string
  /** What the value must be, as it follows "must be". */
  readonly must: string
  /** As documented; empty where there is none. */
  readonly standard: string
  readonly meaning: string
  /** The value that a text stands for; none refuses it. */
  readonly read: (text: string) => Option.Option<A>
  /** What was given is not repeated where it is refused. */
  readonly isSecret?: true
}

const oneOf =
  <const A extends string>(...values: ReadonlyArray<A>) =>
  (text: string): Option.Option<A> =>
    Option.fromNullishOr(values.find((value) => value === text))

const integer = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1
  return value >= least && value <= most ? Option.some(value) : Option.none()
}

const path = (text: string) => (text.includes("\0") || text.length > 4096 ? Option.none() : Option.some(text))

/** A URL of Postgres with a host and a database. */
const databaseUrl = (text: string): Option.Option<Redacted.Redacted> => {
  const url = text.length > 4096 ? null : URL.parse(text)
  const isMeant =
    url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length > 1
  return isMeant ? Option.some(Redacted.make(text, { label: "DATABASE_URL" })) : Option.none()
}

const list =
  <A>(read: (text: string) => Option.Option<A>) =>
  (text: string): Option.Option<ReadonlyArray<A>> =>
    Option.all(
      text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
        .map(read)
    )

const range = (text: string): Option.Option<Range> => {
  if (ipaddr.isValidCIDR(text)) return Option.some(ipaddr.parseCIDR(text))
  if (!isAddress(text)) return Option.none()
  const address = ipaddr.parse(text)
  return Option.some([address, address.kind() === "ipv4" ? 32 : 128])
}

/** Four decimal parts, or IPv6: the other spellings that the parser knows are more likely mistakes. */
const isAddress = (text: string) => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** A host as tenants have them. A port does not belong there, and is not overlooked. */
const host = (text: string) => {
  const name = text.toLowerCase().replace(/\.$/, "")
  return hostName(name) === name && isHostName(name) ? Option.some(name) : Option.none()
}

/** What can be listened on. An address of IPv6 may stand in brackets, as it does in URLs. */
const listenHost = (text: string) => {
  const bare = text.replace(/^\[(.*)\]$/, "$1")
  if (isAddress(bare)) return Option.some(bare)
  return Option.filter(host(text), (name) => !name.startsWith("["))
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const satisfies Record<
  string,
  LogLevel.LogLevel
>

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `500ms`, `5s`, `30m`, `24h`, in milliseconds; at most 10 days. */
const duration = (text: string): Option.Option<number> => {
  const [, count = "", unit = ""] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? []
  const millis = count === "" ? Number.NaN : Number(count) * (unitMillis[unit] ?? Number.NaN)
  return millis <= 864_000_000 ? Option.some(millis) : Option.none()
}

const upToAMinute = (text: string) => Option.filter(duration(text), (millis) => millis >= 1 && millis <= 60_000)

const durationsRange = "a comma-separated list of at most 20 times, such as 5s,5m,2h"

const durations = (text: string) => Option.filter(list(duration)(text), (times) => times.length <= 20)

const portRange = "a port number from 0 to 65535"
const callsRange = "a whole number from 1 to 1000000000"
const calls = integer(1, 1_000_000_000)

const rate = (name: string, tier: keyof RateLimits, meaning: string): Variable<number> => ({
  name,
  must: callsRange,
  standard: String(defaultRateLimits[tier]),
  meaning,
  read: calls
})

const variables = {
  dataDirectory: {
    name: "WCS_DATA",
    must: "a directory path",
    standard: "./data",
    meaning: "The directory of the store, its keys and the socket of `wcs admin`; made with mode 0700.",
    read: path
  },
  databaseUrl: {
    name: "DATABASE_URL",
    must: "a URL postgres://user:password@host:port/database",
    standard: "",
    meaning:
      "The Postgres that holds the store, which several servers may share; a file of `WCS_DATA` where it is left out.",
    read: databaseUrl,
    isSecret: true
  },
  databaseConnections: {
    name: "WCS_DATABASE_CONNECTIONS",
    must: "a whole number from 1 to 500",
    standard: "10",
    meaning:
      "With `DATABASE_URL`: connections for requests at once, of each server; three more watch what the others do.",
    read: integer(1, 500)
  },
  masterKeyFile: {
    name: "WCS_MASTER_KEY_FILE",
    must: "the path of a file with 64 hex digits",
    standard: "",
    meaning:
      "The master key, the same for every server of a database; no other user may be able to read it. `master.key` of `WCS_DATA`, made by the first run, where it is left out.",
    read: path
  },
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
  tokenLifetimeSeconds: {
    name: "WCS_TOKEN_LIFETIME_SECONDS",
    must: "a whole number from 1 to 86400",
    standard: String(defaultLifetimeSeconds.oauth),
    meaning: "How long an access token lives.",
    read: integer(1, 86_400)
  },
  legacyTokenLifetimeSeconds: {
    name: "WCS_LEGACY_TOKEN_LIFETIME_SECONDS",
    must: `a whole number from 1 to ${maxLegacyLifetimeSeconds}`,
    standard: String(defaultLifetimeSeconds.legacy),
    meaning: "How long a token of the legacy surface lives; at most 90 days.",
    read: integer(1, maxLegacyLifetimeSeconds)
  },
  standard: rate(
    "WCS_RATE_STANDARD",
    "standard",
    "Calls a minute, per OAuth client or user, and logins, per user name."
  ),
  intensive: rate("WCS_RATE_INTENSIVE", "intensive", "Bulk and other costly calls a minute, per OAuth client or user."),
  unauthenticated: rate("WCS_RATE_UNAUTHENTICATED", "unauthenticated", "Calls without a good token, per address."),
  webhookHttp: {
    name: "WCS_WEBHOOK_HTTP",
    must: "allow or refuse",
    standard: "refuse",
    meaning: "Whether the URL of a webhook may be http, for development; https always may.",
    read: oneOf("allow", "refuse")
  },
  webhookChangeoverSeconds: {
    name: "WCS_WEBHOOK_CHANGEOVER_SECONDS",
    must: `a whole number from ${changeoverSeconds.least} to ${changeoverSeconds.most}`,
    standard: String(changeoverSeconds.least),
    meaning: "How long a webhook's old signing secret stays valid after a rotation.",
    read: integer(changeoverSeconds.least, changeoverSeconds.most)
  },
  webhooksMax: {
    name: "WCS_WEBHOOKS_MAX",
    must: "a whole number from 1 to 1000",
    standard: "100",
    meaning: "How many webhooks a tenant may have: each event is written and sent once for each of them.",
    read: integer(1, 1000)
  },
  worker: {
    name: "WCS_WORKER",
    must: "inside or apart",
    standard: "inside",
    meaning:
      "Whether the server verifies credentials and sends events itself, or leaves that to processes of `wcs worker` on the same database.",
    read: oneOf("inside", "apart")
  },
  webhookAddresses: {
    name: "WCS_WEBHOOK_ALLOWED_ADDRESSES",
    must: "a comma-separated list of addresses and CIDR ranges",
    standard: "",
    meaning:
      "Private and other non-global addresses that webhooks may lead to all the same; everybody who may make a webhook can reach them.",
    read: list(range)
  },
  webhookRetries: {
    name: "WCS_WEBHOOK_RETRIES",
    must: durationsRange,
    standard: "5s,5m,30m,2h,5h,10h,14h,20h,24h",
    meaning: "How long after each failed attempt a delivery is tried again; after the last of them it is not.",
    read: durations
  },
  webhookRetentionDays: {
    name: "WCS_WEBHOOK_RETENTION_DAYS",
    must: "a whole number from 1 to 3650",
    standard: "30",
    meaning: "How long a delivery that is over is kept, and can be redriven.",
    read: integer(1, 3650)
  },
  verifyPatience: {
    name: "WCS_VERIFY_PATIENCE",
    must: "a time of at most 30s, such as 500ms or 5s",
    standard: "5s",
    meaning: "How long verify waits for the register before it answers that the verdict is awaited.",
    read: (text: string) => Option.filter(duration(text), (millis) => millis <= 30_000)
  },
  verifyRetries: {
    name: "WCS_VERIFY_RETRIES",
    must: durationsRange,
    standard: "10s,1m,5m,30m",
    meaning:
      "How long after each failed attempt a register is asked again; after the last of them there is no verdict.",
    read: durations
  },
  register: {
    name: "WCS_REGISTER",
    must: "simulator or http",
    standard: "simulator",
    meaning:
      "What credentials are verified against: `simulator` answers by the identifier's last two digits, for development; `http` asks a gateway of yours.",
    read: oneOf("simulator", "http")
  },
  registerUrl: {
    name: "WCS_REGISTER_URL",
    must: "an https URL without user, query and fragment, or an http one that leads to this machine",
    standard: "",
    meaning: "With `http`: where the gateway is asked.",
    read: GatewayUrl.fromText,
    isSecret: true
  },
  registerUser: {
    name: "WCS_REGISTER_USER",
    must: "1 to 200 visible ASCII characters other than a colon",
    standard: "",
    meaning: "With `http`: the user, where the gateway wants one and a password; left out where it wants a token.",
    read: (text: string) => Option.filter(Option.some(text), (user) => /^[!-9;-~]{1,200}$/.test(user))
  },
  registerSecretFile: {
    name: "WCS_REGISTER_SECRET_FILE",
    must: "the path of a file",
    standard: "",
    meaning:
      "With `http`: the file of the token, or of the user's password; no other user may be able to read it. Without it questions name nobody who asks.",
    read: path
  },
  registerTimeout: {
    name: "WCS_REGISTER_TIMEOUT",
    must: "a time from 1ms to 60s, such as 500ms or 4s",
    standard: `${HttpRegister.defaultOptions.timeoutMillis / 1000}s`,
    meaning: "With `http`: how long one try may take.",
    read: upToAMinute
  },
  registerTotalTimeout: {
    name: "WCS_REGISTER_TOTAL_TIMEOUT",
    must: "a time from 1ms to 60s, such as 500ms or 4s",
    standard: `${HttpRegister.defaultOptions.totalMillis / 1000}s`,
    meaning: "With `http`: how long all tries of a question may take, waits included.",
    read: upToAMinute
  },
  registerTries: {
    name: "WCS_REGISTER_TRIES",
    must: "a whole number from 1 to 10",
    standard: String(HttpRegister.defaultOptions.tries),
    meaning: "With `http`: how often a question is sent at most; 1 where the register counts them.",
    read: integer(1, 10)
  },
  registerConcurrency: {
    name: "WCS_REGISTER_CONCURRENCY",
    must: "a whole number from 1 to 1000",
    standard: String(HttpRegister.defaultOptions.concurrency),
    meaning: "With `http`: how many questions a process has on their way at the same time.",
    read: integer(1, 1000)
  },
  tokenFailures: rate(
    "WCS_RATE_TOKEN_FAILURES",
    "tokenFailures",
    "Failures at the token endpoint and at login, per address."
  ),
  loginFailures: rate(
    "WCS_RATE_LOGIN_FAILURES",
    "loginFailures",
    "Failures at login a minute, per user name, from wherever: beyond that nobody logs in under it until the minute is over, tokens work on."
  ),
  tokensIssued: rate("WCS_RATE_TOKENS_ISSUED", "tokensIssued", "Tokens a minute, per OAuth client or user."),
  maxConnections: {
    name: "WCS_MAX_CONNECTIONS",
    must: "a whole number from 1 to 1000000",
    standard: "10000",
    meaning: "Open connections at once; more are closed at once.",
    read: integer(1, 1_000_000)
  },
  adminEmail: {
    name: "WCS_ADMIN_EMAIL",
    must: "an email address",
    standard: "",
    meaning: "First run: the email of a Super Admin to create; needs `WCS_ADMIN_TOKEN_FILE`.",
    read: (text: string) => Option.filter(Option.some(text.trim()), isEmail)
  },
  adminTokenFile: {
    name: "WCS_ADMIN_TOKEN_FILE",
    must: "the path of a file that is not there yet",
    standard: "",
    meaning: "First run: the file for that Super Admin's personal token, made with mode 0600.",
    read: path
  },
  clientFile: {
    name: "WCS_CLIENT_FILE",
    must: "the path of a file that is not there yet",
    standard: "",
    meaning: 'First run: the file for a first OAuth client, `{ "clientId", "clientSecret" }`, made with mode 0600.',
    read: path
  },
  logFormat: {
    name: "WCS_LOG_FORMAT",
    must: "text or json",
    standard: "text",
    meaning: "The form of the log on standard error.",
    read: oneOf("text", "json")
  },
  logLevel: {
    name: "WCS_LOG_LEVEL",
    must: "debug, info, warn or error",
    standard: "info",
    meaning: "The least level that is logged.",
    read: (text: string) => Option.map(oneOf("debug", "info", "warn", "error")(text), (level) => levels[level])
  }
} as const

/**
 * The rows of the table in README.md, which a test holds to them.
 *
 * @public
 */
export const documentation: ReadonlyArray<Pick<Variable<unknown>, "name" | "must" | "standard" | "meaning">> =
  Object.values(variables)

const refused = <A>({ isSecret, must, name }: Variable<A>, text: string) =>
  new StartRefused({
    message: `${name} must be ${must}, and is ${isSecret === true ? "none" : JSON.stringify(text.slice(0, 100))}.`
  })

/** An empty variable counts as one that is left out: that is how compose files leave them out. */
const optional = Effect.fnUntraced(function* <A>(variable: Variable<A>) {
  const given = yield* Effect.orDie(Config.option(Config.String(variable.name)))
  const text = Option.filter(given, (value) => value.trim() !== "")
  if (Option.isNone(text)) return Option.none<A>()
  const value = variable.read(text.value.trim())
  return Option.isSome(value) ? value : yield* refused(variable, text.value)
})

const required = Effect.fnUntraced(function* <A>(variable: Variable<A>) {
  const value = yield* optional(variable)
  return Option.isSome(value) ? value.value : Option.getOrThrow(variable.read(variable.standard))
})

const contradiction = (message: string) => Effect.fail(new StartRefused({ message }))

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

const readDatabase = Effect.gen(function* () {
  const url = yield* optional(variables.databaseUrl)
  const connections = yield* required(variables.databaseConnections)
  return Option.map(url, (url): Database => ({ url, connections }))
})

/** The embedded store is one process's alone: nobody else could do its work. */
const readWorker = Effect.fnUntraced(function* (database: Option.Option<Database>) {
  const isInside = (yield* required(variables.worker)) === "inside"
  if (isInside || Option.isSome(database)) return isInside
  return yield* contradiction("WCS_WORKER can be apart only where DATABASE_URL is given.")
})

const readBootstrap = Effect.gen(function* () {
  const email = yield* optional(variables.adminEmail)
  const tokenFile = yield* optional(variables.adminTokenFile)
  if (Option.isSome(email) !== Option.isSome(tokenFile)) {
    return yield* contradiction("WCS_ADMIN_EMAIL and WCS_ADMIN_TOKEN_FILE must be given together, or neither.")
  }
  const clientFile = yield* optional(variables.clientFile)
  return { admin: Option.all({ email, tokenFile }), clientFile } satisfies Bootstrap
})

const readRegister = Effect.gen(function* () {
  const choice = yield* required(variables.register)
  const url = yield* optional(variables.registerUrl)
  const user = yield* optional(variables.registerUser)
  const secretFile = yield* optional(variables.registerSecretFile)
  const timeoutMillis = yield* required(variables.registerTimeout)
  const totalMillis = yield* required(variables.registerTotalTimeout)
  const tries = yield* required(variables.registerTries)
  const concurrency = yield* required(variables.registerConcurrency)
  if (choice === "simulator") {
    return Option.isSome(url) || Option.isSome(user) || Option.isSome(secretFile)
      ? yield* contradiction(
          "WCS_REGISTER must be http where WCS_REGISTER_URL, WCS_REGISTER_USER or WCS_REGISTER_SECRET_FILE is given."
        )
      : ({ _tag: "Simulator" } satisfies RegisterSettings)
  }
  if (Option.isNone(url)) return yield* contradiction("WCS_REGISTER_URL must be given where WCS_REGISTER is http.")
  if (Option.isSome(user) && Option.isNone(secretFile)) {
    return yield* contradiction("WCS_REGISTER_SECRET_FILE must be given where WCS_REGISTER_USER is.")
  }
  if (totalMillis < timeoutMillis) {
    return yield* contradiction("WCS_REGISTER_TOTAL_TIMEOUT must be no shorter than WCS_REGISTER_TIMEOUT.")
  }
  const limits = { timeoutMillis, totalMillis, tries, concurrency }
  return { _tag: "Gateway", url: url.value, user, secretFile, ...limits } satisfies RegisterSettings
})

/** Reads and checks all of it; the first thing that is wrong is told in one sentence that names the variable. */
export const make = Effect.gen(function* () {
  const tls = yield* readTls
  const plainPort = yield* optional(variables.plainPort)
  const trustedProxies = Option.getOrElse(yield* optional(variables.trustedProxies), () => [])
  if (tls._tag === "Proxy" && trustedProxies.length === 0) {
    return yield* contradiction("WCS_TRUSTED_PROXIES must name the proxies where WCS_TLS is proxy.")
  }
  if (tls._tag === "Proxy" && Option.isSome(plainPort)) {
    return yield* contradiction("WCS_PLAIN_PORT must be left out where WCS_TLS is proxy: WCS_PORT is plain already.")
  }
  const database = yield* readDatabase
  return Settings.of({
    dataDirectory: yield* required(variables.dataDirectory),
    database,
    masterKeyFile: yield* optional(variables.masterKeyFile),
    host: yield* optional(variables.host),
    port: yield* required(variables.port),
    plainPort,
    tls,
    trustedProxies,
    adminHost: yield* required(variables.adminHost),
    adminPort: yield* required(variables.adminPort),
    tenantHosts: Option.getOrElse(yield* optional(variables.tenantHosts), () => []),
    tokenLifetimeSeconds: yield* required(variables.tokenLifetimeSeconds),
    legacyTokenLifetimeSeconds: yield* required(variables.legacyTokenLifetimeSeconds),
    rateLimits: {
      standard: yield* required(variables.standard),
      intensive: yield* required(variables.intensive),
      unauthenticated: yield* required(variables.unauthenticated),
      tokenFailures: yield* required(variables.tokenFailures),
      loginFailures: yield* required(variables.loginFailures),
      tokensIssued: yield* required(variables.tokensIssued)
    },
    isWorkerInside: yield* readWorker(database),
    webhooks: {
      allowsHttp: (yield* required(variables.webhookHttp)) === "allow",
      changeoverSeconds: yield* required(variables.webhookChangeoverSeconds),
      webhooksMax: yield* required(variables.webhooksMax)
    },
    deliveries: {
      allowedAddresses: Option.getOrElse(yield* optional(variables.webhookAddresses), () => []),
      retryDelaysMillis: yield* required(variables.webhookRetries),
      retentionMillis: (yield* required(variables.webhookRetentionDays)) * 86_400_000
    },
    verifications: {
      patienceMillis: yield* required(variables.verifyPatience),
      retryDelaysMillis: yield* required(variables.verifyRetries)
    },
    register: yield* readRegister,
    maxConnections: yield* required(variables.maxConnections),
    bootstrap: yield* readBootstrap,
    logFormat: yield* required(variables.logFormat),
    logLevel: yield* required(variables.logLevel)
  })
})

export const layer: Layer.Layer<Settings, StartRefused> = Layer.effect(Settings, make)
