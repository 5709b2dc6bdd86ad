import { assert } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import { choices } from "@wcs/specimen/choices/Choices"
import { faults } from "@wcs/specimen/faults/Faults"
import { hitOf } from "@wcs/specimen/faults/Hits"
import type { Fault } from "@wcs/specimen/faults/Rows"
import type { Hit } from "@wcs/specimen/server/Place"
import * as Hub from "@wcs/specimen/target/Hub"
import type { Serve } from "@wcs/specimen/target/Serve"
import { start } from "@wcs/specimen/target/Start"
import type { Target } from "@wcs/specimen/target/Target"
import { Effect, Redacted } from "effect"

/** Changes of the second server for a test: a fault, choices by name, and what stands between it and the suite. */
export interface Specimen {
  readonly hit?: Hit
  readonly choices?: ReadonlyArray<string>
  readonly rewrite?: (serve: Serve) => Serve
  readonly deliveries?: (deliver: Hub.Deliver) => Hub.Deliver
  readonly profile?: (profile: Profile) => Profile
}

/** Starts the second server with these changes, for the lifetime of the scope. */
export const started = Effect.fnUntraced(function* (specimen: Specimen = {}) {
  const { choices: names = [], deliveries, hit, profile, rewrite } = specimen
  const hub = Hub.make()
  const chosen = choices.filter(({ name }) => names.includes(name))
  assert.lengthOf(chosen, names.length)
  const target: Target = yield* start(hub, hit, chosen)
  return {
    ...target,
    ...(rewrite && { serve: rewrite(target.serve) }),
    ...(profile && { profile: profile(target.profile) }),
    ...(deliveries && { receiver: hub.receiver(deliveries) })
  }
})

/** The secret that a text of the profile names, else the text. */
export const reveal = (secrets: Target["secrets"], text: string): string => {
  const secret = secrets.get(text)
  return secret === undefined ? text : Redacted.value(secret)
}

/** A target's secrets, by environment variable. */
export const environmentOf = (secrets: Target["secrets"]): Readonly<Record<string, string>> =>
  Object.fromEntries([...secrets].map(([name, secret]) => [name.slice(2, -1), Redacted.value(secret)]))

const missed = new Set(
  recordedCounts().secondServer.areas.flatMap(({ otherwise, survivors }) => [...otherwise, ...survivors])
)

/** The first fault of a rule that the suite finds as expected, or the one with this wrong behaviour. */
export const faultOf = (rule: RuleId, point?: string): Fault => {
  const found = faults.find(
    (fault) => fault.rule === rule && (point === undefined ? !missed.has(fault.name) : fault.point === point)
  )
  if (found === undefined) throw new Error(`no fault breaks ${rule}: ${point}`)
  return found
}

/** Every fault of a rule with this wrong behaviour. */
export const faultsOf = (rule: RuleId, point: string): ReadonlyArray<Fault> =>
  faults.filter((fault) => fault.rule === rule && fault.point === point)

/** Makes some faults while `isBroken` returns true. */
export const brokenWhile =
  (isBroken: () => boolean, ...broken: ReadonlyArray<Fault>): Hit =>
  (point, ...places) =>
    isBroken() && broken.some((fault) => hitOf(fault)(point, ...places))
