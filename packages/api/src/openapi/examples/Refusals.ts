import type { JsonValue } from "@wcs/domain/shared/Json"
import { ids } from "./Requests.ts"
import { shownAs } from "./ShownAs.ts"

const wire = (code: string, message: string) => ({
  [code]: { error: { code, message, requestId: shownAs.requestId } }
})
const legacy = (status: number, message: string, field: string | null = null) => ({
  [`LegacyError${status}`]: { status, message, field }
})
const oauth = (error: string, description: string) => ({
  [`oauth_${error}`]: { error, error_description: description }
})

/** The refusals that a caller can cause, by the names of their schemas. */
export const refusals: Readonly<Record<string, JsonValue>> = {
  Unauthorized: { message: "Unauthorized to perform this action" },
  ...wire("ALREADY_LINKED", `The worker slot holds ${ids.ann}. Use transfer to change the owner.`),
  ...wire("UNPROCESSABLE", `${ids.ann} is the only remaining owner. Delete the credential instead.`),
  ...wire("OWNER_MISMATCH", "The given owner does not hold the applicant slot; current owner: none."),
  ...wire("INVALID_ARGUMENT", "identity.displayName is required: a string of 1 to 200 characters."),
  ...wire("BAD_REQUEST", "The body is not valid JSON."),
  ...wire("UNSUPPORTED_MEDIA_TYPE", "The Content-Type must be application/json."),
  ...wire("PAYLOAD_TOO_LARGE", "The body is larger than 1048576 bytes."),
  ...wire("FORBIDDEN", "urn:wcs:account:acc_0000000000000004 is unauthorized to CREATE workers."),
  ...wire("NOT_FOUND", "wkr_0000000000000001 was not found among the workers."),
  ...wire("INVALID_URN", "id must be a URN of the form urn:wcs:ban:<register>:<key>."),
  ...wire(
    "POSITION_UNKNOWN",
    "after: the store does not know this position. Get a new one with after=now, then make a full copy."
  ),
  ...wire(
    "DUPLICATE_ID",
    "aged-care already exists or was used before among the screening packages. Ids cannot be reused: choose another."
  ),
  ...oauth(
    "unsupported_grant_type",
    "grant_type must be client_credentials, in a body of Content-Type application/x-www-form-urlencoded."
  ),
  ...oauth(
    "invalid_client",
    "client_id or client_secret is missing or wrong, or the client was revoked or has expired."
  ),
  ...legacy(
    400,
    "type must be a code of the catalogue, such as WWCC_NSW or wwcc-nsw. identifier is required: a string of 1 to 100 " +
      "characters. first_name is required: a string of 1 to 100 characters. surname is required: a string of 1 to 100 " +
      "characters.",
    "type"
  ),
  ...legacy(
    401,
    "Authentication is missing or not valid. This call accepts Basic or Bearer authentication.",
    "authentication"
  ),
  ...legacy(404, "The id in the path must be the id of the caller. GET /users/me returns the id.")
}

const busy = "The service is busy. Try again in 5 seconds."
const tooMany = "Rate limit exceeded. Try again in 17 seconds."

/** The refusals that no caller can cause at will, or that differ each time. */
export const rareRefusals: Readonly<Record<string, JsonValue>> = {
  ...wire(
    "PRECONDITION_FAILED",
    'The resource was changed: its ETag is "4-mk1s2f3g". Read the resource again before you change it.'
  ),
  ...wire("TOO_MANY_REQUESTS", tooMany),
  ...wire("INTERNAL", "Internal error."),
  ...wire("UNAVAILABLE", busy),
  ...legacy(403, "The account is not verified.", "authorization"),
  ...legacy(413, "The body is larger than 1048576 bytes."),
  ...legacy(415, "The Content-Type must be application/json."),
  ...legacy(429, tooMany),
  ...legacy(500, "Internal error."),
  ...legacy(503, busy),
  ...oauth("invalid_request", "The body is not valid."),
  ...oauth("temporarily_unavailable", busy),
  ...oauth("server_error", "Internal error.")
}
