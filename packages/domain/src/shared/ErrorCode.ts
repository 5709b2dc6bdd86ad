import { Context, Layer } from "effect"

/** A row of the table of error codes. */
interface Row {
  readonly status: number
  /** When a call gets the code, for the API reference. */
  readonly when: string
  /** Advice to the caller. */
  readonly remedy: string
  /** The tags of the domain errors that the code stands for. */
  readonly raisedBy: ReadonlyArray<string>
}

/**
 * Each error code (§7.1). The rows from `METHOD_NOT_ALLOWED` are for statuses that the specification's table lacks
 * (DECISIONS.md#resources). Each of these statuses has one code.
 */
export const table = {
  INVALID_ARGUMENT: {
    status: 400,
    when: "A field or a query parameter is missing, malformed or not allowed.",
    remedy: "Correct the field that the message names, then send the request again.",
    raisedBy: ["InvalidArgument", "MalformedCredentialId"]
  },
  BAD_REQUEST: {
    status: 400,
    when: "The body cannot be parsed, the request is not valid HTTP, or it was sent without TLS.",
    remedy: "Send valid JSON over HTTPS.",
    raisedBy: ["MalformedBody", "MalformedRequest", "InsecureTransport"]
  },
  INVALID_URN: {
    status: 400,
    when: "The id in the path is not a URN of this service.",
    remedy: "Use an id that the list returned.",
    raisedBy: ["InvalidUrn"]
  },
  FORBIDDEN: {
    status: 403,
    when: "The account lacks a privilege. The message names the operation and the account.",
    remedy: "Ask an administrator for the privilege. Another token of the same account does not help.",
    raisedBy: ["Forbidden", "NotInviter", "AccountUnverified", "OtherOrganization"]
  },
  NOT_FOUND: {
    status: 404,
    when: "The resource does not exist or is deleted, or no tenant uses this host.",
    remedy: "Check the id and the host. `includeDeleted=true` also finds deleted items.",
    raisedBy: ["ResourceNotFound", "CredentialNotFound", "DeliveryNotFound", "UnknownHost", "UnknownPath", "NoSuchUser"]
  },
  ALREADY_LINKED: {
    status: 409,
    when: "The slot holds another owner. The message names the owner.",
    remedy: "Read the credential. To replace the owner, use transfer.",
    raisedBy: ["AlreadyLinked"]
  },
  OWNER_MISMATCH: {
    status: 409,
    when: "The owner in `from` does not hold the credential. The message names the current owner.",
    remedy: "Read the credential, then send its current owner as `from`.",
    raisedBy: ["OwnerMismatch"]
  },
  DUPLICATE_ID: {
    status: 409,
    when: "The code is in use or was used before, also by a deleted item.",
    remedy: "Choose another code, or change the existing item.",
    raisedBy: ["DuplicateId"]
  },
  UNPROCESSABLE: {
    status: 422,
    when: "The request is well-formed but breaks a business rule. The message names the rule.",
    remedy:
      "Change the request or the stored data: the section *Errors* lists the rules. The same request fails again.",
    raisedBy: [
      "LastOwner",
      "OwnerNotFound",
      "LinkNotFound",
      "TooManySelected",
      "CollectionFull",
      "CheckDisabled",
      "PackageInactive",
      "InvitationClosed",
      "NotVerifiable",
      "TooManyWaiting",
      "NoReviewWaiting",
      "WebhookInactive",
      "SecretsFull",
      "BreakGlassMissing",
      "NotAUser",
      "OutlivesMaker",
      "MakerEnded",
      "EmailTaken",
      "AlreadyJoined",
      "LastSuperAdmin",
      "NotASession"
    ]
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    when: "The rate limit is used up.",
    remedy: "Wait for the seconds in `Retry-After`, then send the request again.",
    raisedBy: ["RateLimited"]
  },
  INTERNAL: {
    status: 500,
    when: "The service failed unexpectedly.",
    remedy:
      "Retry calls that may be repeated. After a create, first check whether the item exists. Report the `requestId`.",
    raisedBy: ["ItemBroken"]
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: "The path does not support this method.",
    remedy: "Use a method of the `Allow` header.",
    raisedBy: ["MethodNotAllowed"]
  },
  REQUEST_TIMEOUT: {
    status: 408,
    when: "The headers or the body arrived too slowly.",
    remedy: "Send the request again over a faster connection, or in smaller parts.",
    raisedBy: ["RequestTimeout"]
  },
  POSITION_UNKNOWN: {
    status: 410,
    when: "The store does not know the position in `after`, for example after a restore of an older backup.",
    remedy: "Get a new position with `after=now`, make a full copy, and follow the changes from the new position.",
    raisedBy: ["PositionUnknown"]
  },
  PRECONDITION_FAILED: {
    status: 412,
    when: "The resource has another `ETag` than `If-Match` requires: it was changed since it was read.",
    remedy: "Read the resource again, decide again, then send its present `ETag`.",
    raisedBy: ["PreconditionFailed"]
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    when: "The body is too large.",
    remedy: "Send less in one request, for example smaller batches.",
    raisedBy: ["PayloadTooLarge"]
  },
  URI_TOO_LONG: {
    status: 414,
    when: "The path and the query together exceed 8 KiB.",
    remedy: "Use fewer or shorter parameters.",
    raisedBy: ["UriTooLong"]
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: "The operation does not accept this `Content-Type`, its charset, or a compressed body.",
    remedy: "Send uncompressed `application/json` in UTF-8, or one of the types that the operation lists.",
    raisedBy: ["UnsupportedMediaType"]
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    when: "The headers exceed 16 KiB.",
    remedy: "Send fewer or shorter headers.",
    raisedBy: ["HeadersTooLarge"]
  },
  UNAVAILABLE: {
    status: 503,
    when: "The service is overloaded, or its database is unavailable.",
    remedy: "Wait for the seconds in `Retry-After`, then send the request again.",
    raisedBy: ["Unavailable", "PasswordsBusy"]
  }
} as const satisfies Record<string, Row>

/** The business rules of `UNPROCESSABLE`, by the domain error of a call that breaks them, for the API reference. */
export const businessRules = {
  LastOwner: {
    when: "The credential would lose its only owner.",
    remedy: "Link another owner first, or delete the credential."
  },
  OwnerNotFound: {
    when: "The new owner does not exist or is deleted.",
    remedy: "Create the worker or applicant first."
  },
  LinkNotFound: {
    when: "A record that the body refers to does not exist or is deleted, or several have the `externalId`.",
    remedy: "Correct the reference. If several records have the `externalId`, send the id."
  },
  TooManySelected: {
    when: "A bulk call without `credentialIds` selects more credentials than one call may change.",
    remedy: "Send batches of ids in `credentialIds`."
  },
  CollectionFull: {
    when: "The maximum number of webhooks, identity providers, API clients, tokens or users is reached.",
    remedy: "Delete one first, or ask the operator for a higher limit."
  },
  CheckDisabled: {
    when: "The compliance check is disabled.",
    remedy: "Set `enabled` of the compliance check to true."
  },
  PackageInactive: {
    when: "The screening package is inactive.",
    remedy: "Use an active package, or set `active` of the package to true."
  },
  InvitationClosed: {
    when: "The status of the recruitment check or fetch request does not allow the action.",
    remedy: "If the status is `EXPIRED`, use `resend`. Other statuses are final: create a new item."
  },
  NotVerifiable: {
    when: "No register covers the type of the credential.",
    remedy: "Verify only types that are `verifiable` in `GET /credential-types`."
  },
  TooManyWaiting: {
    when: "The credential has the maximum number of pending verifications.",
    remedy: "Wait for a verdict before you retry."
  },
  NoReviewWaiting: {
    when: "The credential does not wait for a manual review.",
    remedy: "Read the credential: somebody may have decided already."
  },
  WebhookInactive: {
    when: "The webhook is disabled.",
    remedy: "Enable the webhook first."
  },
  SecretsFull: {
    when: "The webhook has the maximum number of valid signing secrets.",
    remedy: "Rotate again after the time in the message."
  },
  BreakGlassMissing: {
    when: "Single sign-on would be required, and the caller could not log in without the provider.",
    remedy: "Set up a password and a second factor as a Super Admin first."
  },
  NotAUser: {
    when: "A service account cannot create tokens or API clients.",
    remedy: "Use a token of a user."
  },
  OutlivesMaker: {
    when: "The new token would outlive the token of the call.",
    remedy: "Send a smaller `expiresInSeconds`, or omit the field."
  },
  MakerEnded: {
    when: "The token of the call ended during the call. Nothing was created.",
    remedy: "Repeat the call with a new token."
  },
  EmailTaken: {
    when: "The organization already has a user with this email.",
    remedy: "Change that user, or send another email."
  },
  AlreadyJoined: {
    when: "The user has joined or is deactivated, so the user needs no invite link.",
    remedy: "Activate a deactivated user. Other users can log in. An operator can set a new password."
  },
  LastSuperAdmin: {
    when: "The user is the last active Super Admin.",
    remedy: "Make another user a Super Admin first."
  },
  NotASession: {
    when: "The operation creates or changes logins, and the call has a token.",
    remedy: "Log in, and call with the session cookie. The console does this."
  }
} as const satisfies Readonly<Record<(typeof table)["UNPROCESSABLE"]["raisedBy"][number], Pick<Row, "when" | "remedy">>>

export type ErrorCode = keyof typeof table
export const errorCodes = Object.keys(table) as ReadonlyArray<ErrorCode>

/** The tag of a domain error with a code. */
export type RaisedTag = (typeof table)[ErrorCode]["raisedBy"][number]

const byTag = new Map<string, ErrorCode>(errorCodes.flatMap((code) => table[code].raisedBy.map((tag) => [tag, code])))

/** Returns the code of a domain error. */
export const codeOf = (tag: RaisedTag): ErrorCode => byTag.get(tag) ?? "INTERNAL"

/** Returns the only status of a code (ENV-03). */
export const statusOf = (code: ErrorCode): number => table[code].status

/** The rules of this module as a service, so that tests and deployments can replace one rule. */
export class ErrorCodes extends Context.Service<
  ErrorCodes,
  { readonly codeOf: typeof codeOf; readonly statusOf: typeof statusOf }
>()("@wcs/domain/ErrorCode") {}

export const layer: Layer.Layer<ErrorCodes> = Layer.succeed(ErrorCodes, ErrorCodes.of({ codeOf, statusOf }))
