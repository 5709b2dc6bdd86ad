import { argon2Sync } from "node:crypto"
import * as AdminClient from "@wcs/admin/AdminClient"
import { DescribedServer } from "@wcs/admin/ServerDescription"
import * as Engine from "@wcs/delivery/Engine"
import { Sender } from "@wcs/delivery/Sender"
import * as Signature from "@wcs/delivery/Signature"
import * as CommandHandler from "@wcs/deployment/admin/CommandHandler"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import { Resealing } from "@wcs/domain/service/Resealing"
import * as Rules from "@wcs/domain/service/Rules"
import * as UseCases from "@wcs/domain/service/UseCases"
import * as Id from "@wcs/domain/shared/Id"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import { OpenIdConnect } from "@wcs/domain/single-sign-on/OpenIdConnect"
import { Saml } from "@wcs/domain/single-sign-on/Saml"
import { SigningKeyRotation } from "@wcs/domain/token/SigningKey"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import { changeoverSeconds } from "@wcs/domain/webhook/WebhookSecret"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as Routes from "@wcs/http/Routes"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Passwords from "@wcs/keys/Passwords"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import * as Totp from "@wcs/keys/Totp"
import * as Registers from "@wcs/register/Registers"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, Record, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Deliver } from "./Hub.ts"
import { serveBy } from "./InProcess.ts"
import type { Specimen } from "./Specimen.ts"

/** The hosts of the two tenants and of plain HTTP. No socket listens there: calls stay in the process. */
export const tenantHost = "tenant.specimen.test"
export const otherTenantHost = "other.specimen.test"

/** Limits that no walk reaches, except for the principal with its own limit. */
const raisedLimits: RateLimits = Record.map(defaultRateLimits, () => 1_000_000)

const random = SecureRandom.layerWebCrypto

/** Cheap password hashes: their cost is not judged, and there are many. */
const cheapHashes = Layer.succeed(Passwords.Argon2id, (parameters) =>
  Effect.sync(() => argon2Sync("argon2id", { ...parameters, memory: 8, passes: 1 }))
)

/** Deliveries stay in the process, so any URL is safe. */
const anyAddress = Layer.succeed(AddressGuard, { check: () => Effect.void })

/** No identity provider is configured. */
const noProviders = Layer.mergeAll(
  Layer.mock(Saml, {
    metadataOf: () => "",
    readCertificate: () => Result.fail(new InvalidArgument({ field: "saml", reason: "is not supported" }))
  }),
  Layer.mock(OpenIdConnect, {}),
  Layer.mock(DomainProof, {})
)

const passwords = Layer.provide(Passwords.layer, cheapHashes)
const foundations = Layer.mergeAll(Id.layer, Digest.layer, passwords, Totp.layer).pipe(Layer.provideMerge(random))
const seal = Layer.unwrap(
  Effect.map(MasterKey.generate, (key) => Layer.provide(Seal.layer, MasterKey.layer(key)))
).pipe(Layer.provide(random))

/** Retries without delay, and allows webhooks to any URL. */
const impatient = Layer.mergeAll(
  Layer.succeed(DeliverySettings, {
    retryDelaysMillis: [100, 200, 400, 800, 1600],
    retentionMillis: 3_600_000
  }),
  Layer.succeed(WebhookSettings, { allowsHttp: true, changeoverSeconds: changeoverSeconds.least, webhooksMax: 100 })
)

/** Sends deliveries without sockets, or over HTTP if no receiver in this process has the URL. */
const sender = (deliver: Deliver) =>
  Layer.succeed(
    Sender,
    Sender.of({
      send: ({ body, headers, url }) =>
        Effect.map(
          deliver({ method: "POST", url, headers: Object.entries(headers), body: new TextDecoder().decode(body) }),
          (status) => ({ _tag: "Answered" as const, status, retryAfterMillis: null, excerpt: "" })
        )
    })
  )

/** Runs verifications and deliveries besides the use cases. */
const worker = (deliver: Deliver) =>
  Layer.provide(Engine.layer, [sender(deliver), Signature.layer, Registers.layer({ _tag: "Simulator" })])

/** The use cases of our deployment over SQLite in memory, with a specimen's changes. */
const useCasesOf = ({ rules = (layer) => layer, stores = (layer) => layer }: Specimen, deliver: Deliver) =>
  Layer.merge(UseCases.layer, worker(deliver)).pipe(
    Layer.provide(noProviders),
    Layer.provide([impatient, anyAddress]),
    Layer.provideMerge(seal),
    Layer.provide(Notifications.layer),
    Layer.provideMerge(Tokens.layer.pipe(Layer.provide(seal), Layer.orDie)),
    Layer.provideMerge(RateLimiterMemory.layer(raisedLimits)),
    Layer.provideMerge(stores(StoreSqlite.layerMemory)),
    Layer.provideMerge(rules(Rules.layer)),
    Layer.provideMerge(foundations)
  )

/** The admin commands, without those about the server and its keys. */
const commands = Layer.provide(CommandHandler.layerHere, [
  Layer.mock(DescribedServer, {}),
  Layer.mock(SigningKeyRotation, {}),
  Layer.mock(Resealing, {})
])

/** Starts a specimen for the lifetime of the scope: two tenants, still empty. */
export const make = Effect.fnUntraced(function* (specimen: Specimen, deliver: Deliver) {
  // layers are memoized by identity: each specimen needs its own memo map to get its own stores
  const memory = yield* Layer.makeMemoMap
  const scope = yield* Effect.scope
  const context = yield* Layer.buildWithMemoMap(useCasesOf(specimen, deliver), memory, scope)
  const answer = yield* Effect.provideContext(Effect.flatMap(Routes.make, Edge.make), context)
  // Requests run in fibers of their own, which do not inherit the log level.
  const level = yield* References.MinimumLogLevel
  const serve = serveBy(
    answer,
    Context.make(References.TracerEnabled, false).pipe(Context.add(References.MinimumLogLevel, level))
  )
  const here = yield* Effect.provideContext(Layer.buildWithMemoMap(commands, memory, scope), context)
  const admin = yield* Effect.provideContext(AdminClient.make, here)
  const tenant = yield* Effect.orDie(admin.createTenant({ payload: { name: "specimen", hosts: [tenantHost] } }))
  const otherTenant = yield* Effect.orDie(admin.createTenant({ payload: { name: "other", hosts: [otherTenantHost] } }))
  return { serve, admin, tenant, otherTenant }
})
