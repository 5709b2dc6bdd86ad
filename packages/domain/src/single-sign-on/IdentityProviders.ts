import { Context, Data, Effect, Layer, Option, Redacted, Result } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller, withoutCaller } from "../access/Caller.ts"
import { isSuperAdmin } from "../access/Privilege.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import type { Show } from "../crud/GroupRules.ts"
import { Resources } from "../crud/Resources.ts"
import type { Collection, Shown } from "../resource/Collection.ts"
import type { PreconditionFailed } from "../resource/Precondition.ts"
import { type CollectionFull, type ResourceNotFound, requireId } from "../resource/Resource.ts"
import { SecondFactors } from "../second-factor/SecondFactors.ts"
import { Sessions } from "../session/Sessions.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { isObject, type JsonObject, type JsonValue } from "../shared/Json.ts"
import { RequestId } from "../shared/RequestId.ts"
import { Seal } from "../shared/Seal.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { UserStore } from "../user/UserStore.ts"
import { DomainProof } from "./DomainProof.ts"
import { IdentityProvider, type IdentityProviderFields, proofNameOf, proofTextOf } from "./IdentityProvider.ts"
import { isOpenToAnybody } from "./IdentityProviderUrl.ts"
import { documentAt, type IdentityProviderView, warningsAt } from "./IdentityProviderView.ts"
import { Saml } from "./Saml.ts"

/**
 * Requiring single sign-on could lock everybody out. Only a Super Admin with a password and a second factor may require
 * it.
 */
export class BreakGlassMissing extends Data.TaggedError("BreakGlassMissing") {}

/** The maximum number of identity providers of a tenant. */
export const IdentityProvidersMax = Context.Reference<number>("@wcs/domain/IdentityProvidersMax", {
  defaultValue: () => IdentityProvider.most ?? 0
})

type Acted<A> = Effect.Effect<A, InvalidArgument | ResourceNotFound | PreconditionFailed, Caller | RequestId>

/**
 * The standard use cases for identity providers, plus domain verification. A body may have `metadata` (SAML XML) in
 * place of `saml`, and `clientSecret`, which is never returned. Deleting or deactivating a provider ends all its
 * sessions.
 */
export interface IdentityProviderCollection
  extends Collection<IdentityProviderView, CollectionFull, BreakGlassMissing> {
  /** Checks the domains in DNS. A domain that names the provider stays verified until it is removed. */
  readonly verifyDomains: (id: string) => Acted<Shown<IdentityProviderView>>
}

export class IdentityProviders extends Context.Service<IdentityProviders, IdentityProviderCollection>()(
  "@wcs/domain/IdentityProviders"
) {}

/** Returns the sealing purpose of a client secret. The secret of another provider does not open. */
export const secretPurposeOf = (id: string): string => `client secret of ${id}`

export const clientSecretMaxLength = 1024

const invalid = (field: string, reason: string) => new InvalidArgument({ field, reason })

/** The parts of a body that are not stored as sent. */
interface Parts {
  readonly rest: JsonValue
  readonly metadata: string | undefined
  readonly clientSecret: string | undefined
}

/** `isPatch`: null is an error, because neither part can be removed. */
const partsOf = (body: JsonValue, isPatch: boolean): Result.Result<Parts, InvalidArgument> => {
  if (!isObject(body)) return Result.succeed({ rest: body, metadata: undefined, clientSecret: undefined })
  const {
    clientSecret: secret,
    metadata: sent,
    ...rest
  } = body as JsonObject & Record<"clientSecret" | "metadata", JsonValue>
  const [clientSecret, metadata] = isPatch ? [secret, sent] : [secret ?? undefined, sent ?? undefined]
  if (metadata !== undefined && typeof metadata !== "string") {
    return Result.fail(invalid("metadata", "must be a string of SAML metadata"))
  }
  if (metadata !== undefined && (rest["saml"] ?? undefined) !== undefined) {
    return Result.fail(invalid("metadata", "cannot be given together with saml"))
  }
  const isSecret =
    clientSecret === undefined ||
    (typeof clientSecret === "string" && clientSecret !== "" && clientSecret.length <= clientSecretMaxLength)
  if (!isSecret) {
    return Result.fail(invalid("clientSecret", `must be a string of 1 to ${clientSecretMaxLength} characters`))
  }
  return Result.succeed({ rest, metadata, clientSecret: clientSecret as string | undefined })
}

/**
 * Fails if an active provider has no settings of its protocol, or if a provider has some of the other one. The settings
 * can be missing before: some providers ask for our addresses first, and these have the id of the provider.
 */
const checkProtocol = ({ active, kind, oidc, saml }: IdentityProviderFields): Result.Result<void, InvalidArgument> => {
  if (active && kind === "saml" && saml === undefined) {
    return Result.fail(invalid("saml", "or metadata is required before the provider can be active"))
  }
  if (active && kind === "oidc" && oidc === undefined) {
    return Result.fail(invalid("oidc", "is required before the provider can be active"))
  }
  // An ID token is for the client only and passes through browsers, so the API never accepts one.
  if (oidc?.bearerAudience !== undefined && oidc.bearerAudience === oidc.clientId) {
    return Result.fail(invalid("oidc.bearerAudience", "must differ from clientId, which is the audience of ID tokens"))
  }
  if (oidc?.trustVerifiedDomains === true && isOpenToAnybody(oidc.issuer)) {
    const reason = "cannot be true for an issuer where anybody can make an account; use the issuer of your directory"
    return Result.fail(invalid("oidc.trustVerifiedDomains", reason))
  }
  const other = kind === "saml" ? oidc : saml
  return other === undefined
    ? Result.succeed(undefined)
    : Result.fail(
        invalid(kind === "saml" ? "oidc" : "saml", `cannot be given for an identity provider of kind ${kind}`)
      )
}

/** Returns the settings with normalized certificates, and without verified domains that were removed. */
const settle = (saml: Saml["Service"], fields: IdentityProviderFields, now: Instant) =>
  Result.gen(function* () {
    yield* checkProtocol(fields)
    const certificates: Array<string> = []
    for (const text of fields.saml?.certificates ?? []) {
      const read = yield* saml.readCertificate(text)
      if (!certificates.includes(read.pem)) certificates.push(read.pem)
    }
    const settled: IdentityProviderFields = {
      ...fields,
      ...(fields.saml === undefined ? {} : { saml: { ...fields.saml, certificates } }),
      verifiedDomains: fields.verifiedDomains.filter((domain) => fields.domains.includes(domain))
    }
    return { fields: settled, warnings: warningsAt(settled, now, saml.readCertificate) }
  })

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const saml = yield* Saml
  const definition = { ...IdentityProvider, most: yield* IdentityProvidersMax }
  const proof = yield* DomainProof
  const seal = yield* Seal
  const ids = yield* Ids
  const access = yield* AccessStore
  const users = yield* UserStore
  const factors = yield* SecondFactors
  const sessions = yield* Sessions
  const show: Show<IdentityProviderFields, IdentityProviderView> = (stored, { now }) =>
    documentAt(stored, now, saml.readCertificate)

  /** Fails unless the caller is a Super Admin who can log in without single sign-on. */
  const requireBreakGlass = Effect.gen(function* () {
    const caller = yield* Caller
    const account = Option.getOrUndefined(yield* access.findAccount(caller.tenantId, accountIdOf(caller.account)))
    if (account === undefined || !isSuperAdmin(account.role) || account.email === null)
      return yield* new BreakGlassMissing()
    const user = yield* users.findByEmail(caller.tenantId, account.email)
    const hasPassword = Option.exists(user, ({ passwordHash }) => passwordHash !== null)
    if (!hasPassword || !(yield* factors.isInForce(account))) return yield* new BreakGlassMissing()
  })

  /** Returns the document to store, and the sealed client secret if the body has one. */
  const prepare = Effect.fnUntraced(function* (id: string, body: JsonValue, isPatch = false) {
    const { clientSecret, metadata, rest } = yield* Effect.fromResult(partsOf(body, isPatch))
    if (isObject(rest) && rest["required"] === true) yield* requireBreakGlass
    const sealedSecret =
      clientSecret === undefined ? undefined : yield* seal.seal(secretPurposeOf(id), Redacted.make(clientSecret))
    const settings = metadata === undefined ? {} : { saml: yield* saml.readMetadata(metadata) }
    const document: JsonValue = isObject(rest) ? { ...rest, ...settings } : rest
    return { document, sealedSecret }
  })

  /** Follows from a change that is stored already, so it happens even if the caller has ended meanwhile. */
  const endSessions = Effect.fnUntraced(function* (id: string) {
    const caller = yield* Caller
    yield* withoutCaller(sessions.endOfProvider(caller.tenantId, id, actorOf(caller, yield* RequestId)))
  })

  const update = (method: "patch" | "replace") =>
    Effect.fnUntraced(function* (id: string, body: JsonValue) {
      yield* Effect.fromResult(requireId(IdentityProvider, id))
      const { document, sealedSecret } = yield* prepare(id, body, method === "patch")
      const shown = yield* resources.update(definition, id, method, document, {
        show,
        settle: (before, after, { now }) =>
          settle(saml, { ...after, sealedClientSecret: sealedSecret ?? before.sealedClientSecret }, now)
      })
      if (!shown.document.active) yield* endSessions(id)
      return shown
    })

  return IdentityProviders.of({
    read: (id, query) => resources.get(definition, id, query, show),
    list: (query) => resources.list(definition, query, show),
    create: Effect.fnUntraced(function* (body) {
      const id = yield* ids.mint("identityProvider")
      const { document, sealedSecret = "" } = yield* prepare(id, body)
      return yield* resources.create(definition, document, {
        id,
        show,
        settle: (fields, { now }) =>
          settle(saml, { ...fields, verifiedDomains: [], sealedClientSecret: sealedSecret }, now)
      })
    }),
    replace: update("replace"),
    patch: update("patch"),
    remove: (id) => Effect.andThen(resources.remove(definition, id), endSessions(id)),
    verifyDomains: Effect.fnUntraced(function* (id) {
      const { domains } = yield* resources.read(definition, id, {}, show)
      const expected = proofTextOf(id)
      const proven = yield* Effect.filter(
        domains,
        (domain) => Effect.map(proof.textsOf(proofNameOf(domain)), (texts) => texts.includes(expected)),
        { concurrency: 4 }
      )
      const verified = (fields: IdentityProviderFields) => ({
        ...fields,
        verifiedDomains: fields.domains.filter(
          (domain) => fields.verifiedDomains.includes(domain) || proven.includes(domain)
        )
      })
      const act = (fields: IdentityProviderFields) => Result.succeed(verified(fields))
      const shown = yield* resources.act(definition, id, "verify domains", act, { show })
      const missing = shown.document.domains.filter((domain) => !shown.document.verifiedDomains.includes(domain))
      const warnings = missing.map(
        (domain) => `${domain} is not verified: publish the TXT record ${proofNameOf(domain)} with ${expected}`
      )
      return { ...shown, warnings: [...shown.warnings, ...warnings] }
    })
  })
})

export const layer = Layer.effect(IdentityProviders, make)
