import { NewerSurface } from "@wcs/api/NewerSurface"
import { Resources } from "@wcs/domain/resource/Resources"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { ComplianceEvaluation, EvaluationRequest } from "@wcs/domain/screening/ComplianceEvaluation"
import { ComplianceMatrix } from "@wcs/domain/screening/ComplianceMatrix"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { collectionHandlers, crudHandlers, listHandler } from "./CollectionHandlers.ts"

/** Without a body, all workers are evaluated. */
const readRequest = JsonBody.readOptionalAs(EvaluationRequest)

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "complianceChecks",
  Effect.fn(function* (handlers) {
    const { evaluate } = yield* ComplianceEvaluation
    const matrix = yield* ComplianceMatrix
    const { collection } = yield* Resources

    const evaluateBy = Effect.fnUntraced(function* (code: string) {
      const request = yield* readRequest
      const query = yield* HttpServerRequest.ParsedSearchParams
      const { items, nextCursor, pageSize, warnings: judged } = yield* evaluate(code, query, request.value)
      const warnings = [...request.warnings, ...judged]
      const meta = {
        requestId: yield* RequestId,
        pageSize,
        nextCursor,
        ...(warnings.length === 0 ? {} : { warnings })
      }
      return HttpServerResponse.jsonUnsafe({ data: items, meta })
    })

    return crudHandlers(handlers, collectionHandlers(collection(ComplianceCheck), "compliance-checks"))
      .handle("matrix", listHandler(matrix.read))
      .handleRaw("evaluate", ({ params }) => refusing(evaluateBy(params.id)))
  })
)
