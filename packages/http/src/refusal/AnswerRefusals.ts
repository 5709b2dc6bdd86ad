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

/** The parts of a request that the contract's schemas decode; a response that does not encode is our failure. */
const requestParts: ReadonlyArray<string> = ["Params", "Query", "Headers", "Payload"]

/** What a failure of an endpoint refuses; none where it is a failure of ours. */
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

export const layer: Layer.Layer<Api.AnswerRefusals, never, ErrorCodes> = Layer.effect(
  Api.AnswerRefusals,
  answering("newer")
)

/** The same on the legacy surface, whose handlers answer what they refuse by themselves. */
export const layerLegacy: Layer.Layer<Legacy.AnswerUnreadable, never, ErrorCodes> = Layer.effect(
  Legacy.AnswerUnreadable,
  answering("legacy")
)
