import { auditTable, taskTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { AuditEvents } from "@wcs/domain/audit/AuditEvents"
import { Bans } from "@wcs/domain/credential/Bans"
import { Exemptions } from "@wcs/domain/credential/Exemptions"
import { Units } from "@wcs/domain/credential/Units"
import { Workers } from "@wcs/domain/credential/Workers"
import type { LinkNotFound } from "@wcs/domain/crud/Links"
import { Resources } from "@wcs/domain/crud/Resources"
import { BanDecisionRequest } from "@wcs/domain/holding/BanDecision"
import { Scans } from "@wcs/domain/legacy/Scans"
import { Applicant, type ApplicantFields } from "@wcs/domain/people/Applicant"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { Assignment, Tasks } from "@wcs/domain/screening/Tasks"
import { Changes } from "@wcs/domain/service/Changes"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import {
  changesHandler,
  changingHandlers,
  collectionHandlers,
  listHandler,
  type OfOne,
  one,
  readingHandlers,
  removeHandler,
  restoringHandlers,
  writingHandlers
} from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

const readAssignment = JsonBody.readAs(Assignment)
const readDecision = JsonBody.readAs(BanDecisionRequest)

/** The groups with only standard endpoints (§4.2). */
export const make = Effect.gen(function* () {
  const { collection, restorable } = yield* Resources
  const applicants = restorable(Applicant)
  const workers = yield* Workers
  const { list: listAuditEvents } = yield* AuditEvents
  const { after: changesAfter } = yield* Changes
  const { list: listScans } = yield* Scans
  const tasks = yield* Tasks
  const units = yield* Units
  const bans = yield* Bans
  const fileList = yield* FileLists.make
  return [
    handlersOf(NewerSurface, "workers", {
      ...readingHandlers(workers),
      ...writingHandlers<WorkerFields, never, LinkNotFound>(workers, "workers"),
      ...restoringHandlers<WorkerFields>(workers)
    }),
    handlersOf(NewerSurface, "applicants", {
      ...collectionHandlers<ApplicantFields, never, LinkNotFound>(applicants, "applicants"),
      ...restoringHandlers<ApplicantFields>(applicants)
    }),
    handlersOf(NewerSurface, "exemptions", collectionHandlers(yield* Exemptions, "exemptions")),
    handlersOf(
      NewerSurface,
      "screeningPackages",
      collectionHandlers(collection(ScreeningPackage), "screening-packages")
    ),
    handlersOf(NewerSurface, "units", {
      ...readingHandlers(units),
      ...changingHandlers(units, "units"),
      remove: removeHandler(units.remove)
    }),
    handlersOf(NewerSurface, "bans", {
      ...readingHandlers(bans),
      decisions: (call: OfOne) =>
        Effect.flatMap(readDecision(call), ({ value, warnings }) =>
          Effect.map(bans.decide(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
        )
    }),
    handlersOf(NewerSurface, "auditEvents", {
      list: fileList("audit-log", auditTable, listAuditEvents)
    }),
    handlersOf(NewerSurface, "changes", { list: changesHandler(changesAfter) }),
    handlersOf(NewerSurface, "tasks", {
      list: fileList("tasks", taskTable, tasks.list),
      assign: (call: OfOne) =>
        Effect.flatMap(readAssignment(call), ({ value, warnings }) =>
          Effect.map(tasks.assign(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
        )
    }),
    handlersOf(NewerSurface, "scans", { list: listHandler(listScans) })
  ]
})
