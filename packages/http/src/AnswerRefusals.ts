import * as Api from "@wcs/api/Middleware"
import { ErrorCodes } from "@wcs/domain/ErrorCode"
import { fromSchemaError } from "@wcs/domain/InvalidArgument"
import { RequestId } from "@wcs/domain/RequestId"
import { Effect, Layer } from "effect"
import { HttpApiError } from "effect/http-api"
import type { Refusal } from "./RefusalText.ts"
import { answerOf, Refused } from "./Refused.ts"

/** The parts of a request that the contract's schemas decode; a response that does not encode is our failure. */
const requestParts: ReadonlyArray<string> = ["Params", "Query", "Headers", "Payload"]

export const layer: Layer.Layer<Api.AnswerRefusals, never, ErrorCodes> = Layer.effect(
  Api.AnswerRefusals,
  Effect.map(ErrorCodes, (codes) => {
    const answer = (refusal: Refusal) => Effect.map(RequestId, (requestId) => answerOf(codes, refusal, requestId))
    return (httpEffect) =>
      Effect.catch(httpEffect, (error: unknown) => {
        if (error instanceof Refused) return answer(error.refusal)
        return HttpApiError.HttpApiSchemaError.is(error) && requestParts.includes(error.kind)
          ? answer(fromSchemaError(error.cause))
          : Effect.die(error)
      })
  })
)
