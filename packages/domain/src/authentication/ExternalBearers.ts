import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { type Account, accountUrn, normalizeEmail } from "../access/Account.ts"
import { type Caller, reachOf } from "../access/Caller.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import type { CallersTenant } from "../access/Tenant.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { activeProviders, type Provider } from "../single-sign-on/ActiveProviders.ts"
import { vouchesFor } from "../single-sign-on/IdentityProvider.ts"
import { OpenIdConnect } from "../single-sign-on/OpenIdConnect.ts"
import { isEmailVerified } from "../single-sign-on/SignOnRules.ts"
import { AccessStore } from "../token/AccessStore.ts"

/**
 * Returns the caller of an external identity provider's token (§5.2, item 2). Returns none unless the tenant has an
 * active provider with the same issuer and `bearerAudience`. The default accepts no token.
 */
export const ExternalBearers = Context.Reference<
  (tenant: CallersTenant, token: Redacted.Redacted) => Effect.Effect<Option.Option<Caller["Service"]>>
>("@wcs/domain/ExternalBearers", { defaultValue: () => () => Effect.succeedNone })

const Claims = Schema.fromJsonString(Schema.Struct({ iss: Schema.String }))
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** Returns the issuer that a JWT names, unverified. It only selects the provider whose keys verify the token. */
const issuerIn = (token: string): Option.Option<string> => {
  const [, payload = "", signature] = token.split(".")
  if (signature === undefined) return Option.none()
  return Option.map(Option.flatMap(Result.getSuccess(Base64Url.decodeString(payload)), decodeClaims), ({ iss }) => iss)
}

export const make = Effect.gen(function* () {
  const access = yield* AccessStore
  const openId = yield* OpenIdConnect
  const rules = yield* PrivilegeRules
  const active = activeProviders(yield* ResourceStore)

  const callerOf = ({ id }: Provider, account: Account, timeZone: string): Caller["Service"] => ({
    tenantId: account.tenantId,
    timeZone,
    account: accountUrn(account.id),
    ...reachOf(rules, account.role),
    bearer: { kind: "external", id },
    rateLimitKey: accountUrn(account.id),
    rateLimit: account.rateLimit,
    workerId: account.workerId
  })

  return Effect.fn("ExternalBearers.authenticate")(function* (
    { id: tenantId, timeZone }: CallersTenant,
    token: Redacted.Redacted
  ) {
    const issuer = issuerIn(Redacted.value(token))
    if (Option.isNone(issuer)) return Option.none<Caller["Service"]>()
    const providers = yield* active(tenantId)
    for (const provider of providers) {
      const { oidc } = provider.fields
      if (oidc?.bearerAudience === undefined || oidc.issuer !== issuer.value) continue
      const bearer = yield* openId.bearer(oidc, token)
      const email = Option.map(bearer, (proven) => normalizeEmail(proven.email))
      const isVerified = Option.exists(bearer, (proven) => isEmailVerified(provider.fields, proven))
      if (!isVerified || Option.isNone(email) || !vouchesFor(provider.fields, email.value)) continue
      const account = yield* access.findAccountByEmail(tenantId, email.value)
      if (Option.exists(account, ({ deactivatedAt, kind }) => deactivatedAt === null && kind === "user")) {
        return Option.map(account, (found) => callerOf(provider, found, timeZone))
      }
    }
    return Option.none<Caller["Service"]>()
  })
})

export const layer = Layer.effect(ExternalBearers, make)
