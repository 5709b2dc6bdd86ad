import { PlainRole, Role } from "@wcs/domain/access/Privilege"
import { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { sealedKinds } from "@wcs/domain/service/SealedKind"
import { CreatedByDocument } from "@wcs/domain/token/CreatedBy"
import { signingKeyUses } from "@wcs/domain/token/SigningKey"
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { RefusalCode, refusals } from "./AdminRefused.ts"
import { ServerDescription } from "./ServerDescription.ts"

// Imports single modules of Effect: all of `effect/http-api` would slow down the start of every command.

// The fields of each result are in the order in which `wcs admin` prints them.

const { Array: List, Boolean: Flag, Finite, NullOr, optionalKey, String: Text } = Schema

/** A new secret. Clear text on the wire. */
const Secret = Schema.RedactedFromValue(Text)

/** An RFC 3339 time. */
const Time = Text

/** Name or id of the tenant. Null if there is only one tenant. */
const tenant = NullOr(Text)
const ofUser = { tenant, email: Text }

/** Whether to also revoke everything that was created with the token or client. Default: no. */
const cascade = optionalKey(Flag)

/** One endpoint for each command. The parameters of a command are its body. */
const command = <const Name extends string, Fields extends Schema.Struct.Fields, Result extends Schema.Top>(
  name: Name,
  fields: Fields,
  success: Result
) => HttpApiEndpoint.post(name, `/${name}`, { payload: Schema.Struct(fields), success, error: refusals })

/** A command without parameters. */
const query = <const Name extends string, Result extends Schema.Top>(name: Name, success: Result) =>
  HttpApiEndpoint.get(name, `/${name}`, { success, error: refusals })

const SigningKeyUse = Schema.Literals(signingKeyUses)

const Tenant = Schema.Struct({
  id: Text,
  name: Text,
  timeZone: Text,
  /** Absent: workers who have left are kept for ever. */
  retentionYears: optionalKey(Finite),
  /** Absent: the organization needs no second factor of everybody. */
  secondFactorFrom: optionalKey(Text),
  hosts: List(Text)
})

const Host = Schema.Struct({ host: Text, tenant: Text, tenantId: Text })

const NewAccount = Schema.Struct({
  id: Text,
  account: Text,
  email: NullOr(Text),
  role: Role,
  /** The form `20/2s` of the command line. */
  rateLimit: NullOr(Text),
  createdAt: Time
})

const Token = Schema.Struct({
  id: Text,
  name: Text,
  account: Text,
  lastFour: Text,
  createdAt: Time,
  createdBy: CreatedByDocument,
  expiresAt: NullOr(Time),
  revokedAt: NullOr(Time),
  lastUsedAt: NullOr(Time)
})

const NewToken = Schema.Struct({ id: Text, token: Secret, name: Text, account: Text, expiresAt: NullOr(Time) })

const Client = Schema.Struct({
  clientId: Text,
  name: Text,
  secretLastFour: Text,
  createdAt: Time,
  createdBy: CreatedByDocument,
  expiresAt: NullOr(Time),
  revokedAt: NullOr(Time)
})

const NewClient = Schema.Struct({ clientId: Text, clientSecret: Secret, name: Text })

/** `ended`: with `cascade`, the ids of everything that was revoked. */
const revoked = { revoked: Flag, ended: optionalKey(List(Text)) }

/** The numbers of created, updated and unchanged bans, and the first refused one. */
const ImportedBans = Schema.Struct({
  created: Finite,
  updated: Finite,
  unchanged: Finite,
  refused: NullOr(Schema.Struct({ index: Finite, code: RefusalCode, message: Text }))
})

const DeadLetter = Schema.Struct({
  tenantId: Text,
  eventId: Text,
  kind: Text,
  at: Time,
  permanent: Flag,
  until: NullOr(Time)
})

const FailingWebhook = Schema.Struct({
  tenantId: Text,
  webhookId: Text,
  name: Text,
  consecutiveFailures: Finite,
  failingSince: Time
})

const User = Schema.Struct({
  number: Finite,
  account: Text,
  email: NullOr(Text),
  firstName: Text,
  surname: Text,
  role: Role,
  /** Absent if the user reaches all people. */
  units: optionalKey(List(Text)),
  hasPassword: Flag,
  verifiedAt: NullOr(Time),
  deactivatedAt: NullOr(Time)
})

const Unit = Schema.Struct({ id: Text, name: Text, externalId: NullOr(Text), parentId: NullOr(Text) })

const LegacyToken = Schema.Struct({ id: Text, issuedAt: Time, expiresAt: Time, revokedAt: NullOr(Time) })

const NewLegacyToken = Schema.Struct({ id: Text, token: Secret, expiresAt: Time })

/** The tenants and their hosts. */
class Tenants extends HttpApiGroup.make("tenants", { topLevel: true }).add(
  command("createTenant", { name: Text, hosts: List(Text), timeZone: optionalKey(NullOr(Text)) }, Tenant),
  query("listTenants", Schema.Struct({ tenants: List(Tenant) })),
  command("setTimeZone", { tenant, timeZone: Text }, Tenant),
  /** A number of years, or `never`. */
  command("setRetention", { tenant, years: Text }, Tenant),
  command("addHost", { tenant, host: Text }, Tenant),
  command("removeHost", { tenant, host: Text }, Tenant),
  /** Without a tenant, the hosts of all tenants. */
  command("listHosts", { tenant }, Schema.Struct({ hosts: List(Host) }))
) {}

/** The server, and what programs and events of a tenant need. */
class Deployment extends HttpApiGroup.make("deployment", { topLevel: true }).add(
  query("describeServer", ServerDescription),
  command(
    "rotateSigningKeys",
    {
      /** Default: all uses. */
      use: NullOr(SigningKeyUse)
    },
    Schema.Struct({ keys: List(Schema.Struct({ use: SigningKeyUse, kid: Text })) })
  ),
  /** One batch of a kind. `tenantId` is ignored for signing keys. */
  command(
    "resealSecrets",
    { kind: Schema.Literals(sealedKinds), tenantId: Text, after: NullOr(Text) },
    Schema.Struct({ resealed: Finite, unreadable: List(Text), next: NullOr(Text) })
  ),
  command(
    "createUser",
    {
      ...ofUser,
      role: PlainRole,
      /** Default: the limits of the deployment. */
      rateLimit: optionalKey(NullOr(Schema.Struct({ calls: Finite, windowSeconds: Finite })))
    },
    NewAccount
  ),
  /** `lifetimeSeconds` null: no expiry. */
  command("createToken", { ...ofUser, name: Text, lifetimeSeconds: NullOr(Finite) }, NewToken),
  command("listTokens", { tenant }, Schema.Struct({ tokens: List(Token) })),
  command("revokeToken", { tenant, id: Text, cascade }, Schema.Struct({ id: Text, ...revoked })),
  command("createClient", { tenant, name: Text }, NewClient),
  command("listClients", { tenant }, Schema.Struct({ clients: List(Client) })),
  command("revokeClient", { tenant, clientId: Text, cascade }, Schema.Struct({ clientId: Text, ...revoked })),
  command("importBans", { tenant, bans: List(Schema.Json) }, ImportedBans),
  /** Without a tenant, the dead letters of all tenants. */
  command("listDeadLetters", { tenant, limit: Finite }, Schema.Struct({ events: List(DeadLetter) })),
  /** `eventId` null: all dead letters of the tenant. */
  command("retryDeadLetters", { tenant, eventId: NullOr(Text) }, Schema.Struct({ retried: Finite })),
  /** Of all tenants, those that have failed for the longest time first. */
  command("listFailingWebhooks", { limit: Finite }, Schema.Struct({ webhooks: List(FailingWebhook) }))
) {}

/** Users, passwords, legacy tokens and the organization. */
class Users extends HttpApiGroup.make("users", { topLevel: true }).add(
  command("listUsers", { tenant }, Schema.Struct({ users: List(User) })),
  /** Null leaves a field as it is. */
  command("updateUser", { ...ofUser, firstName: NullOr(Text), surname: NullOr(Text), role: NullOr(PlainRole) }, User),
  /** The parts of the organization, by name. */
  command("listUnits", { tenant }, Schema.Struct({ units: List(Unit) })),
  /** Limits the user to the people of these units. Null removes the limit. */
  command("limitUser", { ...ofUser, units: NullOr(List(Text)) }, User),
  command("setPassword", { ...ofUser, password: Secret }, User),
  command("setVerified", { ...ofUser, verified: Flag }, User),
  command("setActive", { ...ofUser, active: Flag }, User),
  command("resetSecondFactor", ofUser, Schema.Struct({ account: Text, email: NullOr(Text), reset: Flag })),
  command("listLegacyTokens", ofUser, Schema.Struct({ legacyTokens: List(LegacyToken) })),
  command("createLegacyToken", { ...ofUser, lifetimeSeconds: Finite }, NewLegacyToken),
  command("revokeLegacyToken", { tenant, id: Text }, Schema.Struct({ id: Text, revoked: Flag })),
  command("endLegacyTokens", ofUser, User),
  command("setAbn", { tenant, abn: Text }, Schema.Struct({ abn: Text }))
) {}

/** The seals of the audit log, and its entries with every stored column. `wcs audit` verifies these. */
class Audit extends HttpApiGroup.make("audit", { topLevel: true }).add(
  /** The public keys of the seals, newest first. */
  query("auditKeys", Schema.Struct({ keys: List(Schema.Record(Text, Text)) })),
  /** Without a tenant, all tenants with entries or seals, and the deployment itself under an empty id. */
  command("listAuditLogs", { tenant }, Schema.Struct({ tenants: List(Schema.Struct({ id: Text, name: Text })) })),
  /** The next batches of a tenant after the batch of this number, which ended at this position. Empty after the last. */
  command(
    "readAuditBatches",
    { tenantId: Text, number: Finite, position: NullOr(Finite) },
    Schema.Struct({ batches: List(Schema.Struct({ seal: AuditSeal, entries: List(LoggedEntry) })) })
  ),
  /** The next entries of a tenant after a position, up to another. Empty after the last. */
  command(
    "readAuditEntries",
    { tenantId: Text, after: NullOr(Finite), upTo: Finite },
    Schema.Struct({ entries: List(LoggedEntry) })
  )
) {}

/** The commands of `wcs admin` and `wcs audit`. */
export class AdminApi extends HttpApi.make("admin").add(Tenants, Deployment, Users, Audit) {}
