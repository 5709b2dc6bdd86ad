import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import type { Role } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { assertStatus, post } from "../rules/NewerSurface.ts"
import { operator, Service, textAt } from "../Service.ts"
import { type Browser, fromOtherSite } from "./Browser.ts"
import { type Key, makeKey } from "./SamlKey.ts"
import { answer, metadataOf } from "./SamlProvider.ts"

export const key = await makeKey(365)
export const otherKey = await makeKey(10)

export const collection = "/identity-providers"
export const body = (more: Readonly<Record<string, unknown>> = {}) => ({
  name: "Example IdP",
  kind: "saml",
  active: true,
  metadata: metadataOf(key),
  ...more
})

/** A new domain. */
export const freshDomain = () => `${randomUUID()}.example`

/** An active provider with one verified domain. */
export const provider = Effect.fnUntraced(function* (more: Readonly<Record<string, unknown>> = {}) {
  const domain = freshDomain()
  const id = textAt(yield* post(collection, body({ domains: [domain], ...more })), "data.id")
  yield* (yield* Service).publish(`_wcs-challenge.${domain}`, "v=spf1 -all", `wcs-domain-verification=${id}`)
  assertStatus(yield* post(`${collection}/${id}/verify-domains`), 200)
  return { domain, id, subject: randomUUID() }
})

export const user = Effect.fnUntraced(function* (email: string, role: Role = "Viewer") {
  const { administration, tenant } = yield* Service
  return yield* administration.createUser(tenant.id, email, role, operator).pipe(Effect.orDie)
})

/** A provider, and a user of its domain. */
export const connected = Effect.gen(function* () {
  const made = yield* provider()
  const email = `ann@${made.domain}`
  const { id: accountId } = yield* user(email)
  return { ...made, email, accountId }
})

export type Person = { readonly subject: string; readonly email: string }

/** Begins a login, and returns the form that the identity provider makes the browser post. */
export const begun = Effect.fnUntraced(function* (
  { get }: Browser,
  id: string,
  person: Person,
  by: Key = key,
  options: Parameters<typeof answer>[3] = {}
) {
  const redirect = yield* get(`/saml/${id}/login`)
  assert.strictEqual(redirect.status, 303, redirect.text)
  return yield* Effect.promise(() => answer(redirect.headers["location"] ?? "", by, person, options))
})

export const acs = (id: string) => `/saml/${id}/acs`

export const login = Effect.fnUntraced(function* (
  client: Browser,
  id: string,
  person: Person,
  by: Key = key,
  options: Parameters<typeof answer>[3] = {}
) {
  const form = yield* begun(client, id, person, by, options)
  return yield* client.post(acs(id), form, fromOtherSite)
})
