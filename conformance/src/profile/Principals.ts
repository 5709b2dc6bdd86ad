import type { PrincipalName } from "../engine/Session.ts"
import type { Client, Principal, Profile } from "./Profile.ts"
import type { Secret } from "./Values.ts"

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
  const [, place, reissued] = limitedName.exec(name) ?? []
  const limited = profile.principals.limited?.[Number(place)]
  return held(reissued === undefined ? limited?.token : limited?.reissued)
}
