import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, type Json, parse } from "@wcs/conformance/text/Json"
import { applicants, existing, naming } from "../seams/ExistingOwners.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

/** Creates of credentials take one owner as a reference: `{ "type": "applicant", "id": … }`. */
const oneOwner = Rewrite.requests({ method: "POST", path: /^\/credentials$/ }, (request) => {
  const body = parse(request.body)
  const [type, id] = [at(body, "attributes.owner.type"), at(body, "attributes.owner.id")]
  if (body === undefined || typeof type !== "string" || id === undefined) return request
  const attributes = { ...Object(at(body, "attributes")), owner: undefined, owners: { [type]: id } }
  return { ...request, body: JSON.stringify({ ...Object(body), attributes }) }
})

const ownerTemplate = { type: "{{ownerType}}", id: "{{ownerId}}" }

/** Replaces the owners of a template by one owner. */
const withOneOwner = (body: Json): Json =>
  Rewrite.put(
    Rewrite.put(body, "attributes.owners", undefined),
    "attributes",
    Object.assign({}, at(Rewrite.put(body, "attributes.owners", undefined), "attributes"), { owner: ownerTemplate })
  )

const withOneOwnerEach = (profile: Profile): Profile => {
  const { groups = {}, verifiableCredential } = profile
  const { credential = {} } = groups
  const { create } = credential
  return {
    ...profile,
    groups: {
      ...groups,
      credential: { ...credential, ...(create && { create: { ...create, body: withOneOwner(create.body) } }) }
    },
    ...(verifiableCredential && { verifiableCredential: { body: withOneOwner(verifiableCredential.body) } })
  }
}

const [three, two] = [applicants(3), applicants(2)]

/** The profile of an operator who keeps no second token of a user. */
export const withoutSiblings = (profile: Profile): Profile => {
  const { limited = [], revokedToken } = profile.principals
  return {
    ...profile,
    principals: {
      ...profile.principals,
      ...(revokedToken && { revokedToken: { revoked: revokedToken.revoked } }),
      limited: limited.map(({ reissued: _, ...one }) => one)
    }
  }
}

/** The profile of a deployment whose audit history is one list. */
export const withOneHistory = (profile: Profile): Profile => ({
  ...profile,
  ...(profile.audit && { audit: { ...profile.audit, path: "/audit-events" } })
})

/** Where owners come from, and profiles with less than ours. */
export const profileVariants: ReadonlyArray<Variant> = [
  variant("applicants-exist-and-cannot-be-made", ["OWN-02"], { offersLess: "owners" }).by({
    rewrite: existing(three),
    profile: naming(three)
  }),
  variant("two-applicants-exist", ["OWN-02"], { offersLess: "owners" }).by({
    rewrite: existing(two),
    profile: naming(two)
  }),
  variant("a-credential-is-created-with-one-owner", ["CRD-01"], { offersLess: "owners" }).by({
    rewrite: oneOwner,
    profile: withOneOwnerEach
  }),
  variant("no-user-has-a-second-token", ["AUT-12", "PRV-11"], { offersLess: "tokens" }).by({
    profile: withoutSiblings
  }),
  variant("the-audit-history-is-one-list", ["PRV-15"]).by({ profile: withOneHistory })
]
