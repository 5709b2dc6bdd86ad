import type { Endpoint } from "@wcs/api/Endpoints"
import type { EntityTag } from "@wcs/domain/resource/EntityTag"
import { checkPrecondition, isAny, isNamed, Precondition, parseTags } from "@wcs/domain/resource/Precondition"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Effect, Result } from "effect"
import type { Call } from "../pipeline/Call.ts"

const tagsIn = (name: string, text: string | undefined) =>
  text === undefined ? Result.succeed(undefined) : parseTags(name, text)

/** Reads the condition of a call, for the decision on its write. */
const readCondition = (call: Call) => {
  const { "if-match": match, "if-none-match": noneMatch } = call.request.headers
  if (match === undefined && noneMatch === undefined) return Effect.void
  return Effect.fromResult(
    Result.gen(function* () {
      const matching = yield* tagsIn("If-Match", match)
      const excluded = yield* tagsIn("If-None-Match", noneMatch)
      call.provide(Precondition, {
        ...(matching === undefined ? {} : { match: matching }),
        ...(excluded === undefined ? {} : { noneMatch: excluded })
      })
    })
  )
}

const unsupported = new InvalidArgument({
  field: "If-Match",
  reason: "is not supported by this call, which has no ETag to compare: send the call without If-Match"
})

/** Refuses tags where there is none. To ignore them would act although none matches (RFC 9110, section 13.1.1). */
const refuseTags = ({ request }: Call) => {
  const { "if-match": match } = request.headers
  return match === undefined || isAny(match) ? Effect.void : Effect.fail(unsupported)
}

/** Returns the step for the conditions of an endpoint. Reads with a tag have none: `comparing` compares their tag. */
export const stepOf = ({ guard, method, tags }: Pick<Endpoint, "guard" | "method" | "tags">) => {
  if (guard === undefined || (method === "GET" && tags.isShown)) return undefined
  return tags.isCompared ? readCondition : refuseTags
}

/** Fails unless the tag of a read is in `If-Match` (RFC 9110, section 13.1.1). Answers with `include` have none. */
const requireMatch = (call: Call, match: string, tag: EntityTag | undefined) =>
  tag === undefined
    ? refuseTags(call)
    : Effect.fromResult(
        Result.flatMap(parseTags("If-Match", match), (tags) => checkPrecondition({ match: tags }, () => tag.text))
      )

/** Compares `If-Match` with the tag of a read, if the call has the header. */
export const comparing = <A extends { readonly tag?: EntityTag | undefined }, E, R>(
  call: Call,
  read: Effect.Effect<A, E, R>
) => {
  const { "if-match": match } = call.request.headers
  return match === undefined ? read : Effect.tap(read, ({ tag }) => requireMatch(call, match, tag))
}

/** Whether a read may be answered with 304, because the caller has the same document (RFC 9110, section 13.1.2). */
export const isUnmodified = ({ request }: Call, tag: EntityTag | undefined): boolean => {
  const { "if-none-match": text } = request.headers
  if (text === undefined || tag?.isWhole !== true) return false
  return isNamed(Result.getOrUndefined(parseTags("If-None-Match", text)), tag.text)
}
