import { each, type Fault, foundBy, row, rows } from "./Rows.ts"

// Unknown paths, methods that a path lacks, and odd ids.

const nowhere = { endpoint: "none" }
const at = (endpoint: string, ...ids: ReadonlyArray<string>) => each("id", ids, { endpoint })

const unknownPaths: ReadonlyArray<Fault> = [
  ...rows("ENV-12 status", "an unknown path fails", each("path", ["below a group", "elsewhere"], nowhere)),
  ...row("PRV-12 status", "an unknown path fails", { ...nowhere, path: "another method" }),
  ...row("RTL-01 missing", "no header", { ...nowhere, header: "X-RateLimit-Limit", status: "404" }),
  ...row("RTL-01 missing", "no header", { ...nowhere, header: "X-RateLimit-Remaining", status: "405" }),
  ...row("RID-04 missing", "a request id is not echoed", { ...nowhere, form: "UUID" }),
  ...row("RID-08 missing", "no echo on an error", nowhere),
  ...row("RID-01 missing", "no X-Request-Id", { ...nowhere, status: "404" }),
  ...row("RID-01 wrong-value", "another X-Request-Id", { ...nowhere, status: "405" }),
  ...row("RID-03 wrong-value", "the caller's request id is adopted", nowhere),
  ...row("ENV-02 wrong-type", "error is a text", { ...nowhere, status: "404" }),
  ...row("ENV-02 wrong-type", "error is a list", { ...nowhere, status: "405" }),
  ...row("ENV-03 wrong-value", "a code of another row", { ...nowhere, status: "405" }),
  ...row("ENV-03 wrong-value", "a code of another row", { status: "415" })
]

const oddIds: ReadonlyArray<Fault> = [
  ...rows("ENV-12 status", "an odd id fails", [
    ...at("GET /workers/{id}", "a quote", "NUL", "long", "foreign", "a path", "a wildcard", "a word"),
    ...at("GET /credentials/{id}", "a quote", "a number", "the prefix alone"),
    ...at("DELETE /workers/{id}", "a word"),
    ...at("PUT /workers/{id}", "a quote"),
    ...at("POST /credentials/{id}/link", "a word"),
    ...at("POST /credentials/{id}/verify", "a word", "long"),
    ...at("POST /webhooks/{id}/rotate", "a word"),
    ...at("GET /exemptions/{id}", "a word")
  ]),
  ...rows("ENV-08 status", "an odd id finds a resource", [
    ...at("GET /workers/{id}", "a word", "a wildcard", "another group"),
    ...at("GET /credentials/{id}", "another group", "a word"),
    ...at("DELETE /exemptions/{id}", "a word"),
    ...at("POST /credentials/{id}/link", "another group"),
    ...at("POST /webhooks/{id}/rotate", "another group")
  ]),
  ...rows("ENV-08 status", "an odd id is a broken rule", [
    ...at("GET /workers/{id}", "a word", "a quote"),
    ...at("GET /credentials/{id}", "a word"),
    ...at("PUT /workers/{id}", "a word")
  ]),
  ...rows("ENV-08 wrong-value", "an odd id has the code of an unknown one", [
    { endpoint: "GET /workers/{id}" },
    { endpoint: "GET /credentials/{id}" },
    { endpoint: "POST /credentials/{id}/transfer" }
  ])
]

const unknown = (endpoint: string) => ({ endpoint, status: "404", reason: "unknown" })

const unknownIds: ReadonlyArray<Fault> = [
  ...foundBy(
    "ENV-09",
    "an unknown id finds another resource",
    each("endpoint", [
      "GET /exemptions/{id}",
      "GET /webhooks/{id}",
      "PATCH /credentials/{id}",
      "DELETE /credentials/{id}"
    ])
  ),
  ...foundBy(
    "ENV-09",
    "the end of an id is ignored",
    each("endpoint", ["PUT /workers/{id}", "GET /fetch-requests/{id}", "DELETE /workers/{id}"])
  ),
  ...rows(
    "TRN-05 status",
    "an unknown id finds another resource",
    each("endpoint", ["GET /compliance-checks/{id}", "POST /webhooks/{id}/rotate"])
  ),
  ...rows(
    "OWN-20 status",
    "the end of an id is ignored",
    each("endpoint", ["POST /credentials/{id}/unlink", "POST /credentials/{id}/transfer"])
  ),
  ...row("OWN-20 status", "an unknown credential is accepted", { endpoint: "POST /credentials/{id}/verify" }),
  ...row("OWN-20 status", "another status", unknown("POST /credentials/{id}/verify")),
  ...row("ENV-02 missing", "no code", unknown("POST /webhooks/{id}/rotate")),
  ...row("ENV-02 missing", "no message", unknown("POST /credentials/{id}/verify")),
  ...row("RID-08 missing", "no echo on an error", unknown("POST /credentials/{id}/link")),
  ...row("ENV-09 missing", "no code", unknown("GET /credentials/{id}")),
  ...row("ENV-09 wrong-value", "a code of another row", unknown("GET /credentials/{id}"))
]

/** Faults of unknown paths and ids. */
export const pathFaults: ReadonlyArray<Fault> = [...unknownPaths, ...oddIds, ...unknownIds]
