import { DescribedServer } from "@wcs/admin/ServerDescription"
import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Outward from "@wcs/delivery/Outward"
import { OutwardFetch } from "@wcs/delivery/OutwardFetch"
import * as Signature from "@wcs/delivery/Signature"
import { AccessTokens } from "@wcs/domain/access/AccessToken"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { AuditSettings } from "@wcs/domain/audit/AuditSeal"
import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { EventStore } from "@wcs/domain/audit/EventStore"
import type { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import type { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { LegacyTokenLifetimeSeconds } from "@wcs/domain/legacy/LegacyAuthentication"
import type { ScanStore } from "@wcs/domain/legacy/ScanStore"
import * as SetUp from "@wcs/domain/login/SetUp"
import type { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import * as SecondFactors from "@wcs/domain/second-factor/SecondFactors"
import * as Resealing from "@wcs/domain/service/Resealing"
import * as Rules from "@wcs/domain/service/Rules"
import * as UseCases from "@wcs/domain/service/UseCases"
import type { SessionStore } from "@wcs/domain/session/SessionStore"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import type { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import type { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { AccessStore } from "@wcs/domain/token/AccessStore"
import * as Administration from "@wcs/domain/token/Administration"
import { TenantCaps } from "@wcs/domain/token/TenantCaps"
import { AccessTokenLifetimeSeconds } from "@wcs/domain/token/TokenExchange"
import type { UserStore } from "@wcs/domain/user/UserStore"
import * as Users from "@wcs/domain/user/Users"
import { VerificationSettings } from "@wcs/domain/verification/VerificationRun"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import { DeliverySettings } from "@wcs/domain/webhook/DeliverySchedule"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import * as ConsoleRoutes from "@wcs/http/ConsoleRoutes"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as Routes from "@wcs/http/Routes"
import { BodyLimitsOf } from "@wcs/http/request/BodyBudget"
import { IsOutage } from "@wcs/http/request/Outage"
import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import * as Digest from "@wcs/keys/Digest"
import type { MasterKeyMismatch } from "@wcs/keys/KeyRing"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Passwords from "@wcs/keys/Passwords"
import * as Seal from "@wcs/keys/Seal"
import * as SigningKeyRotation from "@wcs/keys/SigningKeyRotation"
import * as Tokens from "@wcs/keys/Tokens"
import * as Totp from "@wcs/keys/Totp"
import * as Certificate from "@wcs/node-server/Certificate"
import * as Listening from "@wcs/node-server/Listening"
import type { Ports } from "@wcs/node-server/Ports"
import { refusing, type StartRefused } from "@wcs/node-server/StartRefused"
import { makeExemplars } from "@wcs/node-server/Traffic"
import * as OpenIdClient from "@wcs/oidc/OpenIdClient"
import { ProviderFetch } from "@wcs/oidc/ProviderFetch"
import * as SamlProtocol from "@wcs/saml/SamlProtocol"
import { Context, Deferred, Effect, Layer, Option, type Redacted, Ref } from "effect"
import { SecureRandom } from "effect/crypto"
import * as AdminPort from "./admin/AdminPort.ts"
import * as AdminSocket from "./admin/AdminSocket.ts"
import { describedBy } from "./admin/Description.ts"
import * as ConsoleBundle from "./ConsoleBundle.ts"
import * as DnsProof from "./DnsProof.ts"
import * as FirstRun from "./FirstRun.ts"
import * as Registers from "./Registers.ts"
import { Settings } from "./Settings.ts"
import * as SetUpRoute from "./SetUpRoute.ts"
import type { Bootstrap } from "./settings/FirstRun.ts"
import * as DataDirectory from "./stores/DataDirectory.ts"
import { inTurn, OneAtATime } from "./stores/OneAtATime.ts"
import * as SqliteStores from "./stores/SqliteStores.ts"
import * as WorkerRecord from "./stores/WorkerRecord.ts"
import * as TimeSlices from "./TimeSlices.ts"
import * as TrustedAuthorities from "./TrustedAuthorities.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"

/** The storage ports of a store. */
export type Stores =
  | AccessStore
  | UserStore
  | ResourceStore
  | OwnershipStore
  | ScanStore
  | EventStore
  | AuditSealStore
  | VerificationStore
  | DeliveryStore
  | BacklogStore
  | LeaseStore
  | SessionStore
  | SecondFactorStore
  | SingleSignOnStore

/** A running server. */
export class Serving extends Context.Service<
  Serving,
  {
    readonly port: number
    readonly plainPort: Option.Option<number>
    readonly adminPort: number
    /** The certificate for clients that do not trust the issuer. None behind a proxy. */
    readonly certificateFile: Option.Option<string>
    /** The token of the set-up URL. None if there already is a token, a client or a password. */
    readonly setUpToken: Option.Option<Redacted.Redacted>
  }
>()("@wcs/http-node/Serving") {}

/** The replaceable parts of a server. */
export interface Parts {
  readonly stores: Layer.Layer<Stores, StartRefused, DataDirectory.DataDirectory | Settings>
  /** The rules of the specification. Tests can replace them one by one. */
  readonly rules: typeof Rules.layer
  /** DNS lookups for the proof of domains. Default: the name servers of the machine. */
  readonly domainProof?: Layer.Layer<DomainProof>
}

/** Imported only when a database is used, to keep the start fast. */
const ofDatabase = Effect.promise(() => import("./stores/PostgresStores.ts"))

/** The store of the settings: the database or the embedded store. */
const stores: Parts["stores"] = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ layer }): Parts["stores"] => layer)
      : Effect.succeed<Parts["stores"]>(SqliteStores.layer)
  )
)

/** The store of the settings and the rules of the specification. */
export const standardParts: Parts = { stores, rules: Rules.layer }

const random = SecureRandom.layerWebCrypto
const foundations = Layer.mergeAll(Id.layer, Digest.layer, Passwords.layer, Totp.layer).pipe(Layer.provideMerge(random))

const seal = Layer.unwrap(
  DataDirectory.DataDirectory.use(({ masterKey }) =>
    Effect.succeed(Layer.provide(Seal.layer, MasterKey.layer(masterKey)))
  )
)

/** Refuses the start if the store has keys of another master key. */
const underItsKey = <A, R>(
  layer: Layer.Layer<A, MasterKeyMismatch, R>
): Layer.Layer<A, StartRefused, R | DataDirectory.DataDirectory> =>
  Layer.effectContext(
    Effect.catchTag(Layer.build(refusing(layer)), "StartRefused", ({ message }) =>
      DataDirectory.DataDirectory.use(({ refusalOfKey }) => Effect.fail(refusalOfKey(message)))
    )
  )

/**
 * The signing keys, created one server at a time and decrypted with the master key. Otherwise servers with different
 * master keys could each create some of them on an empty database, and no server could decrypt all.
 */
const tokens = inTurn(underItsKey(Tokens.layer)).pipe(Layer.provide(seal))

const tenantCaps = Layer.unwrap(Settings.use(({ caps }) => Effect.succeed(Layer.succeed(TenantCaps, caps))))

/** The services that admin commands need. */
const administrationOf = (parts: Parts) =>
  Layer.mergeAll(
    Administration.layer,
    Users.layer,
    Layer.provide(Layer.mergeAll(SecondFactors.layer, SigningKeyRotation.layer, Resealing.layer), seal)
  ).pipe(
    Layer.provide(tenantCaps),
    Layer.provideMerge(tokens),
    Layer.provideMerge(parts.stores),
    Layer.provideMerge(parts.rules),
    Layer.provideMerge(foundations),
    Layer.provideMerge(DataDirectory.layer.pipe(Layer.provide(random)))
  )

/** The rate limiter: in this process, or shared through the database. */
const rateLimiter = Layer.unwrap(
  Settings.use(({ database, rateLimits }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ rateLimiter }) => rateLimiter)
      : Effect.succeed(RateLimiterMemory.layer(rateLimits))
  )
)

/** Notifications: within this process, or between all processes that share the database. */
const notifications = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ notifications }) => notifications)
      : Effect.succeed(Notifications.layer)
  )
)

/** Detects an unavailable database. */
const outages = Layer.unwrap(
  Settings.use(({ database }) =>
    Option.isSome(database)
      ? Effect.map(ofDatabase, ({ isOutage }) => Layer.succeed(IsOutage, isOutage))
      : Effect.succeed(Layer.empty)
  )
)

const configured = Layer.unwrap(
  Settings.use(
    ({ audit, bodyLimits, deliveries, legacyTokenLifetimeSeconds, tokenLifetimeSeconds, verifications, webhooks }) =>
      Effect.succeed(
        Layer.mergeAll(
          rateLimiter,
          tenantCaps,
          Layer.succeed(AuditSettings, audit),
          Layer.succeed(BodyLimitsOf, bodyLimits),
          Layer.succeed(DeliverySettings, deliveries),
          Layer.succeed(VerificationSettings, verifications),
          Layer.succeed(AccessTokenLifetimeSeconds, tokenLifetimeSeconds),
          Layer.succeed(WebhookSettings, webhooks),
          Layer.succeed(LegacyTokenLifetimeSeconds, legacyTokenLifetimeSeconds)
        )
      )
  )
)

/** Outgoing connections, limited to the allowed addresses. */
const outward = Layer.unwrap(
  Settings.use(({ deliveries }) =>
    Effect.succeed(Layer.provide(Outward.layer, Layer.succeed(AllowedRanges, deliveries.allowedAddresses)))
  )
)

/** The worker in the server, if the settings enable it. */
const worker = Layer.unwrap(
  Settings.use(({ isWorkerInside }) =>
    Effect.succeed(
      isWorkerInside
        ? Layer.provide(Engine.layer, [Layer.provide(Signature.layer, seal), Registers.layer, WorkerRecord.layer])
        : Layer.empty
    )
  )
)

/** The protocols of single sign-on. Calls to OpenID providers use the address guard. */
const singleSignOn = Layer.merge(
  SamlProtocol.layer,
  Layer.provide(OpenIdClient.layer, Layer.effect(ProviderFetch, OutwardFetch))
)

const useCasesOf = ({ domainProof = DnsProof.layer }: Parts) =>
  Layer.mergeAll(UseCases.layer, worker).pipe(
    Layer.provide([singleSignOn, domainProof]),
    Layer.provide([notifications, outward]),
    Layer.provideMerge(seal),
    Layer.provideMerge(configured)
  )

/**
 * Opens the signing keys, then does the first run. With a wrong master key, nothing is written (threat 34).
 */
const firstRun = Effect.fnUntraced(function* (bootstrap: Bootstrap) {
  yield* AccessTokens
  const oneAtATime = yield* OneAtATime
  const tenant = yield* oneAtATime(FirstRun.run(bootstrap))
  yield* DataDirectory.DataDirectory.use(({ complete }) => complete)
  return tenant
})

/** Answers all requests: the routes of the service, the set-up page and the console. */
const handlerOf = (setUp: SetUp.SetUp["Service"]) =>
  Effect.all([Routes.make, SetUpRoute.make(setUp), ConsoleRoutes.make]).pipe(
    Effect.flatMap(([routes, setUpRoute, console]) => Edge.make([...routes, setUpRoute, ...console])),
    Effect.provideServiceEffect(
      Edge.StrictTransport,
      Settings.use(({ tls }) => Effect.succeed(tls._tag !== "SelfSigned"))
    ),
    Effect.provide(ConsoleBundle.layer)
  )

/** The certificate of the settings. A self-signed one is in the data directory. */
const certificate = Layer.effect(
  Certificate.Certificate,
  Effect.gen(function* () {
    const { tenantHosts, tls } = yield* Settings
    const { path } = yield* DataDirectory.DataDirectory
    return yield* Certificate.make(tls, path, tenantHosts)
  })
)

/** Starts the server in order: first run, complete handler, ports. */
const serving = Effect.gen(function* () {
  const settings = yield* Settings
  const tenant = yield* firstRun(settings.bootstrap)
  const setUp = yield* SetUp.make(tenant)
  const handler = yield* handlerOf(setUp)
  const isStopping = yield* Ref.make(false)
  const ports = yield* Deferred.make<Ports>()
  yield* AdminSocket.listen.pipe(Effect.provideServiceEffect(DescribedServer, describedBy(Deferred.await(ports))))
  const exemplars = makeExemplars()
  const adminPort = yield* AdminPort.listen({
    role: "server",
    isStopping,
    exemplars,
    ports: Effect.map(Deferred.await(ports), ({ plainPort, port }) => [port, ...Option.toArray(plainPort)])
  })
  const listening = yield* Listening.listen(settings, handler, exemplars)
  yield* Deferred.succeed(ports, listening)
  // This finalizer runs first, so a balancer stops sending requests while those in flight finish.
  yield* Effect.addFinalizer(() => Ref.set(isStopping, true))
  const certificateFile = Option.map(yield* Certificate.Certificate, ({ file }) => file)
  return Serving.of({ ...listening, adminPort, certificateFile, setUpToken: setUp.token })
})

/**
 * A complete server of these parts, for the lifetime of the layer. To run several servers in one process, provide each
 * with `{ local: true }`, because layers are shared.
 */
export const layerWith = (parts: Parts) =>
  Layer.effect(Serving, serving).pipe(
    Layer.provide([useCasesOf(parts), outages]),
    Layer.provide(certificate),
    Layer.provideMerge(administrationOf(parts)),
    Layer.provide([TimeSlices.layer, Telemetry.layer]),
    Layer.provide(TrustedAuthorities.layer)
  )

/** The store of the settings with its keys, for processes that work on it without a server. */
export const layerStores = inTurn(underItsKey(AuditSignatures.layer)).pipe(
  Layer.provideMerge(Layer.mergeAll(notifications, seal, Id.layer, Digest.layer, configured)),
  Layer.provideMerge(stores),
  Layer.provideMerge(DataDirectory.layer),
  Layer.provide(random),
  Layer.provide(TrustedAuthorities.layer)
)

/** The server of the settings. */
export const layer = layerWith(standardParts)

/** The store of the settings, migrated to the current schema. */
export const layerStore = stores.pipe(Layer.provide(DataDirectory.layer.pipe(Layer.provide(random))))

/** The services of admin commands on the store of the settings. Creates the tenant of a new store. */
export const layerAdministration = Layer.effectDiscard(
  firstRun({ admin: Option.none(), clientFile: Option.none() })
).pipe(Layer.provideMerge(administrationOf(standardParts)))
