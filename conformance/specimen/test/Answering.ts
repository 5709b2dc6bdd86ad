import type { Json } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import * as Rewrite from "./seams/Rewrite.ts"

// Replaces the content of answers but keeps their headers. A defect in the body then does not affect request ids or
// rate limits.

const requestIdOf = ({ headers }: Answer): string => headers["x-request-id"] ?? ""

/** A refusal in the envelope, with the headers of an answer. */
export const refusal = (answer: Answer, status: number, code: string, message: string): Answer =>
  Rewrite.withHeader(
    Rewrite.withJson({ ...answer, status }, { error: { code, message, requestId: requestIdOf(answer) } }),
    "content-type",
    "application/json"
  )

/** A success in the envelope, with the headers of an answer. */
export const success = (answer: Answer, status: number, data: Json): Answer =>
  Rewrite.withHeader(
    Rewrite.withJson({ ...answer, status }, { data, meta: { requestId: requestIdOf(answer) } }),
    "content-type",
    "application/json"
  )
