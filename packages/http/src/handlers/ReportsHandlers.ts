import { NewerSurface } from "@wcs/api/NewerSurface"
import { reportColumns, VerificationReport } from "@wcs/domain/credential/VerificationReport"
import { Effect } from "effect"
import type { Call } from "../pipeline/Call.ts"
import * as CsvAnswer from "../pipeline/CsvAnswer.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { pageOf } from "./CollectionHandlers.ts"

export const make = Effect.gen(function* () {
  const report = yield* VerificationReport
  const csvOf = yield* CsvAnswer.CsvFiles
  return handlersOf(NewerSurface, "reports", {
    verifications: (call: Call) => {
      call.headers["vary"] = "accept"
      return CsvAnswer.isWanted(call)
        ? csvOf(call, "verifications", reportColumns, report.all(call.query))
        : pageOf(call, report.page(call.query))
    }
  })
})
