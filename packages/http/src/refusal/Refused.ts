import type { WireError } from "@wcs/api/WireError"
import type { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { HttpServerResponse } from "effect/http"
import { headersOf, type Refusal, textOf } from "./RefusalText.ts"

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
