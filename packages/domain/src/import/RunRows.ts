import { Effect } from "effect"
import type { Mapping } from "./ColumnMapping.ts"
import type { Import } from "./Import.ts"
import type { ImportRow, Outcome } from "./ImportRow.ts"
import { marking, type RowResult, writeRow } from "./RowChange.ts"
import { aimOf, atOnce, faulty, type Mark, markOf, type Tools, understand } from "./RowTools.ts"

/** The outcomes that a run carries out. */
const runnable: ReadonlyArray<Outcome> = ["CREATE", "UPDATE", "UNCHANGED"]

const resultMark = (row: number, { does, fault, workerId }: RowResult): ReadonlyArray<Mark> =>
  fault !== null
    ? [faulty(row, fault, { workerId })]
    : does === "nothing"
      ? [markOf(row, "UNCHANGED", { workerId })]
      : [] // its change has marked the row

/** Makes the run of rows, each in a transaction of its own. Returns the marks of the rows without a change. */
export const makeRun = ({ candidatesOf, resources, servicesOver }: Tools) =>
  Effect.fnUntraced(function* (it: Import, mapping: Mapping, rows: ReadonlyArray<ImportRow>) {
    const from: ReadonlyArray<Outcome> = it.withDuplicates ? [...runnable, "DUPLICATE"] : runnable
    const { understood } = understand(
      mapping,
      rows.filter(({ outcome }) => from.includes(outcome))
    )
    const candidates = yield* candidatesOf(it.tenantId, understood)
    const marks = yield* Effect.forEach(
      understood,
      (each) =>
        Effect.gen(function* () {
          const { read, row } = each
          const aim = aimOf(each, candidates)
          if (aim.mark !== undefined) return [aim.mark]
          if (aim.namesake !== undefined && !it.withDuplicates) {
            return [markOf(row.row, "DUPLICATE", { workerId: aim.namesake })]
          }
          const services = servicesOver(marking(resources, { importId: it.id, row: row.row, from }))
          return resultMark(row.row, yield* writeRow(services, it.mapped, aim.match, read.document))
        }),
      { concurrency: atOnce }
    )
    return marks.flat()
  })
