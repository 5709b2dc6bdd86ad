import { Context, Layer } from "effect"

/**
 * Each code once (§7.1), with the status it stands at and the refusals of the domain that raise it. The last
 * rows are statuses outside the specification's table (DECISIONS.md#resources), which never carry one of its codes.
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
  UNAVAILABLE: { status: 503, raisedBy: ["Unavailable", "PasswordsBusy"] }
} as const satisfies Record<string, { readonly status: number; readonly raisedBy: ReadonlyArray<string> }>

export type ErrorCode = keyof typeof table
export const errorCodes = Object.keys(table) as ReadonlyArray<ErrorCode>

/** The tag of a refusal that some code stands for. */
export type RaisedTag = (typeof table)[ErrorCode]["raisedBy"][number]

const byTag = new Map<string, ErrorCode>(errorCodes.flatMap((code) => table[code].raisedBy.map((tag) => [tag, code])))

/** The code of a refusal. */
export const codeOf = (tag: RaisedTag): ErrorCode => byTag.get(tag) ?? "INTERNAL"

/** The one status that a code stands at (ENV-03). */
export const statusOf = (code: ErrorCode): number => table[code].status

/** The rules above as a service, so that one of them can be replaced. */
export class ErrorCodes extends Context.Service<
  ErrorCodes,
  { readonly codeOf: typeof codeOf; readonly statusOf: typeof statusOf }
>()("@wcs/domain/ErrorCode") {}

export const layer: Layer.Layer<ErrorCodes> = Layer.succeed(ErrorCodes, ErrorCodes.of({ codeOf, statusOf }))
