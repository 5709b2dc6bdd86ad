import type { Instant } from "@wcs/domain/shared/Instant"
import type { OidcSettings } from "@wcs/domain/single-sign-on/IdentityProvider"
import {
  type OidcConnection,
  type OidcPending,
  type OidcReturn,
  OpenIdConnect
} from "@wcs/domain/single-sign-on/OpenIdConnect"
import type { ProvenLogin } from "@wcs/domain/single-sign-on/ProvenLogin"
import { refusedBy, SignOnRefused } from "@wcs/domain/single-sign-on/SignOnRefused"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { jwtVerify } from "jose"
import * as client from "openid-client"
import { isPlain, makeConfigurations, type Published } from "./ProviderConfigurations.ts"
import { ProviderFetch } from "./ProviderFetch.ts"

/** Asymmetric algorithms only: no `none`, and no secret that the client also knows. */
const bearerAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]
const clockToleranceSeconds = 60
const detailMaxLength = 300
/** Longer than any code lives. The request that it answers can be used only once anyway. */
const codeLifetimeMillis = 15 * 60 * 1000

/** The error in one line. None of these messages contains a secret. */
const detailOf = (error: unknown): string => {
  const causes: Array<string> = []
  for (let at: unknown = error; at instanceof Error && causes.length < 3; at = at.cause) {
    const { error_description: description } = at as { readonly error_description?: unknown }
    causes.push(typeof description === "string" ? `${at.message} (${description})` : at.message)
  }
  return causes.join(": ").replace(/\s+/g, " ").slice(0, detailMaxLength)
}

const unreachable = (issuer: string) => (error: unknown) =>
  new SignOnRefused({
    code: "ProviderUnreachable",
    message: `The configuration of ${issuer} cannot be read: ${detailOf(error)}. Check the issuer URL, and that this service can reach it.`
  })

/** Whether the error refuses a value of this claim. The library names the claim in the innermost cause. */
const isAbout = (claim: string, error: unknown): boolean =>
  Object(error)["claim"] === claim || (error instanceof Error && isAbout(claim, error.cause))

const refused = (error: unknown) =>
  isAbout("auth_time", error)
    ? refusedBy("NotFresh")
    : new SignOnRefused({
        code: "CodeRefused",
        message: `The provider's answer is refused: ${detailOf(error)}.`
      })

const claimTime = (value: unknown): Instant | undefined => (typeof value === "number" ? value * 1000 : undefined)

/** The client of a provider. ID tokens are verified with the provider's keys, in addition to TLS. */
const configurationOf = (
  { server }: Published,
  { clientSecret, settings }: OidcConnection,
  fetch: ProviderFetch["Service"]["fetch"]
): client.Configuration => {
  const auth = Option.match(clientSecret, {
    onNone: () => client.None(),
    onSome: (secret) =>
      server.token_endpoint_auth_methods_supported?.includes("client_secret_basic") === false
        ? client.ClientSecretPost(Redacted.value(secret))
        : client.ClientSecretBasic(Redacted.value(secret))
  })
  const tolerance = { [client.clockTolerance]: clockToleranceSeconds }
  const configuration = new client.Configuration(server, settings.clientId, tolerance, auth)
  configuration[client.customFetch] = fetch as client.CustomFetch
  configuration.timeout = 5
  if (isPlain(settings.issuer)) client.allowInsecureRequests(configuration)
  client.enableNonRepudiationChecks(configuration)
  return configuration
}

/** Entra ID says by `xms_edov` whether the owner of the domain verified the address. It comes only if it is configured. */
const ownerVerified: ReadonlyArray<unknown> = [undefined, true, 1, "1", "true"]

/** The address in some claims, and whether the provider has verified it; null if it does not say. */
const addressIn = (claims: Readonly<Record<string, unknown>>): Pick<ProvenLogin, "email" | "emailVerified"> => {
  const { email, email_verified: verified, xms_edov: byOwner } = claims
  return {
    email: typeof email === "string" && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null,
    emailVerified: verified === undefined && ownerVerified.includes(byOwner) ? null : verified === true
  }
}

/** The claims about the person: of the ID token, and of the userinfo endpoint if the ID token has no address. */
const claimsOf = async (
  configuration: client.Configuration,
  pending: OidcPending,
  { callbackUrl, freshSince }: OidcReturn,
  now: Instant
) => {
  const tokens = await client.authorizationCodeGrant(configuration, new URL(callbackUrl), {
    pkceCodeVerifier: pending.verifier,
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    // More than the requested 0: the login came after the request, and the redirect took time.
    ...(freshSince === null ? {} : { maxAge: Math.max(0, Math.ceil((now - freshSince) / 1000)) }),
    idTokenExpected: true
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error("there is no ID token")
  const hasAddress = claims["email"] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined
  const info = hasAddress ? claims : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
  return { claims, ...addressIn(info) }
}

const finishAt = async (
  configuration: client.Configuration,
  pending: OidcPending,
  back: OidcReturn,
  now: Instant
): Promise<ProvenLogin> => {
  const { claims, ...address } = await claimsOf(configuration, pending, back, now)
  const code = new URL(back.callbackUrl).searchParams.get("code") ?? ""
  return {
    subject: claims.sub,
    ...address,
    authenticatedAt: claimTime(claims["auth_time"]) ?? claims.iat * 1000,
    sessionLimit: null,
    once: [{ value: `code ${code}`, expiresAt: now + codeLifetimeMillis }]
  }
}

const bearerAt = async ({ keys }: Published, settings: OidcSettings, token: string, now: Instant) => {
  if (settings.bearerAudience === undefined) return Option.none()
  const { payload } = await jwtVerify(token, keys, {
    issuer: settings.issuer,
    audience: settings.bearerAudience,
    algorithms: bearerAlgorithms,
    requiredClaims: ["exp"],
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(now)
  })
  const { email, emailVerified } = addressIn(payload)
  return email === null ? Option.none() : Option.some({ email, emailVerified })
}

export const make = Effect.gen(function* () {
  const provider = yield* ProviderFetch
  const configurations = makeConfigurations(provider)

  const publishedBy = Effect.fnUntraced(function* (issuer: string) {
    const now = yield* Clock.currentTimeMillis
    return yield* Effect.tryPromise({ try: () => configurations(issuer, now), catch: unreachable(issuer) })
  })

  return OpenIdConnect.of({
    begin: Effect.fn("OpenIdConnect.begin")(function* (connection, isFresh) {
      const published = yield* publishedBy(connection.settings.issuer)
      const pending = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier()
      }
      const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(pending.verifier))
      const configuration = configurationOf(published, connection, provider.fetch)
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: connection.redirectUri,
        scope: "openid email",
        response_type: "code",
        code_challenge: challenge,
        code_challenge_method: "S256",
        state: pending.state,
        nonce: pending.nonce,
        ...(isFresh ? { prompt: "login", max_age: "0" } : {})
      })
      return { url: url.href, pending }
    }),
    finish: Effect.fn("OpenIdConnect.finish")(function* (connection, pending, back) {
      const published = yield* publishedBy(connection.settings.issuer)
      const configuration = configurationOf(published, connection, provider.fetch)
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.tryPromise({
        try: () => finishAt(configuration, pending, back, now),
        catch: refused
      })
    }),
    bearer: Effect.fn("OpenIdConnect.bearer")(function* (settings, token) {
      const now = yield* Clock.currentTimeMillis
      const verified = Effect.tryPromise(async () =>
        bearerAt(await configurations(settings.issuer, now), settings, Redacted.value(token), now)
      )
      return yield* Effect.orElseSucceed(verified, () => Option.none())
    })
  })
})

/** OpenID Connect by `openid-client` and `jose`. */
export const layer = Layer.effect(OpenIdConnect, make)
