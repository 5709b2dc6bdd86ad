import type { ErrorCode } from "./Contract.ts"

/** An answer that is not a success, or no answer at all (`status` 0). */
export class Refusal extends Error {
  readonly status: number
  /** The error code of the API, such as `ALREADY_LINKED`; empty without one. */
  readonly code: string
  readonly requestId: string
  /** Seconds until another attempt makes sense, or null. */
  readonly retryAfterSeconds: number | null
  /** Whether the call needs a more recent login (RFC 9470). */
  readonly needsStepUp: boolean

  constructor(facts: Pick<Refusal, "status" | "code" | "message" | "requestId" | "retryAfterSeconds" | "needsStepUp">) {
    super(facts.message)
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.needsStepUp = facts.needsStepUp
  }
}

/** A refusal that is no answer of the server. */
export const withoutAnswer = (message: string): Refusal =>
  new Refusal({ status: 0, code: "", message, requestId: "", retryAfterSeconds: null, needsStepUp: false })

/** The refusal of a call that got no answer. */
export const noAnswer = (error: unknown): Refusal =>
  withoutAnswer(
    error instanceof DOMException && error.name === "TimeoutError"
      ? "The server did not answer in time. Try again."
      : "The server cannot be reached. Check your connection and try again."
  )

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Words for people, where those of the API are for programs. */
const wordsByCode: { readonly [Code in ErrorCode]?: string } = {
  PRECONDITION_FAILED: "Somebody else has changed this meanwhile. Look at the present values, then save again."
}

/** Returns the refusal in a response with its parsed body. A 401 is raised before the envelope is built (§7). */
export const refusalOf = (response: Pick<Response, "headers" | "status">, body: unknown): Refusal => {
  const envelope = objectOf(body)
  const error = objectOf(envelope["error"])
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN)
  return new Refusal({
    status: response.status,
    code: textOf(error["code"]),
    message:
      wordsByCode[textOf(error["code"]) as ErrorCode] ||
      textOf(error["message"]) ||
      textOf(envelope["message"]) ||
      `The server answered with status ${response.status}.`,
    requestId: textOf(error["requestId"]) || (response.headers.get("x-request-id") ?? ""),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    needsStepUp: (response.headers.get("www-authenticate") ?? "").includes("insufficient_user_authentication")
  })
}

/** Whether the session has ended: every further call would be refused too. */
export const isLoggedOut = (error: unknown): boolean =>
  error instanceof Refusal && error.status === 401 && !error.needsStepUp
