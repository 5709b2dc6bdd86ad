import { normalizeEmail } from "@wcs/domain/access/Account"
import { entities } from "@wcs/domain/access/Privilege"
import { hostName, type Tenant } from "@wcs/domain/access/Tenant"
import { IsTenantElsewhere } from "@wcs/domain/login/SetUp"
import type { CollectionFull } from "@wcs/domain/resource/Resource"
import { Digest } from "@wcs/domain/shared/Digest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { loopbackHosts } from "@wcs/node-server/Certificate"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Option, Redacted, Schema } from "effect"
import * as FirstSecret from "./FirstSecret.ts"
import { Settings } from "./Settings.ts"
import type { Bootstrap } from "./settings/FirstRun.ts"

/** Every error of the administration means an invalid setting. */
const refused = (message: string) => new StartRefused({ message })

const full = ({ entityType, most }: CollectionFull) =>
  Effect.fail(refused(`The first tenant already has ${most} ${entities[entityType].plural}, the configured maximum.`))

/** Creates the tenant of a new store. Does nothing if there is a tenant. */
const ensureTenant = Effect.gen(function* () {
  const administration = yield* Administration
  const { tenantHosts, tenantTimeZone } = yield* Settings
  const [first] = yield* AccessStore.use((store) => store.listTenants)
  if (first !== undefined) {
    yield* warnOfStrangers(tenantHosts)
    return first
  }
  const hosts = [...new Set([...loopbackHosts, ...tenantHosts])]
  return yield* administration.createTenant("default", hosts, yield* operator, tenantTimeZone).pipe(
    Effect.catchTags({
      InvalidArgument: ({ reason }) => Effect.fail(refused(`WCS_TENANT_HOSTS must be host names: ${reason}.`)),
      HostTaken: ({ host }) =>
        Effect.fail(refused(`WCS_TENANT_HOSTS must be free hosts, but ${host} belongs to another tenant.`))
    })
  )
})

/** The variable names the hosts of a new tenant. Warns about a later change, which gives no tenant another host. */
const warnOfStrangers = Effect.fnUntraced(function* (hosts: ReadonlyArray<string>) {
  const store = yield* AccessStore
  for (const host of hosts) {
    if (Option.isNone(yield* store.findTenantByHost(hostName(host)))) {
      yield* Effect.logWarning(
        `WCS_TENANT_HOSTS contains ${host}, but no tenant has this host; add it with wcs admin add-host ${host}`
      )
    }
  }
})

const tokenName = "first run (WCS_ADMIN_TOKEN_FILE)"

/** Creates the Super Admin of the settings, with a personal token. Done once. */
const ensureAdmin = Effect.fnUntraced(function* (tenant: Tenant, email: string, tokenFile: string) {
  const administration = yield* Administration
  const digest = yield* Digest
  const store = yield* AccessStore
  const known = yield* store.findAccountByEmail(tenant.id, normalizeEmail(email))
  const tokens = (yield* store.listPersonalTokens(tenant.id)).filter(({ accountId }) =>
    Option.exists(known, ({ id }) => id === accountId)
  )
  const make = Effect.gen(function* () {
    const actor = yield* operator
    if (Option.isNone(known)) yield* administration.createUser(tenant.id, email, "Super Admin", actor)
    const { secret } = yield* administration.createToken(tenant.id, email, tokenName, null, actor)
    return `${Redacted.value(secret)}\n`
  }).pipe(
    Effect.catchTags({
      InvalidArgument: ({ reason }) => Effect.fail(refused(`WCS_ADMIN_EMAIL ${reason}.`)),
      EmailTaken: () => Effect.fail(refused("WCS_ADMIN_EMAIL must not belong to an existing user.")),
      NoSuch: () => Effect.fail(refused("WCS_ADMIN_EMAIL must be the email of a user.")),
      CollectionFull: full
    })
  )
  const revokeUnwritten = Effect.forEach(
    tokens.filter(({ name, revokedAt }) => name === tokenName && revokedAt === null),
    ({ id }) => Effect.flatMap(operator, (actor) => administration.revokeToken(tenant.id, id, actor)),
    { discard: true }
  )
  yield* FirstSecret.ensure({
    path: tokenFile,
    variable: "WCS_ADMIN_TOKEN_FILE",
    what: `a token of ${email}`,
    tenantId: tenant.id,
    isMade: tokens.length > 0,
    make,
    isKnown: (text) => Effect.map(store.findPersonalToken(tenant.id, digest.sha256(text.trim())), Option.isSome),
    revokeUnwritten: Effect.orDie(revokeUnwritten)
  })
})

const clientName = "first run (WCS_CLIENT_FILE)"

const ClientFile = Schema.fromJsonString(Schema.Struct({ clientId: Schema.String, clientSecret: Schema.String }))

/** Creates the OAuth client of the settings. Done once. */
const ensureClient = Effect.fnUntraced(function* (tenant: Tenant, clientFile: string) {
  const administration = yield* Administration
  const digest = yield* Digest
  const store = yield* AccessStore
  const clients = yield* store.listClients(tenant.id)
  const make = Effect.gen(function* () {
    const { client, secret } = yield* administration.createClient(tenant.id, clientName, yield* operator)
    const told = { clientId: client.clientId, clientSecret: Redacted.value(secret) }
    return `${Schema.encodeSync(ClientFile)(told)}\n`
  }).pipe(
    Effect.catchTags({
      InvalidArgument: Effect.die,
      CollectionFull: full
    })
  )
  const revokeUnwritten = Effect.forEach(
    clients.filter(({ name, revokedAt }) => name === clientName && revokedAt === null),
    ({ clientId }) => Effect.flatMap(operator, (actor) => administration.revokeClient(tenant.id, clientId, actor)),
    { discard: true }
  )
  yield* FirstSecret.ensure({
    path: clientFile,
    variable: "WCS_CLIENT_FILE",
    what: "a client",
    tenantId: tenant.id,
    isMade: clients.length > 0,
    make,
    isKnown: (text) =>
      Effect.succeed(
        Option.exists(Schema.decodeOption(ClientFile)(text), (told) =>
          clients.some(
            ({ clientId, secretHash }) => clientId === told.clientId && secretHash === digest.sha256(told.clientSecret)
          )
        )
      ),
    revokeUnwritten: Effect.orDie(revokeUnwritten)
  })
})

/** Creates the tenant and the credentials of the settings. Does nothing if they exist, or if the tenant has moved. */
export const run = Effect.fn("FirstRun.run")(function* (bootstrap: Bootstrap) {
  const tenant = yield* ensureTenant
  if ((yield* IsTenantElsewhere)(tenant.id)) return tenant
  if (Option.isSome(bootstrap.admin)) {
    yield* ensureAdmin(tenant, bootstrap.admin.value.email, bootstrap.admin.value.tokenFile)
  }
  if (Option.isSome(bootstrap.clientFile)) yield* ensureClient(tenant, bootstrap.clientFile.value)
  return tenant
})
