import { oauthPrincipal, type PrincipalName } from "./Principals.ts"
import type { Profile } from "./Profile.ts"

/** The rules that say that a further token is valid. */
export const validRules = ["AUT-11", "AUT-12", "AUT-14", "AUT-15"] as const
export type ValidRule = (typeof validRules)[number]

/** A further valid token of a profile, with the rule that says that it is valid. Its privileges are unknown. */
interface FurtherToken {
  readonly as: PrincipalName
  readonly valid: ValidRule
}

/** The further valid tokens of a profile. */
export const furtherTokensOf = ({ principals }: Profile): ReadonlyArray<FurtherToken> => {
  const { enrolledToken, externalToken, revokedToken, rotated } = principals
  const all = [
    { as: "enrolledToken", valid: "AUT-15", token: enrolledToken },
    { as: "rotated.old", valid: "AUT-11", token: rotated?.old },
    { as: "revokedToken.living", valid: "AUT-12", token: revokedToken?.living },
    { as: "rotated.new", valid: "AUT-11", token: rotated?.new },
    { as: "externalToken", valid: "AUT-14", token: externalToken }
  ] as const
  // one token may stand for two
  const isOwn = ({ token }: (typeof all)[number], index: number) =>
    token !== undefined && all.findIndex((other) => other.token === token) === index
  return all.filter(isOwn).map(({ as, valid }) => ({ as, valid }))
}

/** A cache: every call of a run asks for them. */
const known = new WeakMap<Profile, ReadonlyArray<PrincipalName>>()

const newTurnsOf = (profile: Profile): ReadonlyArray<PrincipalName> => {
  const { personalToken, secondClient } = profile.principals
  const personal: PrincipalName = personalToken === undefined ? "admin" : "personalToken"
  const client: PrincipalName = secondClient === undefined ? (oauthPrincipal(profile) ?? "admin") : "secondClient"
  return [personal, client, "admin", ...furtherTokensOf(profile).map(({ as }) => as)]
}

/** The valid tokens that make the calls of a run in turn (§5.2). */
export const turnsOf = (profile: Profile): ReadonlyArray<PrincipalName> => {
  const turns = known.get(profile) ?? newTurnsOf(profile)
  known.set(profile, turns)
  return turns
}

/** The turns of further tokens that may be allowed to change something: an external user may only read. */
export const furtherTurnsOf = (profile: Profile): ReadonlyArray<number> => {
  const further = new Set<PrincipalName>(furtherTokensOf(profile).map(({ as }) => as))
  return turnsOf(profile).flatMap((as, turn) => (further.has(as) && as !== "externalToken" ? [turn] : []))
}
