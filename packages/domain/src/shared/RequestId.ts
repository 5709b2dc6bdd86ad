import { Context } from "effect"

/** The id of the request at hand: a ULID minted by the server, in `X-Request-Id`, `meta.requestId`, `error.requestId`. */
export class RequestId extends Context.Service<RequestId, string>()("@wcs/domain/RequestId") {}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
// Crockford's base 32 leaves out I, L, O and U; the first character carries three bits only, so that 128 bits fit.
const ulid = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i

/**
 * What the caller's own `X-Request-Id` comes back as in `X-Client-Request-Id`: itself where it is a UUID or a
 * 26-character ULID, nothing otherwise. It is never adopted (§7.1, condition 7).
 */
export const echo = (inbound: string | undefined): string | undefined =>
  inbound !== undefined && (uuid.test(inbound) || ulid.test(inbound)) ? inbound : undefined
