import { Effect } from "effect"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { Worker } from "../people/Worker.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { FetchRequest } from "../screening/FetchRequests.ts"
import type { RowFault } from "./ColumnMapping.ts"
import type { Import } from "./Import.ts"
import type { ImportRow, Outcome } from "./ImportRow.ts"
import { marking, undoRow } from "./RowChange.ts"
import { atOnce, chunks, markOf, type Tools } from "./RowTools.ts"

/** The outcomes that an undo undoes. */
const undoable: ReadonlyArray<Outcome> = ["CREATED", "UPDATED"]

/** The most workers of a read of what they own. */
const ownersMax = 50

const touched: RowFault = { column: null, reason: "was not undone, because the worker was changed meanwhile" }

/** Makes a function that returns the first row whose worker is not as the row has left it. */
export const makeTouched = ({ findAll, resources }: Tools) =>
  Effect.fnUntraced(function* (tenantId: string, rows: ReadonlyArray<ImportRow>) {
    const done = rows.filter(({ outcome }) => undoable.includes(outcome))
    const present = yield* findAll(
      tenantId,
      done.flatMap(({ workerId }) => workerId ?? [])
    )
    const changed = done.find(({ tag, workerId }) => {
      const worker = present.get(workerId ?? "")
      return worker === undefined || worker.deletedAt !== null || tagAt(Worker, worker, { today: "" }).text !== tag
    })
    if (changed !== undefined) return changed
    const created = done.filter(({ outcome }) => outcome === "CREATED")
    for (const some of chunks(created, ownersMax)) {
      const workers = some.flatMap(({ workerId }) => workerId ?? [])
      for (const resource of [Credential, Exemption, FetchRequest]) {
        const held = yield* resources.heldByEach<never>(resource as never, tenantId, workers, 1)
        const owner = some.find(({ workerId }) => held.has(workerId ?? ""))
        if (owner !== undefined) return owner
      }
    }
    return undefined
  })

/** Makes the undo of rows. Returns the marks of those that were changed meanwhile. */
export const makeUndo =
  ({ resources, servicesOver }: Tools) =>
  (it: Import, rows: ReadonlyArray<ImportRow>) =>
    Effect.map(
      Effect.forEach(
        rows.filter(({ outcome }) => undoable.includes(outcome)),
        ({ before, outcome, row, tag, workerId }) =>
          Effect.gen(function* () {
            if (tag === null || workerId === null) return []
            const mark = { importId: it.id, row, from: [outcome] }
            const services = servicesOver(marking(resources, mark, () => "UNDONE"))
            return (yield* undoRow(services, { before, tag, workerId }))
              ? []
              : [markOf(row, "KEPT", { fault: touched, workerId })]
          }),
        { concurrency: atOnce }
      ),
      (marks) => marks.flat()
    )
