import { cross, each, type Fault, row, rows } from "./Rows.ts"

// Calls with a query: a careless server answers them by code of their own.

const byWorker = { endpoint: "GET /workers", query: "externalId" }
const byOwner = { endpoint: "GET /credentials", query: "ownerExternalId" }
const sized = { endpoint: "GET /workers", query: "pageSize" }
const sorted = { endpoint: "GET /workers", query: "order" }
const expanded = { endpoint: "GET /workers/{id}", query: "expand" }
const applicant = { endpoint: "GET /applicants", query: "externalId" }
const searched = (path: string) => ({ endpoint: `GET ${path}`, query: "search" })

const answers: ReadonlyArray<Fault> = [
  ...rows("ENV-01 missing", "no meta", [byWorker, byOwner, sorted, expanded]),
  ...rows("ENV-01 missing", "no data", [sized, applicant, searched("/exemptions")]),
  ...rows("ENV-01 missing", "no envelope", [byOwner, searched("/webhooks")]),
  ...rows("ENV-01 wrong-type", "meta is a list", [byWorker, sized]),
  ...rows("RID-02 missing", "no meta.requestId", [byWorker, byOwner, sized, sorted]),
  ...rows("RID-07 repeated", "a request id is used again", [byWorker, byOwner]),
  ...rows("RID-04 missing", "a request id is not echoed", each("form", ["UUID"], byWorker)),
  ...rows("RID-05 missing", "a request id is not echoed", each("form", ["ULID"], byOwner)),
  ...rows("RID-03 wrong-value", "the caller's request id is adopted", each("form", ["UUID", "ULID"], sorted)),
  ...rows("TRN-07 not-json", "the body is no JSON", [byWorker, byOwner, sized, expanded]),
  ...rows("TRN-09 wrong-value", "the content type is not JSON", [byWorker, byOwner, sorted]),
  ...rows("WRK-08 wrong-type", "a list is an object", each("length", ["filled"], sorted)),
  ...row("RTL-01 missing", "no header", { ...byWorker, header: "X-RateLimit-Remaining", status: "200" }),
  ...row("RTL-01 missing", "no header", { ...byOwner, header: "X-RateLimit-Limit", status: "200" }),
  ...row("RTL-01 missing", "no header", { ...sized, header: "X-RateLimit-Reset", status: "200" })
]

const badSort = { ...sorted, status: "400", reason: "sort" }
const badSize = { ...sized, status: "400", reason: "query" }

const refusals: ReadonlyArray<Fault> = [
  ...rows("ENV-02 missing", "no message", [badSort, badSize]),
  ...rows("ENV-02 missing", "no code", [badSize]),
  ...rows("ENV-02 missing", "no error.requestId", [badSort]),
  ...rows("ENV-02 missing", "no error envelope", [badSize]),
  ...rows("ENV-02 wrong-type", "error is a text", [badSort]),
  ...rows("ENV-03 wrong-value", "a code of another row", [badSize]),
  ...rows("ENV-07 status", "another status", [badSort]),
  ...rows("ENV-07 wrong-value", "a code of another row", [badSort]),
  ...rows("WRK-10 status", "another status", [badSize]),
  ...rows("RID-01 missing", "no X-Request-Id", [badSort]),
  ...rows("RID-01 wrong-value", "another X-Request-Id", [badSize]),
  ...rows("RID-08 missing", "no echo on an error", [badSort, badSize]),
  ...rows("TRN-07 not-json", "the error is a page", [badSort]),
  ...row("RTL-01 missing", "no header", { ...sorted, header: "X-RateLimit-Limit", status: "400" }),
  ...rows("ENV-02 missing", "no code", each("status", ["403"], byWorker)),
  ...rows("RID-01 missing", "no X-Request-Id", each("status", ["403"], byOwner))
]

const lookup = { endpoint: "GET /workers", parameter: "externalId" }
const owned = { endpoint: "GET /credentials", parameter: "ownerExternalId" }

const lists: ReadonlyArray<Fault> = [
  ...rows(
    "WRK-10 status",
    "a page size that is no whole number is accepted",
    each("form", ["letters", "fraction", "empty", "exponent", "digits and letters"])
  ),
  ...rows(
    "WRK-10 status",
    "a page size that is no whole number is a broken rule",
    each("form", ["letters", "fraction"])
  ),
  ...rows("WRK-10 status", "a page size that is no whole number fails", each("form", ["letters"])),
  ...rows("ENV-12 status", "a page size that is no whole number fails", each("form", ["empty"])),
  ...rows("ENV-07 status", "an unknown sort field is ignored", [
    { ...sorted, near: "near" },
    { endpoint: "GET /workers", near: "far", query: "order pageSize" },
    { endpoint: "GET /credentials", near: "far" },
    { endpoint: "GET /applicants", near: "far" }
  ]),
  ...rows("WRK-09 wrong-value", "pageSize is ignored", each("query", ["order pageSize"], { endpoint: "GET /workers" })),
  ...rows("WRK-09 wrong-value", "one too many", each("after", ["refusal"], { endpoint: "GET /workers" })),
  ...row("ENV-17 changed", "a lookup misses", { ...lookup, repeat: "second" }),
  ...row("WRK-05 missing", "a lookup misses", { ...lookup, after: "refusal" }),
  ...row("OAU-18 missing", "a lookup misses", { ...lookup, caller: "second client" }),
  ...rows("WRK-05 missing", "a read gives an earlier result", [byWorker]),
  ...rows("CRD-06 wrong-value", "a read gives an earlier result", [byOwner]),
  ...rows(
    "CRD-06 missing",
    "a lookup misses",
    cross(each("since", ["link", "transfer", "unlink"]), each("owner", ["worker", "applicant"], owned))
  ),
  ...rows(
    "CRD-06 unexpected",
    "a former owner still finds the credential",
    each("since", ["unlink", "transfer"], { endpoint: "GET /credentials" })
  )
]

/** Faults of calls with a query, a page size or a sort. */
export const queryFaults: ReadonlyArray<Fault> = [...answers, ...refusals, ...lists]
