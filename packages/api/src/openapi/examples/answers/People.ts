import { type Outcome, outcomes } from "@wcs/domain/import/ImportRow"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { ids } from "../Requests.ts"
import { shownAs } from "../ShownAs.ts"
import { administrator } from "./Access.ts"
import { account, answer, asSent, bodyOf, created, laterTime, other, page, time } from "./Shapes.ts"

const { contact: _, ...worker } = bodyOf("workers.replace")

const leaving = {
  ...{ id: ids.ann, type: "worker", ...worker },
  ...{ employment: { ...Object(worker["employment"]), status: "ON_LEAVE" }, ...created }
}

const applicants = asSent("applicants", "applicant", ids.bo)

const task = (assignee: JsonValue): JsonObject => ({
  ...{
    id: ids.task,
    type: "task",
    reason: "CONDITIONAL",
    credential: { id: ids.credential, credentialType: "WWCC_NSW" }
  },
  ...{ ...created, worker: { id: ids.ann, displayName: "Ann Example" }, assignee }
})

export const units = asSent("units", "unit", ids.unit)

const note = { id: ids.note, type: "note", ...bodyOf("notes.write"), account, createdAt: time }

const caretaker = { type: "caretaker", ...bodyOf("notes.setCaretaker") }

export const notes = {
  "notes.write": answer(note),
  "notes.list": page([note]),
  "notes.mentions": page([]),
  "notes.caretaker": answer(caretaker),
  "notes.setCaretaker": answer(caretaker)
}

export const tasks = {
  "tasks.list": page([task(null)]),
  "tasks.assign": answer(task({ id: ids.user }))
}

const erasure = {
  ...{ id: ids.ann, type: "erasure", ...bodyOf("erasures.erase"), status: "ERASED", account: administrator },
  ...{ createdAt: time, dueOn: null, erasedAt: time }
}

const cyExample = { displayName: "Cy Example", birthDate: null, externalId: "hr-4712", createdAt: time }

const merge = (further: JsonObject): JsonObject => ({
  ...{ id: ids.merge, type: "merge", status: "MERGED" },
  worker: { id: ids.cy, displayName: "Cy Example" },
  from: { id: ids.twin, displayName: "Cy Example" },
  moved: { credential: 0, exemption: 0, ban: 0, captureRequest: 0 },
  ...{ account, undoableUntil: laterTime, undoneAt: null, createdAt: time, ...further }
})

const importColumns = [
  { name: "Staff ID", samples: ["hr-4713"], proposal: "source.externalId" },
  { name: "Name", samples: ["Dee Example"], proposal: "identity.displayName" }
]

/** An import of one row with a status, and with the outcome of the row once it was seen. */
const imported = (status: string, outcome?: Outcome, dateOrder = "YMD"): JsonObject => ({
  ...{ id: ids.import, type: "import", name: "import.csv", status, rows: 1, columns: importColumns },
  mapping: importColumns.map(({ name, proposal }) => ({ column: name, field: proposal })),
  ...{ dateOrder, done: outcome === undefined ? 0 : 1 },
  counts: Object.fromEntries(outcomes.map((each) => [each, each === outcome ? 1 : 0])),
  ...{ stopping: false, problem: null, account, ...created }
})

const importedRow = {
  ...{ row: 2, outcome: "CREATE", cells: ["hr-4713", "Dee Example"] },
  ...{ fault: null, workerId: null, sameAsRow: null }
}

export const people = {
  ...asSent("workers", "worker", ids.ann),
  "workers.patch": answer(leaving),
  "workers.restore": answer(leaving),
  ...applicants,
  "applicants.restore": applicants["applicants.patch"] ?? {},
  "changes.list": answer(
    [ids.ann, ids.cy].map((entityId, index) => ({
      ...{ id: other("aud", index + 1), type: "change", entityType: "worker", entityId },
      ...{ operation: "CREATE", action: "create", version: 1, changedAt: time }
    })),
    { pageSize: 100, position: shownAs.position, hasMore: false }
  ),
  "duplicates.list": answer(
    [
      {
        ...{ type: "duplicate", reasons: ["EXTERNAL_ID"] },
        workers: [ids.cy, ids.twin].map((id) => ({ id, ...cyExample }))
      }
    ],
    { pageSize: 25, nextCursor: null }
  ),
  "duplicates.dismiss": answer({ type: "duplicateDismissal", workers: [ids.cy, ids.twin] }),
  "merges.merge": answer(merge({})),
  "merges.list": page([merge({})]),
  "merges.undo": answer(merge({ status: "UNDONE", undoneAt: time })),
  "erasures.erase": answer(erasure),
  "erasures.list": page([erasure]),
  "imports.create": answer(imported("UPLOADED", undefined, "DMY")),
  "imports.check": answer(imported("CHECKING")),
  "imports.read": answer(imported("CHECKED", "CREATE")),
  "imports.list": page([imported("CHECKED", "CREATE")]),
  "imports.rows": page([importedRow]),
  "imports.run": answer(imported("RUNNING")),
  "imports.undo": answer(imported("UNDOING")),
  "imports.stop": answer(imported("UNDONE", "UNDONE"))
}
