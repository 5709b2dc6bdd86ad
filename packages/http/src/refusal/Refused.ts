import type { WireError } from "@wcs/api/WireError"
import { codeOf, type ErrorCode, type ErrorCodes, type table } from "@wcs/domain/shared/ErrorCode"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { headersOf, type Refusal, textOf } from "./RefusalText.ts"

/** The error code of a refusal with this tag. */
type CodeOf<Tag extends Refusal["_tag"]> = {
  [Code in ErrorCode]: Tag extends (typeof table)[Code]["raisedBy"][number] ? Code : never
}[ErrorCode]

/** The union of `Refused` over the codes. */
type RefusedFor<Code extends ErrorCode> = Code extends ErrorCode ? Refused<Code> : never

/** A refusal typed by its error code. An endpoint that does not declare the code does not compile. */
export class Refused<Code extends ErrorCode = ErrorCode> implements WireError<Code> {
  readonly error: WireError<Code>["error"]
  /** `AnswerRefusals` builds the response from this refusal. */
  readonly refusal: Refusal

  constructor(error: WireError<Code>["error"], refusal: Refusal) {
    this.error = error
    this.refusal = refusal
  }
}

/** Builds the response `{ error: { code, message, requestId } }` with a status (§7.1). */
export const envelope = (
  status: number,
  error: WireError["error"],
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse => HttpServerResponse.jsonUnsafe({ error }, { status, headers })

/** Builds the response to a refusal, with status, code and message (§7.1). */
export const answerOf = (codes: ErrorCodes["Service"], refusal: Refusal, requestId: string) => {
  const code = codes.codeOf(refusal._tag)
  return envelope(codes.statusOf(code), { code, message: textOf(refusal), requestId }, headersOf(refusal))
}

/** Converts the refusals of an effect to `Refused`. */
export const refusing = <A, E extends Refusal, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, RefusedFor<CodeOf<E["_tag"]>>, R | RequestId> =>
  Effect.catch(self, (refusal) =>
    Effect.flatMap(RequestId, (requestId) => {
      const code = codeOf(refusal._tag) as CodeOf<E["_tag"]>
      const refused = new Refused({ code, message: textOf(refusal), requestId }, refusal)
      return Effect.fail(refused as RefusedFor<CodeOf<E["_tag"]>>)
    })
  )
