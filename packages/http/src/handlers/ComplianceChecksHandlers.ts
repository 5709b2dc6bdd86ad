import { complianceCheckTable, matrixTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Resources } from "@wcs/domain/crud/Resources"
import type { DuplicateId } from "@wcs/domain/resource/Resource"
import { ComplianceCheck, type ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import { ComplianceEvaluation, EvaluationRequest } from "@wcs/domain/screening/ComplianceEvaluation"
import { ComplianceMatrix } from "@wcs/domain/screening/ComplianceMatrix"
import { Effect } from "effect"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { type OfOne, pageOf, recordHandlers } from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

/** Without a body, all workers are evaluated. */
const readRequest = JsonBody.readOptionalAs(EvaluationRequest)

export const make = Effect.gen(function* () {
  const { evaluate } = yield* ComplianceEvaluation
  const matrix = yield* ComplianceMatrix
  const { collection } = yield* Resources
  const checks = collection(ComplianceCheck)
  const fileList = yield* FileLists.make
  return handlersOf(NewerSurface, "complianceChecks", {
    list: fileList("compliance-checks", complianceCheckTable, checks.list),
    ...recordHandlers<ComplianceCheckFields, DuplicateId, never>(checks, "compliance-checks"),
    matrix: fileList("compliance-matrix", matrixTable, matrix.read),
    evaluate: (call: OfOne) =>
      pageOf(
        call,
        Effect.gen(function* () {
          const { value, warnings } = yield* readRequest(call)
          const { items, ...page } = yield* evaluate(call.params.id, call.query, value)
          return { ...page, documents: items, total: undefined, warnings: [...warnings, ...page.warnings] }
        })
      )
  })
})
