import { isRuleId } from "@wcs/conformance/catalogue/RuleIdSchema"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import type { KillMatrix } from "@wcs/conformance/release/KillMatrix"
import { choices } from "../choices/Choices.ts"
import { faults } from "../faults/Faults.ts"
import { killBy } from "../faults/Rows.ts"

/** The matrix by the rows of all faults and the recorded counts. A self-test without complaints proves it. */
export const declaredMatrix = (): KillMatrix => {
  const { places, secondServer } = recordedCounts()
  const missed = new Set(secondServer.areas.flatMap(({ otherwise, survivors }) => [...otherwise, ...survivors]))
  const found = faults.filter(({ name }) => !missed.has(name))
  const kills = Map.groupBy(found, (fault) => `${killBy(fault)} ${fault.point}`)
  return {
    kills: [...kills.values()].flatMap((those) =>
      those.slice(0, 1).map(({ kind, point, rule }) => ({ rule, kind, fault: point, places: those.length }))
    ),
    choices: choices.map(({ name }) => name),
    places: Object.entries(places).flatMap(([rule, of]) => (isRuleId(rule) ? [{ rule, of }] : []))
  }
}
