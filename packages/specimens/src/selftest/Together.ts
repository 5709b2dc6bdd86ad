import type { Profile } from "@wcs/conformance/profile/Profile"
import { Effect } from "effect"
import type { Deliver } from "../Hub.ts"
import type { Serve } from "../Serve.ts"
import type { Specimen } from "../Specimen.ts"
import type { Webhooks } from "../seams/SeenWebhooks.ts"
import type { Variant } from "../Variant.ts"

/** The most variants of one deployment. */
const variantsMax = 10

/** Whether the change lies below the wire, where two changes cannot be combined. */
const isBelow = ({ rules, stores }: Specimen): boolean => rules !== undefined || stores !== undefined

/** One deployment with all changes of these, in order. At most one of them may replace a port or a rule. */
const combined = (members: ReadonlyArray<Specimen>): Specimen => {
  const [below = {}] = members
    .filter(isBelow)
    .map(({ rules, stores }) => ({ ...(rules && { rules }), ...(stores && { stores }) }))
  return {
    name: members.map(({ name }) => name).join(" + "),
    ...below,
    rewrite: (serve: Serve) => members.reduce((inner, { rewrite }) => rewrite?.(inner) ?? inner, serve),
    deliveries: (webhooks: Webhooks) => (deliver: Deliver) =>
      members.reduce((inner, { deliveries }) => deliveries?.(webhooks)(inner) ?? inner, deliver),
    profile: (told: Profile) => members.reduce((before, { profile }) => profile?.(before) ?? before, told),
    secret: (given, name) => members.reduce((before, { secret }) => secret?.(before, name) ?? before, given),
    secrets: () => Object.assign({}, ...members.map(({ secrets }) => secrets?.() ?? {}))
  }
}

/**
 * The variants to judge on one deployment each. Neighbours in the list differ in similar points, so they come to
 * different groups.
 */
export const groupsOf = (variants: ReadonlyArray<Variant>): ReadonlyArray<ReadonlyArray<Variant>> => {
  const shared = variants.filter(({ offersLess }) => offersLess !== true)
  const groups = Array.from({ length: Math.ceil(shared.length / variantsMax) }, (): Array<Variant> => [])
  for (const [nth, variant] of shared.entries()) {
    const free = [...groups.slice(nth % groups.length), ...groups].find(
      (group) => !(isBelow(variant) && group.some(isBelow))
    )
    if (free === undefined) groups.push([variant])
    else free.push(variant)
  }
  return [...groups, ...variants.filter(({ offersLess }) => offersLess === true).map((variant) => [variant])]
}

/**
 * Judges specimens on one deployment with all their changes. If a rule does not pass there, judges each half apart,
 * until the specimens at fault are alone. A failure that only the combination shows is not reported. Returns the
 * findings about each.
 */
export const judgedTogether = <Findings>(
  members: ReadonlyArray<Specimen>,
  judge: (deployment: Specimen) => Effect.Effect<Findings>,
  isFine: (deployment: Specimen, findings: Findings) => boolean
): Effect.Effect<ReadonlyArray<{ readonly name: string; readonly findings: Findings }>> =>
  Effect.gen(function* () {
    const all = combined(members)
    const findings = yield* judge(all)
    if (members.length === 1 || isFine(all, findings)) return members.map(({ name }) => ({ name, findings }))
    const half = Math.ceil(members.length / 2)
    const halves = [members.slice(0, half), members.slice(half)]
    return (yield* Effect.forEach(halves, (some) => judgedTogether(some, judge, isFine))).flat()
  })
