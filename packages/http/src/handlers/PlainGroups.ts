import * as Tables from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
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
import { Proofs } from "@wcs/domain/proof/Proofs"
import { parseNone } from "@wcs/domain/resource/ListQuery"
import type { DuplicateId } from "@wcs/domain/resource/Resource"
import { ScreeningPackage, type ScreeningPackageFields } from "@wcs/domain/screening/ScreeningPackage"
import { Assignment, Tasks } from "@wcs/domain/screening/Tasks"
import { AuditEvents } from "@wcs/domain/service/AuditEvents"
import { Changes } from "@wcs/domain/service/Changes"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import {
  changesHandler,
  changingHandlers,
  type OfOne,
  one,
  oneOf,
  readingHandler,
  recordHandlers,
  removeHandler,
  restoringHandlers,
  writingHandlers
} from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"
import { proofHandler } from "./ProofPage.ts"

const readAssignment = JsonBody.readAs(Assignment)
const readDecision = JsonBody.readAs(BanDecisionRequest)

/** The groups with only standard endpoints (§4.2). */
export const make = Effect.gen(function* () {
  const { collection, restorable } = yield* Resources
  const applicants = restorable(Applicant)
  const workers = yield* Workers
  const exemptions = yield* Exemptions
  const packages = collection(ScreeningPackage)
  const bans = yield* Bans
  const proofs = yield* Proofs
  const { list: listAuditEvents } = yield* AuditEvents
  const { after: changesAfter } = yield* Changes
  const { list: listScans } = yield* Scans
  const tasks = yield* Tasks
  const units = yield* Units
  const fileList = yield* FileLists.make
  return [
    handlersOf(NewerSurface, "workers", {
      list: fileList("workers", Tables.workerTable, workers.list),
      read: readingHandler(workers),
      ...writingHandlers<WorkerFields, never, LinkNotFound>(workers, "workers"),
      ...restoringHandlers<WorkerFields>(workers),
      proof: proofHandler(proofs)
    }),
    handlersOf(NewerSurface, "applicants", {
      list: fileList("applicants", Tables.applicantTable, applicants.list),
      ...recordHandlers<ApplicantFields, never, LinkNotFound>(applicants, "applicants"),
      ...restoringHandlers<ApplicantFields>(applicants)
    }),
    handlersOf(NewerSurface, "exemptions", {
      list: fileList("exemptions", Tables.exemptionTable, exemptions.list),
      ...recordHandlers(exemptions, "exemptions")
    }),
    handlersOf(NewerSurface, "screeningPackages", {
      list: fileList("screening-packages", Tables.screeningPackageTable, packages.list),
      ...recordHandlers<ScreeningPackageFields, DuplicateId, never>(packages, "screening-packages")
    }),
    handlersOf(NewerSurface, "units", {
      list: fileList("units", Tables.unitTable, units.list),
      read: readingHandler(units),
      ...changingHandlers(units, "units"),
      remove: removeHandler(units.remove)
    }),
    handlersOf(NewerSurface, "bans", {
      list: fileList("bans", Tables.banTable, bans.list),
      read: readingHandler(bans),
      decidable: (call: OfOne) =>
        oneOf(call, Effect.andThen(Effect.fromResult(parseNone(call.query)), bans.bounds(call.params.id))),
      decisions: (call: OfOne) =>
        Effect.flatMap(readDecision(call), ({ value, warnings }) =>
          Effect.map(bans.decide(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
        )
    }),
    handlersOf(NewerSurface, "auditEvents", {
      list: fileList("audit-log", Tables.auditTable, listAuditEvents)
    }),
    handlersOf(NewerSurface, "changes", { list: changesHandler(changesAfter) }),
    handlersOf(NewerSurface, "tasks", {
      list: fileList("tasks", Tables.taskTable, tasks.list),
      assign: (call: OfOne) =>
        Effect.flatMap(readAssignment(call), ({ value, warnings }) =>
          Effect.map(tasks.assign(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
        )
    }),
    handlersOf(NewerSurface, "scans", { list: fileList("scans", Tables.scanTable, listScans) })
  ]
})
