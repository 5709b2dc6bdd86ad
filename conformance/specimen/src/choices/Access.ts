import type { Profile } from "@wcs/conformance/profile/Profile"
import { type Choice, choice, choicesOf, withGroup, withoutNeed } from "./Rows.ts"

const withoutExternal = (profile: Profile): Profile => {
  const { externalToken: _, ...principals } = profile.principals
  return withoutNeed({ ...profile, principals }, "external identity provider")
}

const withoutEnrolled = (profile: Profile): Profile => {
  const { enrolledToken: _, ...principals } = profile.principals
  return withoutNeed({ ...profile, principals }, "user with multifactor authentication")
}

const withoutWebLogin = ({ webLogin: _, ...profile }: Profile): Profile =>
  withoutNeed(withoutNeed(profile, "web login by SAML"), "web login with TOTP")

/** The profile of an operator who keeps no second token of a user. */
const withoutSiblings = (profile: Profile): Profile => {
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

/** Privileges on applicants do not exist. */
const withoutApplicantPrivileges = (profile: Profile): Profile => {
  const { limited = [] } = profile.principals
  const others = limited.map(({ privileges: { applicant: _, ...privileges }, ...one }) => ({ ...one, privileges }))
  return { ...profile, principals: { ...profile.principals, limited: others } }
}

/** The body of webhooks subscribes to events that need no privilege; that of deliveries is apart. */
const withSubscribedWebhook = (profile: Profile): Profile => {
  const { body } = profile.groups?.["webhook"]?.create ?? {}
  if (body === undefined) return profile
  const free = { create: { body: { target: "{{receiver}}", topics: "worker.changed", label: "{{unique}}" } } }
  return { ...withGroup("webhook", (group) => ({ ...group, ...free }))(profile), subscribedWebhook: { body } }
}

const secretIn = (type: string) =>
  withGroup(type, ({ create, ...group }) => ({
    ...group,
    ...(create && { create: { ...create, secret: "data.value" } })
  }))

const principals: ReadonlyArray<Choice> = [
  // the server's own: a text
  ...choicesOf("body of a 401", ["a page", "an OAuth error", "an error without a code"], ["SIL-10"]),
  // the server's own: opaque
  choice("personal tokens", "JWT", ["AUT-04", "AUT-08"], { changesOnly: "secrets" }),
  // the server's own: all of these
  choice("external identity provider", "none", ["AUT-14"], { profile: withoutExternal }),
  choice("second factor", "none", ["AUT-15"], { profile: withoutEnrolled }),
  // the server's own: by TOTP and by SAML
  choice("web login", "none", ["AUT-16", "AUT-17"], { profile: withoutWebLogin }),
  choice("second tokens of a user", "none", ["AUT-12", "PRV-11"], { profile: withoutSiblings, blocks: ["PRV-11"] }),
  // the server's own: `data.token` and `data.clientSecret`
  choice("field of an issued secret", "value", ["AUT-13", "OAU-23"], {
    profile: (profile) => secretIn("apiClient")(secretIn("accessToken")(profile))
  })
]

const privileges: ReadonlyArray<Choice> = [
  // the server's own: `urn:stranger:acct:…`
  choice("names of accounts", "path", ["PRV-10"]),
  // the server's own: UPDATE, CREATE and CREATE
  ...choicesOf("privilege of an ownership call", ["CREATE", "CREATE and UPDATE"], ["SIL-13"]),
  choice("privilege of a verification", "UPDATE", ["SIL-13"]),
  choice("privilege of a rotation", "UPDATE", ["SIL-13"]),
  choice("entity type of applicants", "worker", ["PRV-06", "PRV-14"], { profile: withoutApplicantPrivileges }),
  // the server's own: 403
  choice("expanded credentials without READ", "left out", ["PRV-06"]),
  choice("a subscription needs", "READ on credential", ["PRV-05", "SIL-25"], { profile: withSubscribedWebhook }),
  choice("a subscription needs", "READ on credential, and the profile has one body", ["PRV-05", "SIL-25"], {
    blocks: ["PRV-05"]
  })
]

const tenants: ReadonlyArray<Choice> = [
  // the server's own: 401 to both
  ...choicesOf("tokens of another tenant", ["403 FORBIDDEN", "404 NOT_FOUND", "421"], ["TRN-06", "TRN-10", "SIL-21"]),
  ...choicesOf("clients of another tenant", ["404 invalid_client", "403 unauthorized_client"], ["TRN-06", "TRN-10"])
]

const grants: ReadonlyArray<Choice> = [
  choice("first check of the token endpoint", "the grant", ["SIL-23"]),
  choice("a grant to no client", "400 invalid_request", ["SIL-23"]),
  choice("a part of a client beside Basic", "refused", ["SIL-23"]),
  // the server's own: an hour
  choice("lifetime of access tokens", 900, ["OAU-05", "OAU-24"], {
    profile: (profile) => ({ ...profile, oauthLifetimeSeconds: 900 })
  }),
  choice("further fields of a grant", true, ["OAU-06"]),
  // the server's own: to a failed Basic alone
  choice("challenge of the token endpoint", "always", ["OAU-14"]),
  choice("signs in client secrets", true, ["OAU-01", "OAU-02"], { changesOnly: "secrets" }),
  // the server's own: a million calls a minute
  choice("rate limits", "of a moment", ["RTL-02", "RTL-03", "RTL-05", "SIL-11"])
]

/** Choices about AUT, OAU, PRV, RTL and TRN-10. */
export const accessChoices: ReadonlyArray<Choice> = [...principals, ...privileges, ...tenants, ...grants]
