import * as Legacy from "@wcs/api/LegacyMiddleware"
import * as Api from "@wcs/api/Middleware"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { fromSchemaError } from "@wcs/domain/shared/InvalidArgument"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Layer } from "effect"
import { HttpApiError } from "effect/http-api"
import { answerOn } from "../Surface.ts"
import type { Refusal } from "./RefusalText.ts"
import { Refused } from "./Refused.ts"

/** The parts of a request that schemas decode. An error in any other part is an internal error. */
const requestParts: ReadonlyArray<string> = ["Params", "Query", "Headers", "Payload"]

/** The refusal in an error of an endpoint. Undefined for internal errors. */
const refusalOf = (error: unknown): Refusal | undefined => {
  if (error instanceof Refused) return error.refusal
  return HttpApiError.HttpApiSchemaError.is(error) && requestParts.includes(error.kind)
    ? fromSchemaError(error.cause)
    : undefined
}

const answering = (surface: "newer" | "legacy") =>
  Effect.map(
    ErrorCodes,
    (codes) =>
      <A, R>(httpEffect: Effect.Effect<A, unknown, R>) =>
        Effect.catch(httpEffect, (error) => {
          const refusal = refusalOf(error)
          return refusal === undefined
            ? Effect.die(error)
            : Effect.map(RequestId, (requestId) => answerOn(surface, codes, refusal, requestId))
        })
  )

/** Answers refusals and invalid parameters on the newer surface. */
export const layer: Layer.Layer<Api.AnswerRefusals, never, ErrorCodes> = Layer.effect(
  Api.AnswerRefusals,
  answering("newer")
)

/** Answers invalid parameters on the legacy surface. Its handlers answer refusals themselves. */
export const layerLegacy: Layer.Layer<Legacy.AnswerUnreadable, never, ErrorCodes> = Layer.effect(
  Legacy.AnswerUnreadable,
  answering("legacy")
)
