import type { Profile } from "@wcs/conformance/profile/Profile"
import { Effect } from "effect"
import type { Deliver } from "../Hub.ts"
import type { Serve } from "../Serve.ts"
import type { Specimen } from "../Specimen.ts"
import type { Webhooks } from "../seams/SeenWebhooks.ts"
import type { Variant } from "../Variant.ts"

/** The most variants of one deployment. */
const variantsMax = 17

/** One deployment with all changes of these, in order. */
export const combined = (members: ReadonlyArray<Specimen>): Specimen => ({
  name: members.map(({ name }) => name).join(" + "),
  ...(members.some(({ rules }) => rules !== undefined) && {
    rules: (standard) => members.reduce((before, { rules }) => rules?.(before) ?? before, standard)
  }),
  ...(members.some(({ stores }) => stores !== undefined) && {
    stores: (standard) => members.reduce((before, { stores }) => stores?.(before) ?? before, standard)
  }),
  rewrite: (serve: Serve) => members.reduce((inner, { rewrite }) => rewrite?.(inner) ?? inner, serve),
  deliveries: (webhooks: Webhooks) => (deliver: Deliver) =>
    members.reduce((inner, { deliveries }) => deliveries?.(webhooks)(inner) ?? inner, deliver),
  profile: (told: Profile) => members.reduce((before, { profile }) => profile?.(before) ?? before, told),
  secret: (given, name) => members.reduce((before, { secret }) => secret?.(before, name) ?? before, given),
  secrets: () => Object.assign({}, ...members.map(({ secrets }) => secrets?.() ?? {}))
})

/** The first of each list together, then the second of each, and so on. */
const inTurn = (lists: ReadonlyArray<ReadonlyArray<Variant>>): ReadonlyArray<ReadonlyArray<Variant>> =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, nth) =>
    lists.flatMap((list) => list.slice(nth, nth + 1))
  )

/**
 * The variants to judge on one deployment each. Neighbours in the list differ in similar points, so they come to
 * different groups.
 */
export const groupsOf = (variants: ReadonlyArray<Variant>): ReadonlyArray<ReadonlyArray<Variant>> => {
  const whole = variants.filter(({ offersLess }) => offersLess === undefined)
  const count = Math.ceil(whole.length / variantsMax)
  const byPart = Map.groupBy(
    variants.filter(({ offersLess }) => offersLess !== undefined),
    ({ offersLess }) => offersLess
  )
  return [
    ...Array.from({ length: count }, (_, group) => whole.filter((_, nth) => nth % count === group)),
    ...inTurn([...byPart.values()])
  ]
}

/**
 * Judges groups of specimens, each on one deployment with all its changes. A group that is not fine is judged again in
 * halves, until the specimens at fault are alone. A failure that only the combination shows is not reported. Returns the
 * findings about each specimen.
 */
export const judgedTogether = Effect.fnUntraced(function* <One extends Specimen, Found>(
  groups: ReadonlyArray<ReadonlyArray<One>>,
  judge: (groups: ReadonlyArray<ReadonlyArray<One>>) => Effect.Effect<ReadonlyArray<Found>>,
  isFine: (members: ReadonlyArray<One>, found: Found) => boolean
) {
  const findings = new Map<string, Found>()
  let open = groups
  while (open.length > 0) {
    const judged = yield* judge(open)
    const doubted: Array<ReadonlyArray<One>> = []
    for (const [index, members] of open.entries()) {
      const found = judged[index]
      if (found === undefined) continue
      const half = Math.ceil(members.length / 2)
      if (members.length === 1 || isFine(members, found)) for (const { name } of members) findings.set(name, found)
      else doubted.push(members.slice(0, half), members.slice(half))
    }
    open = doubted
  }
  return findings
})
