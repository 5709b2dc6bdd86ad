import { verificationTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { VerificationReport } from "@wcs/domain/credential/VerificationReport"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as FileLists from "./FileLists.ts"

export const make = Effect.gen(function* () {
  const report = yield* VerificationReport
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "reports", {
    verifications: fileList("verifications", verificationTable, report.page, (query) =>
      Effect.map(report.all(query), (pages) => ({ first: [], pages }))
    )
  })
})
