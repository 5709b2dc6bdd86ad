import { Effect, Option } from "effect"
import type { Mapping, RowFault } from "./ColumnMapping.ts"
import type { Import } from "./Import.ts"
import { type Candidate, type ImportRow, idKeyOf, type Outcome, type RowKeys } from "./ImportRow.ts"
import { deciding, type RowResult, writeRow } from "./RowChange.ts"
import { aimOf, faulty, type Mark, markOf, type Tools, type Understood, understand } from "./RowTools.ts"

const repeated = (first: number): RowFault => ({ column: null, reason: `has the same external id as row ${first}` })

/** Returns the first row with each key, of these rows and of earlier ones. */
const firstOf = (
  key: keyof RowKeys,
  earlier: ReadonlyMap<string, number>,
  rows: ReadonlyArray<Understood>
): ReadonlyMap<string, number> => {
  const first = new Map(earlier)
  for (const { [key]: value, row } of rows) if (value !== "" && !first.has(value)) first.set(value, row.row)
  return first
}

const outcomes = { create: "CREATE", update: "UPDATE", nothing: "UNCHANGED" } as const satisfies Record<
  Exclude<RowResult["does"], "fail">,
  Outcome
>

/** What the check knows of a row besides its own result. */
interface Found extends Pick<Understood, "row" | "idKey" | "nameKey"> {
  readonly aim: ReturnType<typeof aimOf>
  /** The first rows of the file with the same external id, and with the same name and birth date. */
  readonly sameId: number
  readonly sameName: number
}

const markFor = ({ aim, idKey, nameKey, row: { row }, sameId, sameName }: Found, result: RowResult): Mark => {
  const rest = { idKey, nameKey, workerId: result.workerId }
  if (result.does === "fail") return { ...faulty(row, result.fault), ...rest }
  if (aim.mark !== undefined) return { ...aim.mark, ...rest }
  if (sameId < row) return { ...faulty(row, repeated(sameId)), ...rest, sameAsRow: sameId }
  if (aim.namesake !== undefined) return markOf(row, "DUPLICATE", { ...rest, workerId: aim.namesake })
  if (result.does === "create" && sameName < row) return markOf(row, "DUPLICATE", { ...rest, sameAsRow: sameName })
  return markOf(row, outcomes[result.does], rest)
}

/** Judges a row. The key of a row that updates a worker is that of the worker. */
const aimed = (each: Understood, candidates: ReadonlyArray<Candidate>) => {
  const aim = aimOf(each, candidates)
  const worker = candidates.find(({ id, isMerged }) => !isMerged && id === Option.getOrUndefined(aim.match))
  return { ...each, aim, idKey: worker === undefined ? each.idKey : idKeyOf(worker) }
}

/** Makes the check of rows: judges each as a run would, and writes no worker. */
export const makeCheck = ({ candidatesOf, findAll, resources, servicesOver, store }: Tools) =>
  Effect.fnUntraced(function* (it: Import, mapping: Mapping, rows: ReadonlyArray<ImportRow>) {
    const { tenantId } = it
    const { understood, unread } = understand(mapping, rows)
    const candidates = yield* candidatesOf(tenantId, understood)
    const aims = understood.map((each) => aimed(each, candidates))
    const keys = (key: keyof RowKeys) => [...new Set(aims.map((each) => each[key]).filter((text) => text !== ""))]
    const earlier = yield* store.firstRows(tenantId, it.id, { ids: keys("idKey"), names: keys("nameKey") }, it.cursor)
    const firstId = firstOf("idKey", earlier.byId, aims)
    const firstName = firstOf("nameKey", earlier.byName, aims)
    const present = yield* findAll(tenantId, [...new Set(aims.flatMap(({ aim }) => Option.toArray(aim.match)))])
    const services = servicesOver(deciding(resources, present))
    const marks = yield* Effect.forEach(aims, ({ aim, idKey, nameKey, read, row }) => {
      const sameId = firstId.get(idKey) ?? row.row
      const sameName = firstName.get(nameKey) ?? row.row
      return Effect.map(writeRow(services, it.mapped, aim.match, read.document), (result) =>
        markFor({ row, idKey, nameKey, aim, sameId, sameName }, result)
      )
    })
    return [...unread, ...marks]
  })
