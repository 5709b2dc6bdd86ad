import { fromSchemaError } from "@wcs/domain/shared/InvalidArgument"
import { Effect, Result, Schema } from "effect"
import type { Step } from "../pipeline/Endpoints.ts"

/** Returns the check of parameters by a schema. The schemas of the contract need no services. */
const checkBy = (query: Schema.Top) => {
  const decode = Schema.decodeUnknownResult(Schema.toCodecArrayFromSingle(query as Schema.Codec<unknown>))
  const check = (parameters: unknown) => {
    const decoded = decode(parameters)
    return Result.isFailure(decoded) ? Effect.fail(fromSchemaError(decoded.failure)) : Effect.void
  }
  return { check, withoutParameters: check({}) }
}

/** Refuses query parameters that the endpoint's schema does not allow. */
export const checkParameters: Step = ({ query }) => {
  if (query === undefined) return () => Effect.void
  let made: ReturnType<typeof checkBy> | undefined
  return (call) => {
    made ??= checkBy(query) // at the first call, because the parsers of all endpoints would delay the start
    return call.request.url.includes("?") ? made.check(call.query) : made.withoutParameters
  }
}
