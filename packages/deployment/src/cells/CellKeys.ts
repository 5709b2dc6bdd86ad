import { copyKeys } from "@wcs/store-sql/cells/Arrival"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import type { Cell } from "@wcs/store-sql/cells/Move"
import { Effect, Schedule } from "effect"
import { Settings } from "../Settings.ts"
import { connect } from "./CellConnections.ts"
import { joining } from "./Joining.ts"

/** How often new signing keys reach the other databases. */
const period = "1 minute"

/**
 * Shares the signing keys of all databases, now and while the scope lives. So tokens and seals stay valid when their
 * tenant moves, and one command verifies the audit logs of all tenants. A new master key is applied to the keys of the first
 * database, and from there to the others.
 */
export const share = Effect.gen(function* () {
  const { cells } = yield* Settings
  const reached: Array<Cell> = []
  for (const name of [firstCell, ...cells.map((cell) => cell.name)]) {
    const reach = Effect.map(connect(name), (cell) => void reached.push(cell))
    yield* joining(name, reach)
  }
  const round = Effect.suspend(() =>
    Effect.forEach(
      reached.flatMap((source) =>
        reached.filter((target) => target !== source).map((target) => [source, target] as const)
      ),
      ([source, target]) => copyKeys(source.sql, target.sql, { reseals: source.name === firstCell }),
      { discard: true }
    )
  )
  yield* Effect.ignoreCause(round).pipe(Effect.repeat(Schedule.spaced(period)), Effect.forkScoped)
})
