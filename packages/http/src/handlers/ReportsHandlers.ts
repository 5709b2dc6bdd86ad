import { verificationTable } from "@wcs/api/CsvTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { VerificationReport } from "@wcs/domain/credential/VerificationReport"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as CsvLists from "./CsvLists.ts"

export const make = Effect.gen(function* () {
  const report = yield* VerificationReport
  const csvList = yield* CsvLists.make
  return handlersOf(NewerSurface, "reports", {
    verifications: csvList("verifications", verificationTable, report.page, (query) =>
      Effect.map(report.all(query), (pages) => ({ first: [], pages }))
    )
  })
})
