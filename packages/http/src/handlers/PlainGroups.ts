import { NewerSurface } from "@wcs/api/NewerSurface"
import { AuditEvents } from "@wcs/domain/audit/AuditEvents"
import { Bans } from "@wcs/domain/credential/Bans"
import { Exemptions } from "@wcs/domain/credential/Exemptions"
import { Scans } from "@wcs/domain/legacy/Scans"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Workers } from "@wcs/domain/people/Workers"
import { Resources } from "@wcs/domain/resource/Resources"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import {
  collectionHandlers,
  crudHandlers,
  listHandler,
  readingHandlers,
  writingHandlers
} from "./CollectionHandlers.ts"

const applicants = HttpApiBuilder.group(NewerSurface, "applicants", (handlers) =>
  Effect.map(Resources, ({ collection }) =>
    crudHandlers(handlers, collectionHandlers(collection(Applicant), "applicants"))
  )
)

const screeningPackages = HttpApiBuilder.group(NewerSurface, "screeningPackages", (handlers) =>
  Effect.map(Resources, ({ collection }) =>
    crudHandlers(handlers, collectionHandlers(collection(ScreeningPackage), "screening-packages"))
  )
)

const workers = HttpApiBuilder.group(NewerSurface, "workers", (handlers) =>
  Effect.map(Workers, (workers) =>
    crudHandlers(handlers, { ...readingHandlers(workers), ...writingHandlers(workers, "workers") })
  )
)

const exemptions = HttpApiBuilder.group(NewerSurface, "exemptions", (handlers) =>
  Effect.map(Exemptions, (exemptions) => crudHandlers(handlers, collectionHandlers(exemptions, "exemptions")))
)

const bans = HttpApiBuilder.group(
  NewerSurface,
  "bans",
  Effect.fn(function* (handlers) {
    const { list, read } = readingHandlers(yield* Bans)
    return handlers.handle("list", list).handle("read", read)
  })
)

const auditEvents = HttpApiBuilder.group(
  NewerSurface,
  "auditEvents",
  Effect.fn(function* (handlers) {
    const { list } = yield* AuditEvents
    return handlers.handle("list", listHandler(list))
  })
)

const scans = HttpApiBuilder.group(
  NewerSurface,
  "scans",
  Effect.fn(function* (handlers) {
    const { list } = yield* Scans
    return handlers.handle("list", listHandler(list))
  })
)

/** The groups with only standard endpoints (§4.2). */
export const layer = Layer.mergeAll(workers, applicants, exemptions, screeningPackages, bans, auditEvents, scans)
