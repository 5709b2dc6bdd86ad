import { type Effect, Predicate, type Schema } from "effect"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import { AdminApi } from "./AdminApi.ts"

/** Sends commands, one method for each, through an `HttpClient`. */
export const make = HttpApiClient.make(AdminApi, { baseUrl: "http://admin" })
export type AdminClient = Effect.Success<typeof make>

/** The failure of the socket. Undefined if the socket worked. */
const causeOf = ({ reason }: HttpClientError.HttpClientError): unknown =>
  reason._tag === "TransportError" ? reason.cause : undefined

const hasCode = (cause: unknown, ...codes: ReadonlyArray<string>): boolean =>
  Predicate.hasProperty(cause, "code") && codes.some((code) => cause.code === code)

/** Whether no server listens on the socket. */
export const isNobody = (error: unknown): error is HttpClientError.HttpClientError =>
  HttpClientError.isHttpClientError(error) && hasCode(causeOf(error), "ENOENT", "ECONNREFUSED", "ENOTDIR")

/** Why the server sent no valid result. `socketFailed` describes another failure of the socket. */
export const brokenAnswer = (
  error: HttpClientError.HttpClientError | Schema.SchemaError,
  socketFailed: (cause: unknown) => string
): string => {
  if (error._tag === "SchemaError") return "the server has another version than this command; use the same version"
  if (error.response?.status === 500) return "internal error of the server; see its log"
  const cause = causeOf(error)
  return cause === undefined || hasCode(cause, "ECONNRESET", "EPIPE")
    ? "the server stopped before it answered; try again"
    : socketFailed(cause)
}
