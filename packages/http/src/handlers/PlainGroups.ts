import { NewerSurface } from "@wcs/api/NewerSurface"
import { AuditEvents } from "@wcs/domain/audit/AuditEvents"
import { Bans } from "@wcs/domain/credential/Bans"
import { Exemptions } from "@wcs/domain/credential/Exemptions"
import { Scans } from "@wcs/domain/legacy/Scans"
import { Applicants } from "@wcs/domain/people/Applicants"
import { Workers } from "@wcs/domain/people/Workers"
import { ScreeningPackages } from "@wcs/domain/screening/ScreeningPackages"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { collectionHandlers, listHandler, readingHandlers, writingHandlers } from "./CollectionHandlers.ts"

const workers = HttpApiBuilder.group(
  NewerSurface,
  "workers",
  Effect.fn(function* (handlers) {
    const workers = yield* Workers
    const { list, read } = readingHandlers(workers)
    const { create, patch, remove, replace } = writingHandlers(workers, "workers")
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
  })
)

const applicants = HttpApiBuilder.group(
  NewerSurface,
  "applicants",
  Effect.fn(function* (handlers) {
    const { create, list, patch, read, remove, replace } = collectionHandlers(yield* Applicants, "applicants")
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
  })
)

const exemptions = HttpApiBuilder.group(
  NewerSurface,
  "exemptions",
  Effect.fn(function* (handlers) {
    const { create, list, patch, read, remove, replace } = collectionHandlers(yield* Exemptions, "exemptions")
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
  })
)

const screeningPackages = HttpApiBuilder.group(
  NewerSurface,
  "screeningPackages",
  Effect.fn(function* (handlers) {
    const { create, list, patch, read, remove, replace } = collectionHandlers(
      yield* ScreeningPackages,
      "screening-packages"
    )
    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
  })
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
