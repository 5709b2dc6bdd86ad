import {
  at,
  each,
  endpoints,
  type Fault,
  foundBy,
  hasId,
  isCreate,
  isDelete,
  isList,
  isSingle,
  isUpdate,
  listsOfBoth,
  row,
  rows
} from "./Rows.ts"

const all = endpoints()
const withId = endpoints(hasId)
const creates = endpoints(isCreate)
const lists = endpoints(isList)

const second = { host: "second" }

/** Faults of TRN, ENV and RID: the second tenant, plain HTTP, ids and request ids, at further calls. */
export const crossingFaults: ReadonlyArray<Fault> = [
  ...rows("TRN-02 changed", "plain HTTP is refused and done", [
    { endpoint: "DELETE /credentials/{id}" },
    { endpoint: "PATCH /webhooks/{id}" }
  ]),
  ...rows("TRN-02 disclosed", "plain HTTP is redirected with the token", at(endpoints(isSingle), 2, 1)),
  ...rows("TRN-02 disclosed", "plain HTTP is refused with the data", at(lists, 2, 3)),
  ...rows("TRN-02 status", "plain HTTP is served", each("endpoint", ["GET /workers", "POST /workers"])),
  ...rows(
    "TRN-10 changed",
    "a call that is refused with 401 is made",
    each("endpoint", ["POST /workers", "PUT /workers/{id}", "DELETE /applicants/{id}", "PATCH /credentials/{id}"], {
      cause: "tenant"
    })
  ),
  ...rows("TRN-10 status", "another tenant's token is accepted", at(all, 4, 7, second)),
  ...rows("TRN-10 status", "another tenant's token is accepted", at(creates, 2, 1, { ...second, kind: "personal" })),
  ...foundBy(
    "TRN-05",
    "a resource of another tenant is found",
    each(
      "endpoint",
      [
        "GET /exemptions/{id}",
        "PATCH /applicants/{id}",
        "PUT /compliance-checks/{id}",
        "PATCH /webhooks/{id}",
        "DELETE /webhooks/{id}",
        "DELETE /fetch-requests/by-id/{id}"
      ],
      second
    )
  ),
  ...listsOfBoth(at(lists, 2, 4, second)),
  ...listsOfBoth(at(lists, 2, 2, second)),
  ...listsOfBoth(at(lists, 2, 1, { host: "first" })),
  ...foundBy("ENV-09", "the end of an id is ignored", at(withId, 8, 1)),
  ...foundBy("ENV-09", "an unknown id finds another resource", at(withId, 8, 5).slice(0, 6)),
  ...rows("ENV-09 status", "an unknown id finds another resource", at(withId, 2, 9, second)),
  ...rows("RID-04 missing", "a request id is not echoed", at(all, 2, 13, { form: "UUID in capitals" })),
  ...rows("RID-04 wrong-value", "an echo is cut", at(all, 2, 19, { form: "UUID" })),
  ...rows("RID-06 unexpected", "a malformed request id is echoed", at(all, 3, 9, { form: "braces" })),
  ...row("RID-08 missing", "no echo on an error", { status: "409", endpoint: "POST /credentials/{id}/transfer" }),
  ...rows("RID-08 missing", "no echo on an error", each("status", ["403", "422"], { endpoint: "POST /exemptions" })),
  ...rows("RID-01 wrong-value", "another X-Request-Id", [
    { status: "404", endpoint: "POST /webhooks/{id}/rotate" },
    { status: "403", endpoint: "POST /credentials/{id}/verify" }
  ]),
  ...rows("RID-02 missing", "no meta.requestId", at(endpoints(isUpdate), 2, 3, { turn: "later" })),
  ...rows("RID-07 repeated", "a request id is used again", at(creates, 2, 2, second)),
  ...rows("RTL-01 missing", "no header", [
    { header: "X-RateLimit-Limit", turn: "later", endpoint: "GET /workers", status: "200" },
    { header: "X-RateLimit-Reset", ...second, status: "201" },
    { header: "X-RateLimit-Remaining", caller: "enrolled", status: "200" },
    { header: "X-RateLimit-Remaining", ...second, status: "404" }
  ]),
  ...rows("RTL-02 wrong-value", "more calls remain than the limit", [
    { caller: "rate limited" },
    { ...second, endpoint: "GET /workers" }
  ]),
  ...rows(
    "RTL-01 missing",
    "no header",
    each("header", ["X-RateLimit-Limit", "X-RateLimit-Remaining"], { status: "429" })
  ),
  ...rows("RTL-04 wrong-value", "a code of another row", [{ status: "429" }]),
  ...rows("AUT-10 status", "the endpoint is missing", at(endpoints(isDelete), 2, 1, { kind: "personal" }))
]
