import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Rules from "@wcs/domain/service/Rules"
import * as UseCases from "@wcs/domain/service/UseCases"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Seal as SealPort } from "@wcs/domain/shared/Seal"
import { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import { IdentityProvider, type IdentityProviderFields } from "@wcs/domain/single-sign-on/IdentityProvider"
import { OpenIdConnect } from "@wcs/domain/single-sign-on/OpenIdConnect"
import { pendingLifetimeMillis, pendingTokens } from "@wcs/domain/single-sign-on/PendingLogin"
import { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { Administration } from "@wcs/domain/token/Administration"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { fetchBy } from "@wcs/http/Fetch"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as Routes from "@wcs/http/Routes"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Passwords from "@wcs/keys/Passwords"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import * as Totp from "@wcs/keys/Totp"
import * as SamlProtocol from "@wcs/saml/SamlProtocol"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Clock, Context, Effect, Layer, Option, Record, Redacted, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { clockAt } from "./Check.ts"
import type { Post } from "./corpus/Hostile.ts"

const random = SecureRandom.layerWebCrypto
const masterKey = Layer.unwrap(Effect.map(MasterKey.generate, MasterKey.layer))
const foundations = Layer.mergeAll(Seal.layer, Id.layer, Passwords.layer, Totp.layer, Digest.layer, Rules.layer).pipe(
  Layer.provide(masterKey),
  Layer.provideMerge(random)
)
const outside = Layer.mergeAll(
  SamlProtocol.layer,
  Layer.mock(OpenIdConnect, {}),
  Layer.mock(DomainProof, {}),
  Layer.succeed(AddressGuard, { check: () => Effect.void }),
  Notifications.layer
)
const raised = Record.map(defaultRateLimits, () => 1_000_000)
const peer = { address: "192.0.2.1", secure: true }

/** The server in this process, with the production SAML layer. */
export const servicesOver = (stores: typeof StoreSqlite.layerMemory) =>
  UseCases.layer.pipe(
    Layer.provide(outside),
    Layer.provideMerge(Tokens.layer),
    Layer.provideMerge(Layer.merge(stores, RateLimiterMemory.layer(raised))),
    Layer.provideMerge(foundations)
  )

export const services = servicesOver(StoreSqlite.layerMemory)

const operator = { account: operatorUrn, bearer: null, requestId: "operator" }
const host = "acme.example.com"
const origin = `https://${host}`
export const providerId = "idp_0000000000000001"
const path = `/saml/${providerId}/acs`

/** The outcome of a post to the assertion consumer service: the audit log's reason, or `accepted`. */
export const makeAcs = Effect.gen(function* () {
  const handler = fetchBy(yield* Effect.flatMap(Routes.make, Edge.make), () => peer)
  const [resources, store, events] = [yield* ResourceStore, yield* SingleSignOnStore, yield* EventStore]
  const administration = yield* Administration
  const pendings = pendingTokens(yield* SealPort)
  const tenant = yield* administration.createTenant("acme", [host], operator)

  /**
   * Creates an active user bound to a name of the identity provider, so that no policy refuses an accepted response.
   */
  const bind = Effect.fnUntraced(function* (subject: string, index: number) {
    const account = yield* administration.createUser(tenant.id, `user${index}@example.org`, "Viewer", operator)
    const entry = { operation: "UPDATE", action: "bind", entityType: "account", entityId: account.id } as const
    yield* store.bind(
      { tenantId: tenant.id, providerId, subject, accountId: account.id },
      { id: `aud_${String(index).padStart(16, "0")}`, ...operator, ...entry, at: 0 }
    )
  })

  const configure = ({ connection: { identityProvider } }: Post) =>
    resources.change(IdentityProvider, tenant.id, providerId, [], ({ current }) => {
      const { certificates, entityId, ssoUrl } = identityProvider
      const fields: IdentityProviderFields = {
        name: "IdP",
        kind: "saml",
        active: true,
        required: false,
        domains: ["example.org"],
        verifiedDomains: ["example.org"],
        sealedClientSecret: "",
        saml: { entityId, ssoUrl, certificates: certificates.map(({ pem }) => pem) }
      }
      const version = Option.match(current, { onNone: () => 1, onSome: (one) => one.version + 1 })
      const next = { id: providerId, version, createdAt: 0, updatedAt: 0, deletedAt: null, fields }
      return Result.succeed({ _tag: "Changed" as const, next, records: noRecords })
    })

  const lastAction = Effect.map(
    events.audit(tenant.id, {
      conditions: [{ field: "entityId", value: providerId }],
      direction: "desc",
      pageSize: 1,
      after: undefined,
      includeDeleted: false,
      includeTotal: false
    }),
    ({ items }) => items[0]?.action ?? ""
  )

  const send = Effect.fnUntraced(function* (post: Post, freshSince: number | null = null) {
    yield* configure(post)
    const clock = clockAt(post.now)
    const pending = {
      tenantId: tenant.id,
      providerId,
      origin,
      isTest: false,
      freshSince,
      request: { kind: "saml", ...post.pending }
    } as const
    const sealed = pendings.make(pending, pendingLifetimeMillis)
    const token = Redacted.value(yield* Effect.provideService(sealed, Clock.Clock, clock))
    const { relayState } = post
    const form = new URLSearchParams({
      SAMLResponse: post.samlResponse,
      ...(relayState === undefined ? {} : { RelayState: relayState })
    })
    const request = new Request(`${origin}${path}`, {
      method: "POST",
      headers: {
        host,
        origin: "https://idp.example.org",
        "sec-fetch-site": "cross-site",
        "content-type": "application/x-www-form-urlencoded",
        cookie: `__Host-wcs-sso=${token}`
      },
      body: form.toString()
    })
    const during = Context.make(Clock.Clock, clock).pipe(
      Context.add(References.MinimumLogLevel, "None"),
      Context.add(References.TracerEnabled, false)
    )
    const response = yield* Effect.promise(() => handler(request, during))
    const isIn = response.headers.getSetCookie().some((line) => line.startsWith("__Host-wcs="))
    if (isIn) return "accepted"
    return response.status === 401 ? (yield* lastAction).replace("refuse login: ", "") : `status ${response.status}`
  })

  return { bind, send, tenant }
}).pipe(Effect.orDie)
