import { Context, Layer } from "effect"

/**
 * Each error code (§7.1) with its status and the domain errors that it stands for. The last rows are for statuses
 * outside the specification's table (DECISIONS.md#resources). Those statuses never have another code.
 */
export const table = {
  INVALID_ARGUMENT: { status: 400, raisedBy: ["InvalidArgument", "MalformedCredentialId"] },
  BAD_REQUEST: { status: 400, raisedBy: ["MalformedBody", "MalformedRequest", "InsecureTransport"] },
  INVALID_URN: { status: 400, raisedBy: ["InvalidUrn"] },
  FORBIDDEN: { status: 403, raisedBy: ["Forbidden", "AccountUnverified", "OtherOrganization"] },
  NOT_FOUND: {
    status: 404,
    raisedBy: ["ResourceNotFound", "CredentialNotFound", "DeliveryNotFound", "UnknownHost", "UnknownPath", "NoSuchUser"]
  },
  ALREADY_LINKED: { status: 409, raisedBy: ["AlreadyLinked"] },
  OWNER_MISMATCH: { status: 409, raisedBy: ["OwnerMismatch"] },
  DUPLICATE_ID: { status: 409, raisedBy: ["DuplicateId"] },
  UNPROCESSABLE: {
    status: 422,
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
  TOO_MANY_REQUESTS: { status: 429, raisedBy: ["RateLimited"] },
  INTERNAL: { status: 500, raisedBy: ["ItemBroken"] },
  METHOD_NOT_ALLOWED: { status: 405, raisedBy: ["MethodNotAllowed"] },
  REQUEST_TIMEOUT: { status: 408, raisedBy: ["RequestTimeout"] },
  PAYLOAD_TOO_LARGE: { status: 413, raisedBy: ["PayloadTooLarge"] },
  URI_TOO_LONG: { status: 414, raisedBy: ["UriTooLong"] },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, raisedBy: ["UnsupportedMediaType"] },
  HEADERS_TOO_LARGE: { status: 431, raisedBy: ["HeadersTooLarge"] },
  NOT_IMPLEMENTED: { status: 501, raisedBy: ["UnsupportedTransferCoding"] },
  UNAVAILABLE: { status: 503, raisedBy: ["Unavailable", "PasswordsBusy"] }
} as const satisfies Record<string, { readonly status: number; readonly raisedBy: ReadonlyArray<string> }>

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
