import { verificationSourceTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import type { CollectionFull } from "@wcs/domain/resource/Resource"
import { Monitoring } from "@wcs/domain/schedule/Monitoring"
import type { VerificationSourceView } from "@wcs/domain/verification/VerificationSource"
import { VerificationSources } from "@wcs/domain/verification/VerificationSources"
import { Effect } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { type OfOne, oneOf, recordHandlers, shownOf } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"
import { wholeList } from "./WholeList.ts"

export const make = Effect.gen(function* () {
  const sources = yield* VerificationSources
  const fileList = yield* FileLists.make
  const { schedules } = yield* Monitoring
  return handlersOf(NewerSurface, "verificationSources", {
    list: fileList("verification-sources", verificationSourceTable, sources.list),
    ...recordHandlers<VerificationSourceView, CollectionFull, never>(sources, "verification-sources"),
    registers: (call: Call) => Effect.flatMap(sources.registers, (all) => wholeList(all)(call)),
    monitoring: (call: Call) => Effect.flatMap(schedules, (all) => wholeList(all)(call)),
    pause: (call: OfOne) => shownOf(call, sources.pause(call.params.id)),
    resume: (call: OfOne) => shownOf(call, sources.resume(call.params.id)),
    test: (call: OfOne) => oneOf(call, sources.test(call.params.id))
  })
})
