import { fromRfc3339 } from "@wcs/domain/shared/Instant"
import type { AdminCommand } from "@wcs/http-node/admin/AdminCommand"
import { BrokenAnswer } from "@wcs/http-node/admin/AdminSocket"
import { Effect, Redacted, Schema } from "effect"
import { type Hand, type HandedToken, isOfConformance, isUserOfConformance } from "./ConformancePrincipals.ts"
import type { Ask, Refusal } from "./Operating.ts"
import { Misused } from "./Output.ts"

// The admin commands of `wcs conformance-profile`.

const revokedAt = Schema.NullOr(Schema.String)

/** The address of the server, running or not. */
export const ServerDescription = Schema.Struct({
  host: Schema.NullOr(Schema.String),
  port: Schema.Number,
  plainPort: Schema.NullOr(Schema.Number),
  tls: Schema.Literals(["SelfSigned", "Files", "Proxy"]),
  certificateFile: Schema.NullOr(Schema.String),
  tokenLifetimeSeconds: Schema.Number,
  legacyTokenLifetimeSeconds: Schema.Number,
  deliversToLoopback: Schema.Boolean
})
export type ServerDescription = typeof ServerDescription.Type

const Tenants = Schema.Struct({
  tenants: Schema.Array(Schema.Struct({ id: Schema.String, hosts: Schema.Array(Schema.String) }))
})
const NewTenant = Schema.Struct({ id: Schema.String })
const NewUser = Schema.Struct({ account: Schema.String })
const NewToken = Schema.Struct({ id: Schema.String, token: Schema.String, expiresAt: Schema.NullOr(Schema.String) })
const NewClient = Schema.Struct({ clientId: Schema.String, clientSecret: Schema.String })
const Tokens = Schema.Struct({
  tokens: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, revokedAt }))
})
const Users = Schema.Struct({
  users: Schema.Array(
    Schema.Struct({
      email: Schema.NullOr(Schema.String),
      hasPassword: Schema.Boolean,
      deactivatedAt: Schema.NullOr(Schema.String)
    })
  )
})
const Clients = Schema.Struct({
  clients: Schema.Array(Schema.Struct({ clientId: Schema.String, name: Schema.String, revokedAt }))
})

/** Runs a command and decodes the used part of its result. */
const asked = <A>(ask: Ask, command: AdminCommand, schema: Schema.Codec<A, unknown>) =>
  ask(command).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(schema)),
    Effect.catchTag("SchemaError", () =>
      Effect.fail(
        new BrokenAnswer({ message: "the server has another version than this command; use the same version" })
      )
    )
  )

const handed = ({ expiresAt, id, token }: typeof NewToken.Type): HandedToken => ({
  id,
  secret: Redacted.make(token),
  expiresAt: expiresAt === null ? null : (fromRfc3339(expiresAt) ?? null)
})

/** Creates users, tokens and clients with admin commands. */
export const byCommands = (ask: Ask): Hand<Refusal> => ({
  user: (tenant, email, role, own) => {
    const rateLimit = own === null ? {} : { rateLimit: own }
    const made = asked(ask, { _tag: "CreateUser", tenant, email, role, ...rateLimit }, NewUser)
    return Effect.map(made, ({ account }) => account)
  },
  token: (tenant, email, name, lifetimeSeconds) =>
    Effect.map(asked(ask, { _tag: "CreateToken", tenant, email, name, lifetimeSeconds }, NewToken), handed),
  endToken: (tenant, id) => Effect.asVoid(ask({ _tag: "RevokeToken", tenant, id })),
  client: (tenant, name) =>
    Effect.map(asked(ask, { _tag: "CreateClient", tenant, name }, NewClient), ({ clientId, clientSecret }) => ({
      clientId,
      secret: Redacted.make(clientSecret)
    })),
  endClient: (tenant, clientId) => Effect.asVoid(ask({ _tag: "RevokeClient", tenant, clientId })),
  password: (tenant, email, password) => Effect.asVoid(ask({ _tag: "SetPassword", tenant, email, password })),
  verify: (tenant, email) => Effect.asVoid(ask({ _tag: "SetVerified", tenant, email, verified: true })),
  legacyToken: (tenant, email, lifetimeSeconds) =>
    Effect.map(asked(ask, { _tag: "CreateLegacyToken", tenant, email, lifetimeSeconds }, NewToken), handed),
  endLegacyToken: (tenant, id) => Effect.asVoid(ask({ _tag: "RevokeLegacyToken", tenant, id }))
})

export const describeServer = (ask: Ask) => asked(ask, { _tag: "DescribeServer" }, ServerDescription)

/** Finds the tenant of the first host, and finds or creates the tenant of the other host. */
export const tenantsFor = Effect.fnUntraced(function* (ask: Ask, host: string, otherHost: string) {
  const { tenants } = yield* asked(ask, { _tag: "ListTenants" }, Tenants)
  const tenant = tenants.find(({ hosts }) => hosts.includes(host))
  if (tenant === undefined) {
    const known = tenants.flatMap(({ hosts }) => hosts).join(", ")
    return yield* new Misused({ message: `--url must have the host of a tenant, but ${host} is not one of ${known}` })
  }
  const other = tenants.find(({ hosts }) => hosts.includes(otherHost))
  if (other?.id === tenant.id) {
    return yield* new Misused({
      message: `--second-tenant-host must belong to another tenant, but ${otherHost} belongs to the same`
    })
  }
  const makeOther = asked(ask, { _tag: "CreateTenant", name: "conformance", hosts: [otherHost] }, NewTenant)
  return { tenant, otherTenant: other ?? (yield* makeOther) }
})

/** The commands that revoke the valid credentials of earlier runs, in every tenant. */
export const endingEarlier = Effect.fnUntraced(function* (ask: Ask) {
  const { tenants } = yield* asked(ask, { _tag: "ListTenants" }, Tenants)
  const isLeft = (one: { readonly name: string; readonly revokedAt: string | null }) =>
    one.revokedAt === null && isOfConformance(one.name)
  const commands = yield* Effect.forEach(tenants, ({ id: tenant }) =>
    Effect.gen(function* () {
      const { tokens } = yield* asked(ask, { _tag: "ListTokens", tenant }, Tokens)
      const { clients } = yield* asked(ask, { _tag: "ListClients", tenant }, Clients)
      const { users } = yield* asked(ask, { _tag: "ListUsers", tenant }, Users)
      return [
        ...users.flatMap(({ deactivatedAt, email, hasPassword }): ReadonlyArray<AdminCommand> => {
          const isLeft = deactivatedAt === null && hasPassword && isUserOfConformance(email)
          return isLeft && email !== null ? [{ _tag: "SetActive", tenant, email, active: false }] : []
        }),
        ...tokens.filter(isLeft).map(({ id }): AdminCommand => ({ _tag: "RevokeToken", tenant, id })),
        ...clients.filter(isLeft).map(({ clientId }): AdminCommand => ({ _tag: "RevokeClient", tenant, clientId }))
      ]
    })
  )
  return commands.flat()
})
