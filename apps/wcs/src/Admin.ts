import { readFile } from "node:fs/promises"
import { isLifetime, maxLifetimeSeconds } from "@wcs/domain/access/PersonalToken"
import { everyPrivilege, type Role, RoleName } from "@wcs/domain/access/Privilege"
import { isRateLimit, type RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { JsonValue } from "@wcs/domain/shared/Json"
import { ImportedBans } from "@wcs/http-node/admin/AdminCommand"
import { lineLimit } from "@wcs/http-node/admin/AdminSocket"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { eventSubcommands } from "./AdminEvents.ts"
import { perform, required, secondsOf, tenant } from "./AdminFlags.ts"
import { userSubcommands } from "./AdminUsers.ts"
import { Json } from "./Json.ts"
import { type Ask, operate } from "./Operating.ts"
import { Failed, Misused, show } from "./Output.ts"

const createTenant = Command.make(
  "create-tenant",
  {
    name: required("name", "What the tenant is called"),
    hosts: required("host", "A host that it answers to, without a port; may be repeated").pipe(Flag.atLeast(1))
  },
  ({ hosts, name }) => perform({ _tag: "CreateTenant", name, hosts })
).pipe(Command.withDescription("Make a tenant with hosts of its own"))

const listTenants = Command.make("list-tenants", {}, () => perform({ _tag: "ListTenants" })).pipe(
  Command.withDescription("List the tenants, the oldest first")
)

/** `20/2s`, `100/1m`: so many calls in each such time; none for what no account can be given. */
const rateLimitOf = (text: string): Option.Option<RateLimit> => {
  const [, calls, window = ""] = /^([1-9]\d{0,6})\/(\w+)$/.exec(text) ?? []
  return Option.liftPredicate({ calls: Number(calls), windowSeconds: secondsOf(window) }, isRateLimit)
}

const createUser = Command.make(
  "create-user",
  {
    tenant,
    email: required("email", "The user's email address"),
    role: Flag.Literals("role", RoleName.literals).pipe(Flag.withDescription("What the user may do"), Flag.optional),
    privileges: Flag.Literals("privilege", everyPrivilege).pipe(
      Flag.withDescription("Instead of a role, one privilege such as worker:READ; may be repeated"),
      Flag.withMetavar("entity:OPERATION"),
      Flag.atLeast(0)
    ),
    rateLimit: required(
      "rate-limit",
      "How often the user may call, such as 20/2s or 100/1m: fewer calls than everybody may make in the long run"
    ).pipe(Flag.withMetavar("calls/time"), Flag.optional)
  },
  Effect.fnUntraced(function* ({ email, privileges, rateLimit, role, tenant }) {
    if (Option.isSome(role) === privileges.length > 0) {
      return yield* new Misused({ message: "create-user takes either --role or one or more --privilege" })
    }
    const granted: Role = Option.getOrElse(role, () => privileges)
    const own = Option.flatMap(rateLimit, rateLimitOf)
    if (Option.isSome(rateLimit) && Option.isNone(own)) {
      const message = "--rate-limit takes 1 to 1000000 calls and a time from 1s to 1h, such as 20/2s or 100/1m"
      return yield* new Misused({ message })
    }
    const limits = Option.match(own, { onNone: () => ({}), onSome: (limit) => ({ rateLimit: limit }) })
    yield* perform({ _tag: "CreateUser", tenant, email, role: granted, ...limits })
  })
).pipe(Command.withDescription("Make a user with a role, or with privileges of its own"))

const longest = `${Math.floor(maxLifetimeSeconds / 86_400)}d`

const createToken = Command.make(
  "create-token",
  {
    tenant,
    email: required("email", "The user whose token it is"),
    name: required("name", "What the token is for"),
    expiresIn: required("expires-in", "When it ends, such as 90d, 12h, 30m or 45s; never where it is left out").pipe(
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ email, expiresIn, name, tenant }) {
    const lifetimeSeconds = Option.filter(Option.map(expiresIn, secondsOf), isLifetime)
    if (Option.isSome(expiresIn) && Option.isNone(lifetimeSeconds)) {
      return yield* new Misused({
        message: `--expires-in takes a number and s, m, h or d, such as 90d, and at most ${longest}`
      })
    }
    const lifetime = Option.getOrNull(lifetimeSeconds)
    yield* perform({ _tag: "CreateToken", tenant, email, name, lifetimeSeconds: lifetime })
  })
).pipe(Command.withDescription("Make a personal token; it is shown this once"))

const listTokens = Command.make("list-tokens", { tenant }, ({ tenant }) =>
  perform({ _tag: "ListTokens", tenant })
).pipe(Command.withDescription("List the personal tokens, the oldest first"))

const cascade = Flag.Boolean("cascade").pipe(
  Flag.withDescription("Also end every token and client that came from it"),
  Flag.withDefault(false)
)

const revokeToken = Command.make(
  "revoke-token",
  { tenant, cascade, id: Argument.String("id").pipe(Argument.withDescription("The token's id, pat_…")) },
  ({ cascade, id, tenant }) => perform({ _tag: "RevokeToken", tenant, id, cascade })
).pipe(Command.withDescription("End a personal token at once"))

const createClient = Command.make(
  "create-client",
  { tenant, name: required("name", "What the client is for") },
  ({ name, tenant }) => perform({ _tag: "CreateClient", tenant, name })
).pipe(Command.withDescription("Make an OAuth client; its secret is shown this once"))

const listClients = Command.make("list-clients", { tenant }, ({ tenant }) =>
  perform({ _tag: "ListClients", tenant })
).pipe(Command.withDescription("List the OAuth clients, the oldest first"))

const revokeClient = Command.make(
  "revoke-client",
  {
    tenant,
    cascade,
    clientId: Argument.String("client-id").pipe(Argument.withDescription("The client's id, wcs_oauth_…"))
  },
  ({ cascade, clientId, tenant }) => perform({ _tag: "RevokeClient", tenant, clientId, cascade })
).pipe(Command.withDescription("End an OAuth client and its tokens at once"))

const readLines = (file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: () => new Misused({ message: `${file} cannot be read` })
  }).pipe(Effect.map((text) => text.split("\n").map((content, index) => ({ content, number: index + 1 }))))

const parse = (content: string, number: number) =>
  Effect.try({
    try: (): JsonValue => JSON.parse(content),
    catch: () => new Misused({ message: `line ${number} is no JSON` })
  })

interface Line {
  readonly number: number
  readonly ban: JsonValue
  readonly length: number
}

/** How many lines are sent at once, and how many characters of them: half of what a command may be. */
const linesAtOnce = 500
const charactersAtOnce = lineLimit / 2

/** Lines in their order, cut into what is sent at once. */
const batchesOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> => {
  const batches: Array<Array<Line>> = []
  let characters = 0
  for (const line of lines) {
    const last = batches.at(-1)
    characters += line.length
    if (last !== undefined && last.length < linesAtOnce && characters <= charactersAtOnce) last.push(line)
    else {
      batches.push([line])
      characters = line.length
    }
  }
  return batches
}

const sendBatch = Effect.fnUntraced(function* (ask: Ask, tenant: string | null, lines: ReadonlyArray<Line>) {
  const answer = yield* ask({ _tag: "ImportBans", tenant, bans: lines.map(({ ban }) => ban) })
  const { refused, ...counts } = yield* Effect.orDie(Schema.decodeUnknownEffect(ImportedBans)(answer))
  if (refused === null) return counts
  const message = `line ${lines[refused.index]?.number}: ${refused.message}`
  return yield* new Failed({ code: refused.code, message })
})

const importBans = Command.make(
  "import-bans",
  {
    tenant,
    file: Argument.String("file").pipe(
      Argument.withDescription("One JSON object a line: register, key, worker { id or externalId }, checkedAt, …")
    )
  },
  Effect.fnUntraced(function* ({ file, tenant }) {
    const lines = (yield* readLines(file)).filter(({ content }) => content.trim() !== "")
    // All are read before the first is sent, so that a file that is none changes nothing.
    const bans = yield* Effect.forEach(lines, ({ content, number }) =>
      Effect.map(parse(content, number), (ban) => ({ ban, number, length: content.length }))
    )
    const counts = yield* operate((ask) => Effect.forEach(batchesOf(bans), (batch) => sendBatch(ask, tenant, batch)))
    const sum = (change: "created" | "updated" | "unchanged") =>
      counts.reduce((total, batch) => total + batch[change], 0)
    yield* show({ created: sum("created"), updated: sum("updated"), unchanged: sum("unchanged") }, yield* Json)
  })
).pipe(
  Command.withDescription(
    "Take over bans from a register's list; the same line again changes nothing. It stops where a line is refused: those before it are kept, and so may be others of the 500 lines that it was sent with"
  )
)

/** Who may call, what registers say, and what could not be sent: through the server while one runs on the data directory, else on the store itself. */
export const admin = Command.make("admin").pipe(
  Command.withDescription("Tenants, users, tokens, OAuth clients, bans and events"),
  Command.withSubcommands([
    createTenant,
    listTenants,
    createUser,
    createToken,
    listTokens,
    revokeToken,
    createClient,
    listClients,
    revokeClient,
    importBans,
    ...userSubcommands,
    ...eventSubcommands
  ])
)
