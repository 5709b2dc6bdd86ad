import type { Place } from "../server/Place.ts"
import {
  at,
  cross,
  each,
  endpoints,
  type Fault,
  foundBy,
  hasBody,
  hasId,
  isCreate,
  isList,
  isSingle,
  isUpdate,
  listsOfBoth,
  row,
  rows,
  some
} from "./Rows.ts"

const all = endpoints()
const lists = endpoints(isList)
const creates = endpoints(isCreate)
const singles = endpoints(isSingle)
const bodies = endpoints(hasBody)
const withId = endpoints(hasId)
const answering = endpoints(({ method }) => method !== "DELETE")

/** Refusals by status and reason, with the endpoints that have them. */
const refusals = (count: number, shift: number) => [
  ...at(bodies, count, shift, { status: "400", reason: "malformed" }),
  ...at(creates, count, shift, { status: "400", reason: "field" }),
  ...at(all, count, shift, { status: "403", reason: "privilege" }),
  ...at(withId, count, shift, { status: "404", reason: "unknown" })
]

const conflicts = [
  { endpoint: "POST /credentials/{id}/link", status: "409" },
  { endpoint: "POST /credentials/{id}/transfer", status: "409" },
  { endpoint: "POST /compliance-checks", status: "409" }
]

const linking = [{ endpoint: "POST /credentials/{id}/link" }]
const deletion = { endpoint: "DELETE /workers/{id}" }

/** The places that are at other endpoints. */
const but = (others: ReadonlyArray<Place>, places: ReadonlyArray<Place>): ReadonlyArray<Place> =>
  places.filter(({ endpoint }) => !others.some((other) => other["endpoint"] === endpoint))

const requestIds: ReadonlyArray<Fault> = [
  ...rows("RID-01 missing", "no X-Request-Id", refusals(2, 0)),
  ...rows("RID-01 wrong-value", "another X-Request-Id", refusals(2, 3)),
  ...rows("RID-01 wrong-value", "another X-Request-Id", conflicts),
  ...row("RID-01 wrong-value", "another X-Request-Id", { status: "429" }),
  ...row("RID-01 missing", "no X-Request-Id", { status: "422" }),
  ...rows("RID-02 missing", "no meta.requestId", at(answering, 9)),
  ...rows("RID-02 wrong-type", "an empty meta.requestId", at(answering, 5, 2)),
  ...rows("RID-02 wrong-type", "meta.requestId is a number", at(answering, 3, 4)),
  ...rows("RID-02 missing", "no meta.requestId", at(answering, 2, 1, { kind: "personal" })),
  ...rows(
    "RID-03 wrong-value",
    "the caller's request id is adopted",
    cross(each("form", ["UUID", "ULID"]), at(answering, 4, 3))
  ),
  ...rows("RID-03 wrong-value", "the caller's request id is adopted", each("form", ["another word", "other text"])),
  ...rows("RID-04 missing", "a request id is not echoed", at(all, 6, 1, { form: "UUID" })),
  ...row("RID-04 missing", "a request id is not echoed", { form: "UUID in capitals" }),
  ...row("RID-04 wrong-value", "an echo is in lower case", { form: "UUID" }),
  ...rows("RID-05 missing", "a request id is not echoed", at(all, 5, 4, { form: "ULID" })),
  ...rows(
    "RID-06 unexpected",
    "a malformed request id is echoed",
    each("form", [
      "misplaced hyphens",
      "braces",
      "no hyphens",
      "26 wrong letters",
      "25 characters",
      "27 characters",
      "another word",
      "other text"
    ])
  ),
  ...rows("RID-06 unexpected", "a malformed request id is echoed", at(all, 2, 5, { form: "another word" })),
  ...rows("RID-07 repeated", "a request id is used again", at(answering, 5, 6)),
  ...rows("RID-08 missing", "no echo on an error", refusals(2, 5)),
  ...rows("RID-08 missing", "no echo on an error", conflicts.slice(0, 1))
]

const envelopes: ReadonlyArray<Fault> = [
  ...rows("ENV-01 missing", "no meta", at(answering, 5)),
  ...rows("ENV-01 missing", "no data", at(answering, 6, 3)),
  ...rows("ENV-01 missing", "no envelope", at(answering, 6, 5)),
  ...rows("ENV-01 missing", "no data", at(lists, 2, 1, { host: "second" })),
  ...(
    [
      ["ENV-02 missing", "no code"],
      ["ENV-02 missing", "no message"],
      ["ENV-02 missing", "no error.requestId"],
      ["ENV-02 wrong-type", "error is a text"],
      ["ENV-02 wrong-type", "error is a list"],
      ["ENV-02 missing", "no error envelope"],
      ["ENV-02 not-json", "the error is a page"]
    ] as const
  ).flatMap(([kill, point], index) =>
    rows(kill, point, [...some(refusals(2, index * 2), 4, index % 2), ...some(conflicts, 1, index)])
  ),
  ...(
    [
      ["ENV-03 wrong-value", "another status"],
      ["ENV-03 wrong-value", "a code of another row"],
      ["ENV-03 wrong-value", "a code in lower case"],
      ["ENV-02 wrong-type", "a code that is a number"]
    ] as const
  ).flatMap(([kill, point], index) =>
    rows(kill, point, [...some(refusals(3, index * 3 + 1), 6, index % 2), ...conflicts.slice(0, 2)])
  ),
  ...row("ENV-03 wrong-value", "another status", { endpoint: "POST /exemptions", status: "422" }),
  ...row("ENV-10 wrong-value", "a code of another row", { endpoint: "POST /exemptions", status: "422" }),
  ...rows(
    "ENV-04 status",
    "malformed JSON is an empty body",
    each("endpoint", ["POST /credentials/{id}/verify", "PATCH /webhooks/{id}", "PATCH /credentials/{id}"])
  ),
  ...row("ENV-04 wrong-type", "a message that is a list", {
    endpoint: "POST /workers",
    status: "400",
    reason: "malformed"
  }),
  ...rows("ENV-04 status", "malformed JSON is 422", at(bodies, 7)),
  ...rows("ENV-04 status", "malformed JSON fails", at(bodies, 7, 2)),
  ...row("WRK-01 status", "a required field may be missing", { endpoint: "POST /workers", field: "displayName" }),
  ...rows("ENV-05 status", "a missing field is a broken rule", [
    { endpoint: "POST /workers", field: "displayName" },
    { endpoint: "POST /applicants", field: "email" },
    { endpoint: "POST /credentials", field: "what" },
    { endpoint: "POST /webhooks", field: "target" },
    { endpoint: "POST /exemptions", field: "grounds" },
    { endpoint: "POST /recruitment-checks", field: "package" },
    { endpoint: "POST /fetch-requests", field: "worker" },
    { endpoint: "POST /compliance-checks", field: "title" },
    { endpoint: "PUT /workers/{id}", field: "displayName" }
  ]),
  ...rows("ENV-07 status", "an unknown sort field is ignored", [
    { endpoint: "GET /workers", near: "far" },
    { endpoint: "GET /workers", near: "far", kind: "personal" },
    { endpoint: "GET /workers", near: "far", host: "second" }
  ]),
  ...foundBy("ENV-09", "the end of an id is ignored", but(linking, at(withId, 8))),
  ...rows("OWN-20 status", "the end of an id is ignored", linking),
  ...foundBy("ENV-09", "an unknown id finds another resource", but(linking, at(withId, 8, 4))),
  ...rows("OWN-20 status", "an unknown id finds another resource", linking),
  ...rows("ENV-10 status", "a business rule is not kept", each("endpoint", ["POST /exemptions"])),
  ...row("ENV-10 status", "another status", { status: "422", endpoint: "POST /exemptions", kind: "personal" }),
  ...rows("ENV-11 missing", "no Location", but([{ endpoint: "POST /workers" }], at(creates, 6))),
  ...row("WRK-02 missing", "no Location", { endpoint: "POST /workers" }),
  ...rows(
    "ENV-11 wrong-value",
    "an empty Location",
    each("endpoint", ["POST /applicants", "POST /exemptions", "POST /webhooks"])
  ),
  ...rows("ENV-11 status", "a create is 200", at(creates, 5, 1)),
  ...rows("ENV-11 repeated", "the same body finds the same resource", at(creates, 4, 2)),
  ...["NUL", "emoji", "long", "quote", "markup", "foreign", "decomposed", "wildcard"].flatMap((odd, index) =>
    rows("ENV-15 wrong-value", "an odd value breaks the call", [
      { endpoint: "POST /workers", field: "displayName", odd },
      ...some(
        [
          { endpoint: "POST /applicants", odd },
          { endpoint: "POST /exemptions", odd },
          { endpoint: "POST /credentials", odd }
        ],
        1,
        index
      )
    ])
  ),
  ...rows(
    "ENV-16 changed",
    "a repeated update adds",
    each(
      "endpoint",
      endpoints((route) => route.method === "PUT"),
      { body: "same" }
    )
  ),
  ...rows(
    "ENV-16 status",
    "a repeated update is a conflict",
    each(
      "endpoint",
      endpoints((route) => route.method === "PUT"),
      { body: "same" }
    )
  ),
  ...row("ENV-17 changed", "a read changes the resource", { endpoint: "GET /workers/{id}" }),
  ...row("DEL-02 changed", "a read changes the resource", { endpoint: "GET /credentials/{id}" }),
  ...rows(
    "DEL-03 changed",
    "a read changes the resource",
    each(
      "endpoint",
      singles.filter((endpoint) => endpoint !== "GET /workers/{id}" && endpoint !== "GET /credentials/{id}")
    )
  ),
  ...rows("ENV-02 missing", "no code", at(endpoints(isUpdate), 2, 0, { status: "404" }))
]

const acting = [
  ...some(creates, 6),
  "POST /credentials/{id}/link",
  "POST /credentials/{id}/unlink",
  "POST /credentials/{id}/transfer",
  "POST /credentials/link",
  "POST /credentials/transfer",
  "PUT /workers/{id}"
]

const crossing = [
  "GET /workers/{id}",
  "PUT /workers/{id}",
  "GET /credentials/{id}",
  "PATCH /credentials/{id}",
  "POST /credentials/{id}/link",
  "POST /credentials/{id}/unlink",
  "POST /credentials/{id}/transfer",
  "POST /credentials/{id}/verify",
  "GET /applicants/{id}",
  "GET /webhooks/{id}",
  "POST /webhooks/{id}/rotate",
  "DELETE /workers/{id}",
  "DELETE /credentials/{id}"
]

const transport: ReadonlyArray<Fault> = [
  ...rows("TRN-02 status", "plain HTTP is served", at([...all, "POST oauth/token"], 8)),
  ...row("TRN-02 status", "plain HTTP is served", { endpoint: "POST oauth/token" }),
  ...rows(
    "TRN-01 status",
    "plain HTTP is served",
    each(
      "endpoint",
      ["GET users/me", "POST users/{id}/token", "GET organizations/me", "POST scan", "GET constituents"],
      { surface: "legacy" }
    )
  ),
  ...row("TRN-04 missing", "no envelope", { endpoint: "GET /credentials", query: "ownerExternalId", kind: "oauth" }),
  ...rows("TRN-04 status", "the endpoint is missing", at(all, 5, 2, { host: "second" })),
  ...foundBy("TRN-05", "a resource of another tenant is found", each("endpoint", crossing, { host: "second" })),
  ...rows(
    "TRN-05 status",
    "a resource of another tenant is found",
    each("endpoint", some(crossing, 4), { host: "first" })
  ),
  ...listsOfBoth(at(lists, 6, 0, { host: "second" })),
  ...rows("TRN-10 status", "another tenant's token is accepted", [
    ...at(all, 6, 0, { host: "second" }),
    ...but([deletion], at(all, 3, 4, { host: "first" }))
  ]),
  ...rows("TRN-06 status", "another tenant's token is accepted", at(all, 2, 1, { host: "second", kind: "personal" })),
  ...row("TRN-10 changed", "another tenant's token is accepted", { ...deletion, host: "first" }),
  ...rows("TRN-10 status", "another tenant's client is granted", each("host", ["first", "second"], { by: "body" })),
  ...rows(
    "TRN-10 unexpected",
    "another tenant's client is granted",
    each("host", ["first", "second"], { by: "Basic" })
  ),
  ...rows("TRN-07 not-json", "the body is no JSON", at(answering, 8, 1)),
  ...rows("ENV-01 not-json", "the body is empty", at(answering, 3, 4)),
  ...rows("TRN-07 not-json", "the error is a page", refusals(1, 2)),
  ...rows("TRN-08 status", "a form is accepted", each("endpoint", acting))
]

/** Faults of RID, ENV and TRN. */
export const answerFaults: ReadonlyArray<Fault> = [...requestIds, ...envelopes, ...transport]
