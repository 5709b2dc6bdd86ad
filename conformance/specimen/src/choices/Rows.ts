import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Value } from "../server/Chosen.ts"

/** A value of the second server other than its own, at a point where the specification is silent. */
export interface Choice {
  /** The point and the value: `page size: 10`. */
  readonly name: string
  /** The point in the server's code. Choices of one point exclude each other. */
  readonly point: string
  readonly value: Value
  /** The rules and silences that leave room for the value. */
  readonly about: readonly [RuleId, ...ReadonlyArray<RuleId>]
  /** The profile that the operator of such a server writes, from that of another one. */
  readonly profile?: (profile: Profile) => Profile
  /** Rules that the suite cannot judge with this profile. */
  readonly blocks?: ReadonlyArray<RuleId> | "any"
  /** The value would hide others, so it has a server of its own. */
  readonly isAlone?: true
  /** Exchanges differ only in time, or in values that a report hides. */
  readonly changesOnly?: "time" | "secrets"
}

/** A row: `choice("page size", 10, ["SIL-11"])`. */
export const choice = (
  point: string,
  value: Value,
  about: Choice["about"],
  more: Pick<Choice, "profile" | "blocks" | "isAlone" | "changesOnly"> = {}
): Choice => ({ name: `${point}: ${value}`, point, value, about, ...more })

/** Rows of one point that leave the profile as it is. */
export const choicesOf = (point: string, values: ReadonlyArray<Value>, about: Choice["about"]): ReadonlyArray<Choice> =>
  values.map((value) => choice(point, value, about))

type Groups = NonNullable<Profile["groups"]>

/** The profile with one group changed, if it has the group. */
export const withGroup =
  (type: string, change: (group: Groups[string]) => Groups[string]) =>
  (profile: Profile): Profile => {
    const group = profile.groups?.[type]
    return group === undefined ? profile : { ...profile, groups: { ...profile.groups, [type]: change(group) } }
  }

/** The profile of a server that does not offer a need. */
export const withoutNeed = (profile: Profile, need: string): Profile => ({
  ...profile,
  notOffered: [...(profile.notOffered ?? []), need]
})
