import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import type { Role } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { assertStatus, patch, post } from "../rules/NewerSurface.ts"
import { at, operator, Service, textAt } from "../Service.ts"
import { clientId, clientSecret, oidcProvider, type startOidcProvider } from "./OidcProvider.ts"

/** Settings that allow a provider on this machine, without TLS. */
export const local = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1" }

type Provider = Awaited<ReturnType<typeof startOidcProvider>>

/** A connection to a provider, with a user of its verified domain. */
export const connectedTo = Effect.fnUntraced(function* (idp: Provider, role: Role) {
  const { administration, publish, tenant } = yield* Service
  const domain = `${randomUUID()}.example`
  const oidc = { issuer: idp.issuer, clientId }
  const body = { name: "OpenID", kind: "oidc", active: true, domains: [domain], clientSecret, oidc }
  const made = yield* post("/identity-providers", body)
  assertStatus(made, 201)
  assert.isTrue(at(made, "data.hasClientSecret"))
  assert.notInclude(made.text, clientSecret)
  const id = textAt(made, "data.id")
  yield* publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
  assertStatus(yield* post(`/identity-providers/${id}/verify-domains`), 200)
  idp.register(`https://localhost/oidc/${id}/callback`)
  const email = `ann@${domain}`
  yield* Effect.orDie(administration.createUser(tenant.id, email, role, operator))
  return { domain, email, id, idp, person: { subject: randomUUID(), email, emailVerified: true } }
})

export type Connected = Effect.Success<ReturnType<typeof connectedTo>>

/** A connection of a Viewer to a provider of its own. */
export const connected = Effect.flatMap(oidcProvider, (idp) => connectedTo(idp, "Viewer"))

export const audience = "https://localhost/openapi/v1"

/** Accepts tokens of the provider from now on. */
export const accept = Effect.fnUntraced(function* ({ id, idp }: Connected) {
  const oidc = { issuer: idp.issuer, clientId, bearerAudience: audience }
  assertStatus(yield* patch(`/identity-providers/${id}`, { oidc }), 200)
})

/** Claims of a valid access token of a connection's user. */
export const claimsOf = ({ idp, person }: Connected) => {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: idp.issuer,
    aud: audience,
    sub: person.subject,
    email: person.email,
    email_verified: true,
    iat: now,
    exp: now + 300
  }
}
