import type { Client, Principal, Profile } from "./Profile.ts"
import type { Secret } from "./Values.ts"

/** The principals of the profile. Limited ones are named by their index. */
export type PrincipalName =
  | "admin"
  | "secondClient"
  | "personalToken"
  | "rotated.old"
  | "rotated.new"
  | "revokedToken.revoked"
  | "revokedToken.living"
  | "expiredToken"
  | "rateLimited"
  | "externalToken"
  | "enrolledToken"
  | "secondTenant.admin"
  | `limited.${number}`
  | `limited.${number}.reissued`

/** The source of a principal's bearer token: the token itself, or an OAuth client. */
export type Credentials = { readonly token: Secret } | { readonly oauth: Client }

const limitedName = /^limited\.(\d+)(\.reissued)?$/

const held = (token: Secret | undefined): Credentials | undefined => (token === undefined ? undefined : { token })

const named: Readonly<
  Record<Exclude<PrincipalName, `limited.${string}`>, (profile: Profile) => Credentials | undefined>
> = {
  admin: ({ principals }): Principal => principals.admin,
  secondClient: ({ principals: { secondClient } }) =>
    secondClient === undefined ? undefined : { oauth: secondClient },
  personalToken: ({ principals }) => held(principals.personalToken),
  "rotated.old": ({ principals }) => held(principals.rotated?.old),
  "rotated.new": ({ principals }) => held(principals.rotated?.new),
  "revokedToken.revoked": ({ principals }) => held(principals.revokedToken?.revoked),
  "revokedToken.living": ({ principals }) => held(principals.revokedToken?.living),
  expiredToken: ({ principals }) => held(principals.expiredToken),
  rateLimited: ({ principals }) => principals.rateLimited,
  externalToken: ({ principals }) => held(principals.externalToken),
  enrolledToken: ({ principals }) => held(principals.enrolledToken),
  "secondTenant.admin": ({ secondTenant }) => secondTenant?.admin
}

const isNamed = (name: PrincipalName): name is keyof typeof named => Object.hasOwn(named, name)

/** Returns a principal's credentials in the profile, or undefined. */
export const credentialsOf = (profile: Profile, name: PrincipalName): Credentials | undefined => {
  if (isNamed(name)) return named[name](profile)
  const [, index, reissued] = limitedName.exec(name) ?? []
  const limited = profile.principals.limited?.[Number(index)]
  return held(reissued === undefined ? limited?.token : limited?.reissued)
}

/** Returns a principal with OAuth tokens, or undefined. */
export const oauthPrincipal = ({ principals }: Profile): "admin" | "secondClient" | undefined =>
  "oauth" in principals.admin ? "admin" : principals.secondClient === undefined ? undefined : "secondClient"

/**
 * Returns a valid client, preferably not the run's own: a new token may end an earlier one (OAU-19). Returns undefined
 * if the profile has none.
 */
export const goodClient = ({ principals: { admin, secondClient } }: Profile): Client | undefined =>
  secondClient ?? ("oauth" in admin ? admin.oauth : undefined)
