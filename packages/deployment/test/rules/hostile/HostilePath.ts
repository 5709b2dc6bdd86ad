import fc from "fast-check"
import * as EveryRoute from "../EveryRoute.ts"
import { root } from "../NewerSurface.ts"
import { hostileText, text } from "./HostileText.ts"

const escaped = text.map((one) => encodeURIComponent(one.toWellFormed()).slice(0, 4000))

/** Unchanged, except for characters that a client cannot put on a request line. */
const raw = hostileText.map((one) => one.replaceAll(/[^\u0021-\u007e]/g, ""))

const query = (ids: ReadonlyArray<string>): fc.Arbitrary<string> => {
  const parameter = fc.oneof(
    fc.constantFrom(
      ...["pageSize", "cursor", "page", "sort", "includeDeleted", "includeTotal", "updatedAfter", "updatedBefore"]
    ),
    fc.constantFrom(
      ...["externalId", "query", "ownerExternalId", "ownerType", "ownerId", "credentialType", "eligibility"]
    ),
    escaped,
    raw
  )
  const known = fc.constantFrom("1", "true", "worker", "createdAt:desc", "2026-01-01T00:00:00Z", ...ids)
  const part = fc.tuple(parameter, fc.constantFrom("=", "=", "=", "", "[]="), fc.oneof(known, escaped, raw))
  return fc
    .array(part, { maxLength: 4 })
    .map((parts) => (parts.length === 0 ? "" : `?${parts.map((pieces) => pieces.join("")).join("&")}`))
}

/** The path of a route, or any other, with or without a query. */
export const hostilePath = (ids: ReadonlyArray<string>): fc.Arbitrary<string> => {
  const segment = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...ids) }, escaped, raw)
  const ofRoute = fc
    .tuple(fc.constantFrom(...EveryRoute.routes), segment)
    .map(([{ path }, one]) => path.replace(":id", () => one))
  const anywhere = fc
    .tuple(fc.constantFrom(root, "/openapi", "/api", ""), fc.array(segment, { maxLength: 4 }))
    .map(([begin, segments]) => `${begin}/${segments.join("/")}`)
  return (
    fc
      .tuple(fc.oneof({ weight: 3, arbitrary: ofRoute }, anywhere), query(ids))
      // Longer paths have their own test: the server closes the connection after them.
      .map((parts) => parts.join("").slice(0, 8000))
  )
}
