import { Array as Arr, Effect } from "effect"
import { Ban } from "../holding/Ban.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { Worker } from "../people/Worker.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { FetchRequest } from "../screening/FetchRequests.ts"
import type { RowFault } from "./ColumnMapping.ts"
import type { Import } from "./Import.ts"
import type { ImportRow, Outcome } from "./ImportRow.ts"
import { marking, undoRow } from "./RowChange.ts"
import { atOnce, markOf, type Tools } from "./RowTools.ts"

/** The outcomes that an undo undoes. */
const undoable: ReadonlyArray<Outcome> = ["CREATED", "UPDATED"]

/** The most workers of a read of what they own. */
const ownersMax = 50

/** The resources that show that somebody works with a created worker. */
const uses = [Credential, Exemption, FetchRequest, Ban]

const touched: RowFault = { column: null, reason: "was not undone, because the worker was changed or used meanwhile" }

/** Makes a function that returns the created workers of rows that own or are the subject of something. */
const makeUsed =
  ({ resources }: Tools) =>
  (tenantId: string, rows: ReadonlyArray<ImportRow>) => {
    const created = rows.flatMap(({ outcome, workerId }) => (outcome === "CREATED" ? (workerId ?? []) : []))
    const asked = Arr.chunksOf(created, ownersMax).flatMap((workers) => uses.map((resource) => ({ resource, workers })))
    return Effect.map(
      Effect.forEach(asked, ({ resource, workers }) =>
        resources.heldByEach<never>(resource as never, tenantId, workers, 1)
      ),
      (found) => new Set(found.flatMap((held) => [...held.keys()]))
    )
  }

/** Makes a function that returns the first row whose worker is not as the row has left it. */
export const makeTouched = (tools: Tools) => {
  const used = makeUsed(tools)
  return Effect.fnUntraced(function* (tenantId: string, rows: ReadonlyArray<ImportRow>) {
    const done = rows.filter(({ outcome }) => undoable.includes(outcome))
    const present = yield* tools.findAll(
      tenantId,
      done.flatMap(({ workerId }) => workerId ?? [])
    )
    const changed = done.find(({ tag, workerId }) => {
      const worker = present.get(workerId ?? "")
      return worker === undefined || worker.deletedAt !== null || tagAt(Worker, worker, { today: "" }).text !== tag
    })
    if (changed !== undefined) return changed
    const inUse = yield* used(tenantId, done)
    return done.find(({ workerId }) => inUse.has(workerId ?? ""))
  })
}

/** Makes the undo of rows. Returns the marks of those whose workers were changed or used meanwhile. */
export const makeUndo = (tools: Tools) => {
  const { resources, servicesOver } = tools
  const used = makeUsed(tools)
  return Effect.fnUntraced(function* (it: Import, rows: ReadonlyArray<ImportRow>) {
    const done = rows.filter(({ outcome }) => undoable.includes(outcome))
    const inUse = yield* used(it.tenantId, done)
    const marks = yield* Effect.forEach(
      done,
      ({ before, outcome, row, tag, workerId }) =>
        Effect.gen(function* () {
          if (tag === null || workerId === null) return []
          const services = servicesOver(marking(resources, { importId: it.id, row, from: [outcome] }, () => "UNDONE"))
          const isUndone = !inUse.has(workerId) && (yield* undoRow(services, { before, outcome, tag, workerId }))
          return isUndone ? [] : [markOf(row, "KEPT", { fault: touched, workerId })]
        }),
      { concurrency: atOnce }
    )
    return marks.flat()
  })
}
