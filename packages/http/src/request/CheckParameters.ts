import { fromSchemaError } from "@wcs/domain/shared/InvalidArgument"
import { Effect, Result, Schema } from "effect"
import type { Step } from "../pipeline/Endpoints.ts"

/** Refuses query parameters that the endpoint's schema does not allow. */
export const checkParameters: Step = ({ query }) => {
  if (query === undefined) return () => Effect.void
  // The schemas of the contract need no services.
  const decode = Schema.decodeUnknownResult(Schema.toCodecArrayFromSingle(query as Schema.Codec<unknown>))
  const fault = (parameters: unknown) => {
    const decoded = decode(parameters)
    return Result.isFailure(decoded) ? Effect.fail(fromSchemaError(decoded.failure)) : Effect.void
  }
  const withoutParameters = fault({})
  return (call) => (call.request.url.includes("?") ? fault(call.query) : withoutParameters)
}
