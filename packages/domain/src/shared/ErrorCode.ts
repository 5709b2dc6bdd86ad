/** What a program may do after an error. */
type Next =
  /** Send a corrected call. The same call fails again. */
  | "correct"
  /** Read the resource, because its state is not what the call assumed. Then decide again. */
  | "read again"
  /** Send the same call again after `Retry-After`, if the call may be repeated. */
  | "send again"
  /** Nothing: a person must act. */
  | "ask"

/** A row of the table of error codes. */
interface Row {
  readonly status: number
  readonly next: Next
  /** When a call gets the code, for the API reference. */
  readonly when: string
  /** Advice to the caller. */
  readonly remedy: string
}

/**
 * Each error code (§7.1). The rows from `METHOD_NOT_ALLOWED` are for statuses that the specification's table lacks
 * (DECISIONS.md#resources). Each of these statuses has one code.
 */
export const table = {
  INVALID_ARGUMENT: {
    status: 400,
    next: "correct",
    when: "A field or a query parameter is missing, malformed or not allowed.",
    remedy: "Correct the field that the message names, then send the request again."
  },
  BAD_REQUEST: {
    status: 400,
    next: "correct",
    when: "The body cannot be parsed, the request is not valid HTTP, or it was sent without TLS.",
    remedy: "Send valid JSON over HTTPS."
  },
  INVALID_URN: {
    status: 400,
    next: "correct",
    when: "The id in the path is not a URN of this service.",
    remedy: "Use an id that the list returned."
  },
  FORBIDDEN: {
    status: 403,
    next: "ask",
    when: "The account lacks a privilege. The message names the operation and the account.",
    remedy: "Ask an administrator for the privilege. Another token of the same account does not help."
  },
  NOT_FOUND: {
    status: 404,
    next: "correct",
    when: "The resource does not exist or is deleted, or no tenant uses this host.",
    remedy: "Check the id and the host. `includeDeleted=true` also finds deleted items."
  },
  ALREADY_LINKED: {
    status: 409,
    next: "read again",
    when: "The slot holds another owner. The message names the owner.",
    remedy: "Read the credential. To replace the owner, use transfer."
  },
  OWNER_MISMATCH: {
    status: 409,
    next: "read again",
    when: "The owner in `from` does not hold the credential. The message names the current owner.",
    remedy: "Read the credential, then send its current owner as `from`."
  },
  DUPLICATE_ID: {
    status: 409,
    next: "correct",
    when: "The code is in use or was used before, also by a deleted item.",
    remedy: "Choose another code, or change the existing item."
  },
  UNPROCESSABLE: {
    status: 422,
    next: "correct",
    when: "The request is well-formed but breaks a business rule. The message names the rule.",
    remedy: "Change the request or the stored data: the section *Errors* lists the rules. The same request fails again."
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    next: "send again",
    when: "The rate limit is used up.",
    remedy: "Wait for the seconds in `Retry-After`, then send the request again."
  },
  INTERNAL: {
    status: 500,
    next: "send again",
    when: "The service failed unexpectedly.",
    remedy:
      "Retry calls that may be repeated. After a create, first check whether the item exists. Report the `requestId`."
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    next: "correct",
    when: "The path does not support this method.",
    remedy: "Use a method of the `Allow` header."
  },
  REQUEST_TIMEOUT: {
    status: 408,
    next: "correct",
    when: "The headers or the body arrived too slowly.",
    remedy: "Send the request again over a faster connection, or in smaller parts."
  },
  POSITION_UNKNOWN: {
    status: 410,
    next: "read again",
    when: "The store does not know the position in `after`, for example after a restore of an older backup.",
    remedy: "Get a new position with `after=now`, make a full copy, and follow the changes from the new position."
  },
  PRECONDITION_FAILED: {
    status: 412,
    next: "read again",
    when: "The resource has another `ETag` than `If-Match` requires: it was changed since it was read.",
    remedy: "Read the resource again, decide again, then send its present `ETag`."
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    next: "correct",
    when: "The body is too large.",
    remedy: "Send less in one request, for example smaller batches."
  },
  URI_TOO_LONG: {
    status: 414,
    next: "correct",
    when: "The path and the query together exceed 8 KiB.",
    remedy: "Use fewer or shorter parameters."
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    next: "correct",
    when: "The operation does not accept this `Content-Type`, its charset, or a compressed body.",
    remedy: "Send uncompressed `application/json` in UTF-8, or one of the types that the operation lists."
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    next: "correct",
    when: "The headers exceed 16 KiB.",
    remedy: "Send fewer or shorter headers."
  },
  UNAVAILABLE: {
    status: 503,
    next: "send again",
    when: "The service is overloaded, or its database is unavailable.",
    remedy: "Wait for the seconds in `Retry-After`, then send the request again."
  }
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof table
export const errorCodes = Object.keys(table) as ReadonlyArray<ErrorCode>

/** Returns the only status of a code (ENV-03). */
export const statusOf = (code: ErrorCode): number => table[code].status
