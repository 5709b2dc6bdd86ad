import { Clock, Context, Data, Effect, Layer, Option, type Redacted } from "effect"
import { type Account, accountUrn, normalizeEmail } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import type { Tenant } from "../access/Tenant.ts"
import { type Actor, makeAudit, serverActing } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { type NewSession, Sessions } from "../session/Sessions.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids, isId } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { RequestId } from "../shared/RequestId.ts"
import { Seal } from "../shared/Seal.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { activeProviders, type Provider } from "./ActiveProviders.ts"
import { IdentityProvider, vouchesFor } from "./IdentityProvider.ts"
import { secretPurposeOf } from "./IdentityProviders.ts"
import { pathsOf, samlPathsOf } from "./IdentityProviderView.ts"
import { OpenIdConnect } from "./OpenIdConnect.ts"
import { type PendingLogin, pendingLifetimeMillis, pendingTokens } from "./PendingLogin.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import { type PostedResponse, Saml, type ServiceProvider } from "./Saml.ts"
import { refusedBy, SignOnRefused } from "./SignOnRefused.ts"
import { accountFor, isProvenSince, requires } from "./SignOnRules.ts"
import { SingleSignOnStore, type Ticket } from "./SingleSignOnStore.ts"

/** There is no active identity provider with this id. */
export class NoProvider extends Data.TaggedError("NoProvider") {}

/** An active identity provider, for the login page. */
export interface Offer {
  readonly name: string
  readonly path: string
}

/** The tenant, provider and origin of a login. */
export interface Place {
  readonly tenant: Tenant
  readonly providerId: string
  /** `https://` and the host of the request. */
  readonly origin: string
}

/** A started login: the URL for the browser, and its cookie. */
export interface Begun {
  readonly url: string
  readonly pending: Redacted.Redacted
}

/** The browser's request on return from the identity provider. */
export interface Return {
  /** The cookie of the pending login; empty without one. */
  readonly pending: Redacted.Redacted
  readonly userAgent: string
}

/** A login, or the result of a test login. */
export type SignOn =
  | { readonly _tag: "SignedIn"; readonly session: NewSession }
  /** `refusal` is null if a real login would succeed. */
  | { readonly _tag: "Tested"; readonly email: string | null; readonly refusal: SignOnRefused | null }

/**
 * Logs users in through identity providers (§5.2, item 9). Every outcome is in the audit log of the identity provider.
 */
export class SingleSignOn extends Context.Service<
  SingleSignOn,
  {
    /** The active identity providers. */
    readonly offers: (tenant: Tenant) => Effect.Effect<ReadonlyArray<Offer>>
    /** Returns this service's SAML metadata for an identity provider, active or not. */
    readonly metadata: (place: Place) => Effect.Effect<string, NoProvider>
    /** Starts a login. If `isFresh`, the user must authenticate again at the identity provider. */
    readonly begin: (place: Place, isFresh: boolean) => Effect.Effect<Begun, NoProvider | SignOnRefused, RequestId>
    /**
     * Starts a test login, which returns the reason of a refusal and starts no session. Needs UPDATE of identity
     * providers. Also works with an inactive one.
     */
    readonly beginTest: (
      place: Place,
      isFresh: boolean
    ) => Effect.Effect<Begun, NoProvider | SignOnRefused | Forbidden, RequestId | Caller>
    /** Finishes a login with a posted SAML response. */
    readonly finishSaml: (
      place: Place,
      back: Return,
      posted: PostedResponse
    ) => Effect.Effect<SignOn, NoProvider | SignOnRefused, RequestId>
    /** Finishes a login with the URL of an OpenID Connect callback. */
    readonly finishOidc: (
      place: Place,
      back: Return,
      callbackUrl: string
    ) => Effect.Effect<SignOn, NoProvider | SignOnRefused, RequestId>
    /** Returns the login of the provider that this account must use, if any. */
    readonly requiredFor: (tenantId: string, account: Account) => Effect.Effect<Option.Option<Offer>>
    /** Returns the login of the provider, if it is active and has verified the domain of the account's address. */
    readonly offerTo: (account: Account, providerId: string) => Effect.Effect<Option.Option<Offer>>
  }
>()("@wcs/domain/SingleSignOn") {}

const serviceProviderOf = (origin: string, id: string): ServiceProvider => {
  const { back, metadata } = samlPathsOf(id)
  return { entityId: `${origin}${metadata}`, acsUrl: `${origin}${back}` }
}

const offerOf = ({ fields, id }: Provider): Offer => ({ name: fields.name, path: pathsOf(fields.kind, id).login })

const samlConnection = Effect.fnUntraced(function* ({ fields, id }: Provider, origin: string) {
  if (fields.saml === undefined) return yield* new NoProvider()
  return { serviceProvider: serviceProviderOf(origin, id), settings: fields.saml }
})

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const seal = yield* Seal
  const ids = yield* Ids
  const access = yield* AccessStore
  const store = yield* SingleSignOnStore
  const saml = yield* Saml
  const openId = yield* OpenIdConnect
  const sessions = yield* Sessions
  const rules = yield* PrivilegeRules
  const digest = yield* Digest
  const audited = makeAudit(ids)
  const pendings = pendingTokens(seal)
  const active = activeProviders(resources)

  const accountById = (tenantId: string, id: Option.Option<string>) =>
    Option.isNone(id) ? Effect.succeedNone : access.findAccount(tenantId, id.value)

  /** Returns the account bound to the subject, and the account with the proven address. */
  const candidatesOf = Effect.fnUntraced(function* ({ id }: Provider, tenantId: string, proven: ProvenLogin) {
    const bound = yield* accountById(tenantId, yield* store.accountOf(tenantId, id, proven.subject))
    const byEmail =
      proven.email === null
        ? Option.none<Account>()
        : yield* access.findAccountByEmail(tenantId, normalizeEmail(proven.email))
    return { bound, byEmail }
  })

  /** Binds the subject at its first login. */
  const bindTo = Effect.fnUntraced(function* (account: Account, provider: Provider, { subject }: ProvenLogin) {
    const at = yield* Clock.currentTimeMillis
    const actor = { account: accountUrn(account.id), bearer: null, requestId: yield* RequestId }
    const auditedAction = { operation: "UPDATE", action: "bind", entityType: "account", entityId: account.id } as const
    const binding = { tenantId: account.tenantId, providerId: provider.id, subject, accountId: account.id }
    const isNew = yield* store.bind(binding, yield* audited(actor, auditedAction, at))
    // A concurrent login of the same subject may have bound it.
    const bound = isNew ? Option.none() : yield* store.accountOf(account.tenantId, provider.id, subject)
    if (!isNew && !Option.contains(bound, account.id)) return yield* refusedBy("OtherSubject")
  })

  const findIn = Effect.fnUntraced(function* (tenantId: string, providerId: string) {
    if (!isId("identityProvider", providerId)) return yield* new NoProvider()
    const found = yield* resources.find(IdentityProvider, tenantId, providerId)
    return Option.isSome(found) && isVisible(found.value, false) ? found.value : yield* new NoProvider()
  })

  const find = ({ providerId, tenant }: Place) => findIn(tenant.id, providerId)

  const oidcConnection = Effect.fnUntraced(function* ({ fields, id }: Provider, origin: string) {
    if (fields.oidc === undefined) return yield* new NoProvider()
    const { sealedClientSecret } = fields
    const secret =
      sealedClientSecret === ""
        ? Option.none<Redacted.Redacted>()
        : Option.some(yield* Effect.orDie(seal.open(secretPurposeOf(id), sealedClientSecret)))
    return { settings: fields.oidc, clientSecret: secret, redirectUri: `${origin}${pathsOf("oidc", id).back}` }
  })

  const requestOf = Effect.fnUntraced(function* (provider: Provider, origin: string, isFresh: boolean) {
    if (provider.fields.kind === "saml") {
      const { pending, url } = yield* saml.begin(yield* samlConnection(provider, origin), isFresh)
      return { url, request: { kind: "saml", ...pending } as const }
    }
    const { pending, url } = yield* openId.begin(yield* oidcConnection(provider, origin), isFresh)
    return { url, request: { kind: "oidc", ...pending } as const }
  })

  /** Writes the outcome of a login to the audit log of the identity provider. */
  const note = Effect.fnUntraced(function* ({ providerId, tenant }: Place, action: string, actor: Actor) {
    const at = yield* Clock.currentTimeMillis
    const auditedAction = { operation: "CREATE", action, entityType: "identityProvider", entityId: providerId } as const
    yield* store.record(tenant.id, yield* audited(actor, auditedAction, at))
  })

  /** Audits every refusal of a step. */
  const noting = <A, E, R>(place: Place, step: Effect.Effect<A, E | SignOnRefused, R>) =>
    Effect.tapError(step, (error) =>
      error instanceof SignOnRefused
        ? Effect.flatMap(RequestId, (requestId) => note(place, `refuse login: ${error.code}`, serverActing(requestId)))
        : Effect.void
    )

  const beginLogin = Effect.fn("SingleSignOn.begin")(function* (place: Place, isFresh: boolean, isTest: boolean) {
    const provider = yield* find(place)
    if (!provider.fields.active && !isTest) return yield* new NoProvider()
    const { origin, tenant } = place
    const freshSince = isFresh ? yield* Clock.currentTimeMillis : null
    const { request, url } = yield* noting(place, requestOf(provider, origin, isFresh))
    const pending: PendingLogin = { tenantId: tenant.id, providerId: provider.id, origin, isTest, freshSince, request }
    return { url, pending: yield* pendings.make(pending, pendingLifetimeMillis) }
  })

  /** Returns the pending login of this browser and place. */
  const pendingAt = Effect.fnUntraced(function* ({ origin, providerId, tenant }: Place, token: Redacted.Redacted) {
    const pending = yield* pendings.read(token)
    const isHere = Option.exists(
      pending,
      (one) => one.tenantId === tenant.id && one.providerId === providerId && one.origin === origin
    )
    return Option.isSome(pending) && isHere ? pending.value : yield* refusedBy("Unsolicited")
  })

  const ticketsOf = (id: string, requestId: string, { once }: ProvenLogin, now: Instant): ReadonlyArray<Ticket> => [
    { key: `request ${id} ${digest.sha256(requestId)}`, expiresAt: now + pendingLifetimeMillis },
    ...once.map(({ expiresAt, value }) => ({ key: `proof ${id} ${digest.sha256(value)}`, expiresAt }))
  ]

  const finish = Effect.fnUntraced(function* (
    place: Place,
    provider: Provider,
    back: Return,
    prove: (pending: PendingLogin) => Effect.Effect<ProvenLogin, SignOnRefused | NoProvider>
  ) {
    const pending = yield* pendingAt(place, back.pending)
    const now = yield* Clock.currentTimeMillis
    const judged = Effect.gen(function* () {
      if (!provider.fields.active && !pending.isTest) return yield* refusedBy("ProviderInactive")
      const proven = yield* prove(pending)
      if (!isProvenSince(proven, pending.freshSince)) return yield* refusedBy("NotFresh")
      const requestId = pending.request.kind === "saml" ? pending.request.requestId : pending.request.state
      const isFirst = yield* store.use(place.tenant.id, ticketsOf(provider.id, requestId, proven, now), now)
      if (!isFirst) return yield* refusedBy("Replayed")
      const candidates = yield* candidatesOf(provider, place.tenant.id, proven)
      const account = yield* Effect.fromResult(accountFor(provider.fields, proven, candidates))
      return { account, proven, isBound: Option.isSome(candidates.bound) }
    })
    if (pending.isTest) {
      return yield* Effect.match(judged, {
        onSuccess: ({ account }): SignOn => ({ _tag: "Tested", email: account.email, refusal: null }),
        onFailure: (error): SignOn => ({
          _tag: "Tested",
          email: null,
          refusal: error instanceof SignOnRefused ? error : refusedBy("ProviderInactive")
        })
      })
    }
    const { account, isBound, proven } = yield* judged
    if (!isBound) yield* bindTo(account, provider, proven)
    const signIn = {
      account,
      method: provider.fields.kind,
      providerId: provider.id,
      userAgent: back.userAgent,
      providerLimit: proven.sessionLimit,
      authenticatedAt: proven.authenticatedAt,
      checked: {}
    }
    const actor = { account: accountUrn(account.id), bearer: null, requestId: yield* RequestId }
    const session = yield* sessions.begin(signIn, actor)
    // The provider or the user was deactivated during the login.
    if (Option.isNone(session)) return yield* refusedBy("ProviderInactive")
    yield* note(place, "log in", actor)
    return { _tag: "SignedIn", session: session.value } satisfies SignOn
  })

  return SingleSignOn.of({
    offers: (tenant) => Effect.map(active(tenant.id), (providers) => providers.map(offerOf)),
    metadata: Effect.fn("SingleSignOn.metadata")(function* (place) {
      const { fields, id } = yield* find(place)
      if (fields.kind !== "saml") return yield* new NoProvider()
      return saml.metadataOf(serviceProviderOf(place.origin, id)) // also before the settings of the provider are known
    }),
    begin: (place, isFresh) => beginLogin(place, isFresh, false),
    beginTest: Effect.fnUntraced(function* (place, isFresh) {
      const { account, privileges } = yield* Caller
      const needed = { entityType: "identityProvider", operation: "UPDATE" } as const
      yield* Effect.fromResult(rules.authorize(account, privileges, [needed]))
      return yield* beginLogin(place, isFresh, true)
    }),
    finishSaml: Effect.fn("SingleSignOn.finishSaml")(function* (place, back, posted) {
      const provider = yield* find(place)
      const connection = yield* samlConnection(provider, place.origin)
      const prove = ({ request }: PendingLogin) =>
        request.kind === "saml" ? saml.check(connection, request, posted) : Effect.fail(refusedBy("Unsolicited"))
      return yield* noting(place, finish(place, provider, back, prove))
    }),
    finishOidc: Effect.fn("SingleSignOn.finishOidc")(function* (place, back, callbackUrl) {
      const provider = yield* find(place)
      const connection = yield* oidcConnection(provider, place.origin)
      const prove = ({ freshSince, request }: PendingLogin) =>
        request.kind === "oidc"
          ? openId.finish(connection, request, { callbackUrl, freshSince })
          : Effect.fail(refusedBy("Unsolicited"))
      return yield* noting(place, finish(place, provider, back, prove))
    }),
    requiredFor: (tenantId, account) =>
      Effect.map(active(tenantId), (providers) =>
        Option.map(Option.fromUndefinedOr(providers.find(({ fields }) => requires(fields, account))), offerOf)
      ),
    offerTo: ({ email, tenantId }, providerId) =>
      Effect.map(Effect.option(findIn(tenantId, providerId)), (found) =>
        Option.map(
          Option.filter(found, ({ fields }) => fields.active && email !== null && vouchesFor(fields, email)),
          offerOf
        )
      )
  })
})

export const layer = Layer.effect(SingleSignOn, make)
