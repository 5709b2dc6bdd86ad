import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { KillRate } from "@wcs/conformance/release/Counts"
import { type Fault, killBy } from "../faults/Rows.ts"
import type { Verdicts } from "./Jobs.ts"
import { judgedRules } from "./Judged.ts"
import type { Verdict } from "./Verdict.ts"

/** The judged rules that none of these faults breaks. */
export const holesIn = (faults: ReadonlyArray<Fault>): ReadonlyArray<RuleId> => {
  const broken = new Set(faults.map(({ rule }) => rule))
  return judgedRules.filter((rule) => !broken.has(rule))
}

/** The rules that no fault shows, and the kinds of faults that only others show, one sentence each. */
const unproven = (faults: ReadonlyArray<Fault>, verdicts: ReadonlyArray<Verdict>): ReadonlyArray<string> => {
  const byName = new Map(verdicts.map(({ as, name }) => [name, as]))
  const judgedAs = (as: Verdict["as"]) => faults.filter(({ name }) => byName.get(name) === as)
  const shown = judgedAs("expected")
  const kills = new Set(shown.map(killBy))
  const wrong = new Set(judgedAs("otherwise").map(killBy))
  return [
    ...holesIn(shown).map((rule) => `${rule}: no fault breaks it as expected, so nothing shows that it can fail`),
    ...[...wrong].filter((kill) => !kills.has(kill)).map((kill) => `${kill}: declared, but other kinds show the faults`)
  ]
}

/** The names in a part of a rate that the record does not have. New faults are among them until a record is asked for. */
const newIn = (rate: KillRate, recorded: KillRate, part: "otherwise" | "survivors"): ReadonlyArray<string> =>
  rate.areas.flatMap(({ area, [part]: present }) => {
    const { otherwise = [], survivors = [] } = recorded.areas.find((one) => one.area === area) ?? {}
    const known = new Set(part === "otherwise" ? [...otherwise, ...survivors] : survivors)
    return present.filter((name) => !known.has(name))
  })

/** The ways in which a rate is worse than the recorded one, one sentence each. */
export const worsenings = (rate: KillRate, recorded: KillRate): ReadonlyArray<string> => [
  ...rate.falseAlarms.map((alarm) => `false alarm on the server without a fault: ${alarm}`),
  ...newIn(rate, recorded, "survivors").map((name) => `${name}: survives now`),
  ...newIn(rate, recorded, "otherwise").map((name) => `${name}: found otherwise now`)
]

/** The complaints about a whole measurement, one sentence each. */
export const complaintsAbout = (
  faults: ReadonlyArray<Fault>,
  verdicts: ReadonlyArray<Verdict>,
  rate: KillRate,
  recorded: KillRate
): ReadonlyArray<string> => [
  ...worsenings(rate, recorded),
  ...unproven(faults, verdicts),
  ...verdicts.flatMap(({ errors, name }) => errors.map((error) => `${name}: the suite failed at ${error}`))
]

/** One sentence for each problem with choices: an alarm of the suite with its choices, and a choice without an effect. */
export const complaintsAboutChoices = ({
  idle,
  servers
}: Pick<Verdicts, "idle" | "servers">): ReadonlyArray<string> => [
  ...new Set(
    servers.flatMap(({ alarms, choices: all }) =>
      alarms.map(({ culprits, outcome, reason, rule }) => {
        const about = culprits.length === 0 ? `one of ${all.length} choices in a whole run` : culprits.join(" + ")
        return `second server with ${about}: ${outcome} ${rule}: ${reason}`
      })
    )
  ),
  ...idle.map((name) => `choice without an effect on the run: ${name}`)
]
