import type { AdminClient } from "@wcs/admin/AdminClient"
import { commandBytesMax } from "@wcs/admin/CommandSize"
import type { Role } from "@wcs/domain/access/Privilege"
import { isRateLimit, type RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { JsonValue } from "@wcs/domain/shared/Json"
import { isLifetime, maxLifetimeSeconds } from "@wcs/domain/token/PersonalToken"
import { signingKeyUses } from "@wcs/domain/token/SigningKey"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { Json } from "../Json.ts"
import { operate } from "../Operating.ts"
import { Failed, Misused, show } from "../Output.ts"
import { readTextFile } from "../TextFile.ts"
import { eventSubcommands } from "./Events.ts"
import { argument, command, email, orNull, perform, required, role, secondsOf, tenant } from "./Flags.ts"
import { resealSecrets } from "./Reseal.ts"
import { tenantSubcommands } from "./Tenants.ts"
import { userSubcommands } from "./Users.ts"

/** Parses `20/2s` or `100/1m`: calls per time window. None if invalid. */
const rateLimitOf = (text: string): Option.Option<RateLimit> => {
  const [, calls, window = ""] = /^([1-9]\d{0,6})\/(\w+)$/.exec(text) ?? []
  return Option.liftPredicate({ calls: Number(calls), windowSeconds: secondsOf(window) }, isRateLimit)
}

const createUser = Command.make(
  "create-user",
  {
    tenant,
    email,
    ...role,
    rateLimit: required(
      "rate-limit",
      "Rate limit of the user, such as 20/2s or 100/1m; must be lower than the limit of the deployment to have an effect"
    ).pipe(Flag.withMetavar("calls/time"), Flag.optional)
  },
  Effect.fnUntraced(function* ({ privileges, rateLimit, role, ...user }) {
    if (Option.isSome(role) === privileges.length > 0) {
      return yield* new Misused({ message: "create-user needs either --role or at least one --privilege" })
    }
    const granted: Role = Option.getOrElse(role, () => privileges)
    const own = Option.flatMap(rateLimit, rateLimitOf)
    if (Option.isSome(rateLimit) && Option.isNone(own)) {
      const message = "--rate-limit must be 1 to 1000000 calls per 1s to 1h, such as 20/2s or 100/1m"
      return yield* new Misused({ message })
    }
    const limits = { role: granted, rateLimit: Option.getOrNull(own) }
    yield* perform((client) => client.createUser({ payload: { ...user, ...limits } }))
  })
).pipe(Command.withDescription("Create a user with a role or with single privileges"))

const longest = `${Math.floor(maxLifetimeSeconds / 86_400)}d`

const createToken = Command.make(
  "create-token",
  {
    tenant,
    email: required("email", "Email address of the owner of the token"),
    name: required("name", "Purpose of the token"),
    expiresIn: required("expires-in", "Lifetime, such as 90d, 12h, 30m or 45s; default: no expiry").pipe(Flag.optional)
  },
  Effect.fnUntraced(function* ({ expiresIn, ...token }) {
    const lifetimeSeconds = Option.filter(Option.map(expiresIn, secondsOf), isLifetime)
    if (Option.isSome(expiresIn) && Option.isNone(lifetimeSeconds)) {
      return yield* new Misused({
        message: `--expires-in must be a number with s, m, h or d, such as 90d, at most ${longest}`
      })
    }
    const lifetime = Option.getOrNull(lifetimeSeconds)
    yield* perform((client) => client.createToken({ payload: { ...token, lifetimeSeconds: lifetime } }))
  })
).pipe(Command.withDescription("Create a personal token; it is shown only once"))

const cascade = Flag.Boolean("cascade").pipe(
  Flag.withDescription("Also revoke every token and client that was created with it"),
  Flag.withDefault(false)
)

const readLines = (file: string) =>
  Effect.map(readTextFile(file), (text) => text.split("\n").map((content, index) => ({ content, number: index + 1 })))

const parse = (content: string, number: number) =>
  Effect.try({
    try: (): JsonValue => JSON.parse(content),
    catch: () => new Misused({ message: `line ${number} is not valid JSON` })
  })

interface Line {
  readonly number: number
  readonly ban: JsonValue
  readonly bytes: number
}

/** The maximum lines and bytes of a batch: half the maximum size of a command. */
const linesAtOnce = 500
const bytesAtOnce = commandBytesMax / 2

/** Splits lines into batches, in order. */
const batchesOf = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<Line>> => {
  const batches: Array<Array<Line>> = []
  let bytes = 0
  for (const line of lines) {
    const last = batches.at(-1)
    bytes += line.bytes
    if (last !== undefined && last.length < linesAtOnce && bytes <= bytesAtOnce) last.push(line)
    else {
      batches.push([line])
      bytes = line.bytes
    }
  }
  return batches
}

const sendBatch = Effect.fnUntraced(function* (client: AdminClient, tenant: string | null, lines: ReadonlyArray<Line>) {
  const { refused, ...counts } = yield* client.importBans({ payload: { tenant, bans: lines.map(({ ban }) => ban) } })
  if (refused === null) return counts
  const message = `line ${lines[refused.index]?.number}: ${refused.message}`
  return yield* new Failed({ code: refused.code, message })
})

const importBans = Command.make(
  "import-bans",
  {
    tenant,
    file: argument(
      "file",
      "File with one JSON object per line: register, key, worker { id or externalId }, checkedAt, …"
    )
  },
  Effect.fnUntraced(function* ({ file, tenant }) {
    const lines = (yield* readLines(file)).filter(({ content }) => content.trim() !== "")
    // Parses all lines before it sends any, so an invalid file changes nothing.
    const bans = yield* Effect.forEach(lines, ({ content, number }) =>
      Effect.map(parse(content, number), (ban) => ({ ban, number, bytes: Buffer.byteLength(content) }))
    )
    const counts = yield* operate((client) =>
      Effect.forEach(batchesOf(bans), (batch) => sendBatch(client, tenant, batch))
    )
    const sum = (change: "created" | "updated" | "unchanged") =>
      counts.reduce((total, batch) => total + batch[change], 0)
    yield* show({ created: sum("created"), updated: sum("updated"), unchanged: sum("unchanged") }, yield* Json)
  })
).pipe(
  Command.withDescription(
    "Import the bans of a register; idempotent. Stops at the first refused line: earlier lines are kept, and possibly later ones of the same batch of 500"
  )
)

/** `wcs admin`: uses the server that runs on the data directory, or works on the store itself. */
export const admin = Command.make("admin").pipe(
  Command.withDescription("Manage tenants, users, tokens, OAuth clients, bans and events"),
  Command.withSubcommands([
    ...tenantSubcommands,
    command(
      "rotate-signing-keys",
      "Replace the keys that sign tokens and the audit log; older ones still verify",
      {
        use: orNull(
          Flag.Literals("use", signingKeyUses).pipe(Flag.withDescription("Only the keys of this use; default: all"))
        )
      },
      (client, payload) => client.rotateSigningKeys({ payload })
    ),
    resealSecrets,
    createUser,
    createToken,
    command("list-tokens", "List the personal tokens, oldest first", { tenant }, (client, payload) =>
      client.listTokens({ payload })
    ),
    command(
      "revoke-token",
      "Revoke a personal token immediately",
      { tenant, cascade, id: argument("id", "Id of the token, pat_…") },
      (client, payload) => client.revokeToken({ payload })
    ),
    command(
      "create-client",
      "Create an OAuth client; its secret is shown only once",
      { tenant, name: required("name", "Purpose of the client") },
      (client, payload) => client.createClient({ payload })
    ),
    command("list-clients", "List the OAuth clients, oldest first", { tenant }, (client, payload) =>
      client.listClients({ payload })
    ),
    command(
      "revoke-client",
      "Revoke an OAuth client and its tokens immediately",
      { tenant, cascade, clientId: argument("client-id", "Id of the client, wcs_oauth_…") },
      (client, payload) => client.revokeClient({ payload })
    ),
    importBans,
    ...userSubcommands,
    ...eventSubcommands
  ])
)
