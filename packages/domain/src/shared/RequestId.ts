import { Context } from "effect"

/**
 * The id of the current request, a ULID minted by the server. Returned in `X-Request-Id`, `meta.requestId` and
 * `error.requestId`.
 */
export class RequestId extends Context.Service<RequestId, string>()("@wcs/domain/RequestId") {}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
// Crockford's base 32 has no I, L, O and U. The first character has only three bits, so that 128 bits fit.
const ulid = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i

/**
 * Returns the `X-Client-Request-Id` for the caller's `X-Request-Id`: the same text if it is a UUID or a 26-character
 * ULID, else none. The server never uses it as its own id (§7.1, condition 7).
 */
export const echo = (inbound: string | undefined): string | undefined =>
  inbound !== undefined && (uuid.test(inbound) || ulid.test(inbound)) ? inbound : undefined
