import type { LegacyError } from "@wcs/api/legacy/LegacyError"
import { legacyRoot } from "@wcs/api/legacy/LegacySurface"
import { newerRoot } from "@wcs/api/NewerSurface"
import type { LegacyScheme } from "@wcs/domain/legacy/LegacyAccess"
import { type ErrorCodes, type Refusal, textOf } from "@wcs/domain/service/Refusals"
import type { ErrorCode } from "@wcs/domain/shared/ErrorCode"
import { HttpServerResponse } from "effect/http"
import { answerOf, envelope, headersOf } from "./refusal/Refused.ts"

/** The error form of a path. The token endpoint has its own. */
export type Surface = "newer" | "token" | "legacy" | "outside"

const tokenPath = `${newerRoot}/oauth/token`
const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** Returns the surface of a path (§4). */
export const surfaceOf = (path: string): Surface => {
  if (path === tokenPath || path === `${tokenPath}/`) return "token"
  if (isBelow(path, newerRoot)) return "newer"
  return isBelow(path, legacyRoot) ? "legacy" : "outside"
}

const tokenErrors: Partial<Record<ErrorCode, string>> = {
  INTERNAL: "server_error",
  TOO_MANY_REQUESTS: "temporarily_unavailable",
  UNAVAILABLE: "temporarily_unavailable"
}

/** `{ error, error_description }` (§7.2; RFC 6749, section 5.2). */
export const tokenError = (
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error, error_description: description },
    { status, headers: { ...headers, "cache-control": "no-store", pragma: "no-cache" } }
  )

/** `{ status, message, field }` (§7.3). */
const legacyError = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  field: string | null = null
) => HttpServerResponse.jsonUnsafe({ status, message, field } satisfies LegacyError, { status, headers })

/** The `field` of a legacy error. */
const legacyFieldOf = (refusal: Refusal): string | null => {
  switch (refusal._tag) {
    case "InvalidArgument":
      return refusal.field === "" ? null : refusal.field
    case "AccountUnverified":
    case "OtherOrganization":
    case "Forbidden":
      return "authorization"
    default:
      return null
  }
}

/** The legacy surface also answers 404 if only the method is wrong (§4.1). */
const legacyTextOf = (refusal: Refusal): string =>
  refusal._tag === "UnknownPath" ? "There is nothing at this path for this method." : textOf(refusal)

const challenges: Readonly<Record<LegacyScheme, string>> = {
  Basic: 'Basic realm="wcs", charset="UTF-8"', // RFC 7617, section 2.1
  Bearer: 'Bearer realm="wcs"'
}

/** The 401 (§5.1, item 5), with a challenge for each scheme that the call accepts. */
export const legacyUnauthorized = (schemes: ReadonlyArray<LegacyScheme>) =>
  legacyError(
    401,
    `Authentication is missing or not valid. This call accepts ${schemes.join(" or ")} authentication.`,
    { "www-authenticate": schemes.map((scheme) => challenges[scheme]).join(", ") },
    "authentication"
  )

/** Builds the response to a refusal in the error form of the surface. */
export const answerOn = (
  surface: Surface,
  codes: ErrorCodes["Service"],
  refusal: Refusal,
  requestId: string
): HttpServerResponse.HttpServerResponse => {
  const code = codes.codeOf(refusal._tag)
  switch (surface) {
    case "token":
      return tokenError(
        codes.statusOf(code),
        tokenErrors[code] ?? "invalid_request",
        textOf(refusal),
        headersOf(refusal)
      )
    case "legacy":
      return legacyError(codes.statusOf(code), legacyTextOf(refusal), headersOf(refusal), legacyFieldOf(refusal))
    case "newer":
    case "outside":
      return answerOf(codes, refusal, requestId)
  }
}

const unexpected = "Internal error of the service. Try again later, or report the request id."

/** Builds the response to an internal error, without details (ENV-18). */
export const failureOn = (surface: Surface, requestId: string): HttpServerResponse.HttpServerResponse => {
  switch (surface) {
    case "token":
      return tokenError(500, "server_error", unexpected)
    case "legacy":
      return legacyError(500, unexpected)
    case "newer":
    case "outside":
      return envelope(500, { code: "INTERNAL", message: unexpected, requestId })
  }
}
