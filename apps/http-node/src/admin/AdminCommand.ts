import { isAdmitted } from "@wcs/delivery/Addresses"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import { type Account, accountUrn } from "@wcs/domain/access/Account"
import { Administration, type NewToken } from "@wcs/domain/access/Administration"
import type { IssuedReference } from "@wcs/domain/access/Lineage"
import type { NoSuch } from "@wcs/domain/access/NoSuch"
import type { OAuthClient } from "@wcs/domain/access/OAuthClient"
import { operator } from "@wcs/domain/access/Operator"
import type { PersonalToken } from "@wcs/domain/access/PersonalToken"
import { Role } from "@wcs/domain/access/Privilege"
import type { RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import * as Bans from "@wcs/domain/credential/Bans"
import type { LinkNotFound } from "@wcs/domain/resource/Links"
import { toRfc3339, toRfc3339OrNull } from "@wcs/domain/shared/Instant"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import * as DeadLetters from "@wcs/domain/webhook/DeadLetters"
import { type DeadLetter, neverRetried } from "@wcs/domain/webhook/FanOut"
import { Data, Effect, Option, Redacted, Result, Schema } from "effect"
import { selfSignedFile } from "../listening/Certificate.ts"
import { ListeningOn } from "../listening/Ports.ts"
import { Settings } from "../Settings.ts"
import { DataDirectory } from "../stores/DataDirectory.ts"
import * as UserCommand from "./UserCommand.ts"

/** Name or id of the tenant. Null if there is only one tenant. */
const tenant = Schema.NullOr(Schema.String)

/** Whether to also revoke everything that was created with the token or client. Default: no. */
const cascade = Schema.optionalKey(Schema.Boolean)

/** The commands of `wcs admin`. */
export const AdminCommand = Schema.Union([
  Schema.TaggedStruct("DescribeServer", {}),
  Schema.TaggedStruct("CreateTenant", { name: Schema.String, hosts: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("ListTenants", {}),
  Schema.TaggedStruct("CreateUser", {
    tenant,
    email: Schema.String,
    role: Role,
    /** Default: the limits of the deployment. */
    rateLimit: Schema.optionalKey(Schema.Struct({ calls: Schema.Finite, windowSeconds: Schema.Finite }))
  }),
  Schema.TaggedStruct("CreateToken", {
    tenant,
    email: Schema.String,
    name: Schema.String,
    /** Null: no expiry. */
    lifetimeSeconds: Schema.NullOr(Schema.Finite)
  }),
  Schema.TaggedStruct("ListTokens", { tenant }),
  Schema.TaggedStruct("RevokeToken", { tenant, id: Schema.String, cascade }),
  Schema.TaggedStruct("CreateClient", { tenant, name: Schema.String }),
  Schema.TaggedStruct("ListClients", { tenant }),
  Schema.TaggedStruct("RevokeClient", { tenant, clientId: Schema.String, cascade }),
  /** Bans of a register. */
  Schema.TaggedStruct("ImportBans", { tenant, bans: Schema.Array(Schema.Json) }),
  /** Dead letters. Without a tenant, those of all tenants. */
  Schema.TaggedStruct("ListSetAside", { tenant: Schema.NullOr(Schema.String), limit: Schema.Finite }),
  /** Null: all dead letters of the tenant. */
  Schema.TaggedStruct("RetrySetAside", { tenant, eventId: Schema.NullOr(Schema.String) }),
  ...UserCommand.userCommands
])
export type AdminCommand = typeof AdminCommand.Type

/** The result: one JSON object. It contains new secrets in clear text. */
export const AdminResult = Schema.Record(Schema.String, Schema.Unknown)
export type AdminResult = typeof AdminResult.Type

export const RefusalCode = Schema.Literals(["INVALID_ARGUMENT", "NOT_FOUND", "DUPLICATE_ID", "UNAVAILABLE"])

/** The command was refused. The message is for the operator. */
export class AdminRefused extends Data.TaggedError("AdminRefused")<{
  readonly code: typeof RefusalCode.Type
  readonly message: string
}> {}

/** The result of `ImportBans`: numbers of created, updated and unchanged bans, and the first refused one. */
export const ImportedBans = Schema.Struct({
  created: Schema.Finite,
  updated: Schema.Finite,
  unchanged: Schema.Finite,
  refused: Schema.NullOr(Schema.Struct({ index: Schema.Finite, code: RefusalCode, message: Schema.String }))
})
type ImportedBans = typeof ImportedBans.Type

/** The form `20/2s` of the command line. */
const showRateLimit = ({ calls, windowSeconds }: RateLimit) => `${calls}/${windowSeconds}s`

const showUser = (account: Account) => ({
  id: account.id,
  account: accountUrn(account.id),
  email: account.email,
  role: account.role,
  rateLimit: account.rateLimit === null ? null : showRateLimit(account.rateLimit),
  createdAt: toRfc3339(account.createdAt)
})

const showToken = (token: PersonalToken) => ({
  id: token.id,
  name: token.name,
  account: accountUrn(token.accountId),
  lastFour: token.lastFour,
  createdAt: toRfc3339(token.createdAt),
  createdBy: token.createdBy,
  expiresAt: token.expiresAt === null ? null : toRfc3339(token.expiresAt * 1000),
  revokedAt: toRfc3339OrNull(token.revokedAt),
  lastUsedAt: toRfc3339OrNull(token.lastUsedAt)
})

const showNewToken = ({ secret, token }: NewToken) => ({
  id: token.id,
  token: Redacted.value(secret),
  name: token.name,
  account: accountUrn(token.accountId),
  expiresAt: token.expiresAt === null ? null : toRfc3339(token.expiresAt * 1000)
})

const showClient = (client: OAuthClient) => ({
  clientId: client.clientId,
  name: client.name,
  secretLastFour: client.secretLastFour,
  createdAt: toRfc3339(client.createdAt),
  createdBy: client.createdBy,
  expiresAt: client.expiresAt === null ? null : toRfc3339(client.expiresAt * 1000),
  revokedAt: toRfc3339OrNull(client.revokedAt)
})

const showDeadLetter = ({ at, eventId, kind, tenantId, until }: DeadLetter) => ({
  tenantId,
  eventId,
  kind,
  at: toRfc3339(at),
  permanent: until === neverRetried,
  until: until === neverRetried ? null : toRfc3339(until)
})

/** Finds the tenant. Ids take precedence over names, because a name can look like an id. */
const tenantOf = Effect.fnUntraced(function* (wanted: string | null) {
  const tenants = yield* AccessStore.use((store) => store.listTenants)
  const choices = tenants.map(({ id, name }) => `${name} (${id})`).join(", ")
  if (wanted === null) {
    const [only, another] = tenants
    if (only !== undefined && another === undefined) return only
    return yield* new AdminRefused({ code: "INVALID_ARGUMENT", message: `select a tenant with --tenant: ${choices}` })
  }
  const byId = tenants.filter(({ id }) => id === wanted)
  const [found, another] = byId.length > 0 ? byId : tenants.filter(({ name }) => name === wanted)
  if (found === undefined) {
    return yield* new AdminRefused({
      code: "NOT_FOUND",
      message: `there is no tenant ${wanted}; the tenants are ${choices}`
    })
  }
  if (another !== undefined) {
    const message = `several tenants have the name ${wanted}; select one by id: ${choices}`
    return yield* new AdminRefused({ code: "INVALID_ARGUMENT", message })
  }
  return found
})

/** Why a ban was refused. */
const banRefused = (refusal: InvalidArgument | LinkNotFound): AdminRefused => {
  if (refusal._tag === "InvalidArgument") {
    return new AdminRefused({ code: "INVALID_ARGUMENT", message: `${refusal.field} ${refusal.reason}` })
  }
  const { entityType, field, found } = refusal
  const several = `several resources of type ${entityType} have the externalId in ${field}`
  return new AdminRefused({ code: "NOT_FOUND", message: found === "none" ? `${field} was not found` : several })
}

const importBans = Effect.fnUntraced(function* (tenantId: string, bans: ReadonlyArray<Schema.Json>, actor: Actor) {
  const outcomes = yield* Bans.recordAll(tenantId, bans, actor)
  const count = (change: Bans.Recorded["change"]) =>
    outcomes.filter((outcome) => Result.isSuccess(outcome) && outcome.success.change === change).length
  const [refused = null] = outcomes.flatMap((outcome, index) => {
    if (Result.isSuccess(outcome)) return []
    const { code, message } = banRefused(outcome.failure)
    return [{ index, code, message }]
  })
  return {
    created: count("created"),
    updated: count("updated"),
    unchanged: count("unchanged"),
    refused
  } satisfies ImportedBans
})

const listDeadLetters = Effect.fnUntraced(function* (wanted: string | null, limit: number) {
  const tenantId = wanted === null ? null : (yield* tenantOf(wanted)).id
  return { events: (yield* DeadLetters.list(tenantId, limit)).map(showDeadLetter) }
})

const inTenant = <A, E, R>(wanted: string | null, act: (tenant: Tenant) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(tenantOf(wanted), act)

/** Revokes a token or client. With `cascade`, also revokes and lists everything that was created with it. */
const revoke = Effect.fnUntraced(function* (
  tenantId: string,
  root: IssuedReference,
  actor: Actor,
  cascade = false
): Effect.fn.Return<{ readonly revoked: true; readonly ended?: ReadonlyArray<string> }, NoSuch, Administration> {
  const administration = yield* Administration
  if (cascade) {
    const ended = yield* administration.revokeTree(tenantId, root, actor, () => Result.succeed(undefined))
    return { revoked: true, ended: ended.map(({ id }) => id) }
  }
  const end = root.entityType === "apiClient" ? administration.revokeClient : administration.revokeToken
  yield* end(tenantId, root.id, actor)
  return { revoked: true }
})

/** The ports and token lifetimes of the server, from the running server or the settings. */
const describeServer = Effect.gen(function* () {
  const { deliveries, host, legacyTokenLifetimeSeconds, plainPort, port, tls, tokenLifetimeSeconds, webhooks } =
    yield* Settings
  const { path } = yield* DataDirectory
  const ports = Option.getOrElse(yield* yield* ListeningOn, () => ({ port, plainPort }))
  return {
    host: Option.getOrNull(host),
    port: ports.port,
    plainPort: Option.getOrNull(ports.plainPort),
    tls: tls._tag,
    certificateFile: tls._tag === "SelfSigned" ? selfSignedFile(path) : null,
    tokenLifetimeSeconds,
    legacyTokenLifetimeSeconds,
    deliversToLoopback: webhooks.allowsHttp && isAdmitted("127.0.0.1", deliveries.allowedAddresses)
  }
})

const perform = Effect.fnUntraced(function* (command: AdminCommand) {
  const administration = yield* Administration
  const store = yield* AccessStore
  const actor = yield* operator
  if (UserCommand.isUserCommand(command)) {
    return yield* inTenant(command.tenant, ({ id }) => UserCommand.perform(id, command, actor))
  }
  switch (command._tag) {
    case "DescribeServer":
      return yield* describeServer
    case "CreateTenant":
      return { ...(yield* administration.createTenant(command.name, command.hosts, actor)) }
    case "ListTenants":
      return { tenants: yield* store.listTenants }
    case "CreateUser":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(administration.createUser(id, command.email, command.role, actor, command.rateLimit), showUser)
      )
    case "CreateToken":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(
          administration.createToken(id, command.email, command.name, command.lifetimeSeconds, actor),
          showNewToken
        )
      )
    case "ListTokens":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(store.listPersonalTokens(id), (tokens) => ({ tokens: tokens.map(showToken) }))
      )
    case "RevokeToken":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(revoke(id, { entityType: "accessToken", id: command.id }, actor, command.cascade), (done) => ({
          id: command.id,
          ...done
        }))
      )
    case "CreateClient":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(administration.createClient(id, command.name, actor), ({ client, secret }) => ({
          clientId: client.clientId,
          clientSecret: Redacted.value(secret),
          name: client.name
        }))
      )
    case "ListClients":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(store.listClients(id), (clients) => ({ clients: clients.map(showClient) }))
      )
    case "RevokeClient":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(revoke(id, { entityType: "apiClient", id: command.clientId }, actor, command.cascade), (done) => ({
          clientId: command.clientId,
          ...done
        }))
      )
    case "ImportBans":
      return yield* inTenant(command.tenant, ({ id }) => importBans(id, command.bans, actor))
    case "ListSetAside":
      return yield* listDeadLetters(command.tenant, command.limit)
    case "RetrySetAside":
      return yield* inTenant(command.tenant, ({ id }) =>
        Effect.map(DeadLetters.retry(id, command.eventId, actor), (retried) => ({ retried }))
      )
  }
})

/** Runs a command. The result is visible to all callers immediately. Each refusal is one sentence. */
export const run = (command: AdminCommand) =>
  Effect.catchTags(perform(command), {
    InvalidArgument: ({ field, reason }) =>
      Effect.fail(new AdminRefused({ code: "INVALID_ARGUMENT", message: `${field} ${reason}` })),
    PasswordsBusy: () =>
      Effect.fail(new AdminRefused({ code: "UNAVAILABLE", message: "too many passwords are being hashed; try again" })),
    NoSuch: ({ id, what }) =>
      Effect.fail(new AdminRefused({ code: "NOT_FOUND", message: `there is no ${what} ${id}` })),
    HostTaken: ({ host }) =>
      Effect.fail(new AdminRefused({ code: "DUPLICATE_ID", message: `the host ${host} belongs to another tenant` })),
    EmailTaken: ({ email }) =>
      Effect.fail(new AdminRefused({ code: "DUPLICATE_ID", message: `a user with the email ${email} already exists` }))
  })
