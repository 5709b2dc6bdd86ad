import fc from "fast-check"
import type { Call } from "../../Service.ts"
import { text } from "./HostileText.ts"

/** Any text that a client can put into a header. */
const headerText = text.map((one) =>
  one
    .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "")
    .trim()
    .slice(0, 3000)
)

const mediaType = fc.constantFrom(
  ...["application/json", "application/merge-patch+json", "text/plain", "application/x-www-form-urlencoded", "", ";"]
)
const requestId = fc.constantFrom(
  ...["01ARZ3NDEKTSV4RRFFQ69G5FAV", "8e03978e-40d5-43e8-bc93-6894a57f9324", "8E03978E-40D5-43E8-BC93-6894A57F932Z"]
)
const authorization = fc
  .tuple(fc.constantFrom("Bearer ", "bearer\t", "Basic ", "Bearer  ", "Token ", ""), headerText)
  .map((parts) => parts.join("").trim())
const host = fc.constantFrom("other.localhost", "LOCALHOST:1", "localhost.", "nobody", "[::1]", "127.0.0.1", "a b")

const header = fc.oneof(
  fc.tuple(fc.constant("content-type"), mediaType),
  fc.tuple(fc.constant("content-type"), headerText),
  fc.tuple(fc.constant("content-encoding"), fc.constantFrom("gzip", "identity", "br", "")),
  fc.tuple(fc.constant("x-request-id"), requestId),
  fc.tuple(fc.constant("x-request-id"), headerText),
  fc.tuple(fc.constant("authorization"), authorization),
  fc.tuple(fc.constant("host"), host),
  fc.tuple(
    fc.constantFrom("accept", "accept-encoding", "if-none-match", "if-modified-since", "range", "cookie"),
    headerText
  ),
  fc.tuple(
    fc.constantFrom("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded", "origin"),
    headerText
  ),
  fc.tuple(fc.constant("x-http-method-override"), headerText)
)

/** No headers in half of the cases, else up to three. */
export const hostileHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }).map((entries) => Object.fromEntries(entries)) }
)

/** Mostly the Super Admin's: other tokens only reach the 401. */
export const hostileToken: fc.Arbitrary<Pick<Call, "token">> = fc.oneof(
  { weight: 13, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ token: null }) },
  { weight: 1, arbitrary: headerText.map((token) => ({ token })) }
)
