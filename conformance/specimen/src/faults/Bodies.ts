import { cross, each, type Fault, row, rows } from "./Rows.ts"

// The forms of a body that callers send: broken JSON, other JSON than an object, missing fields, fields of another
// type, owner references and forms.

const link = "POST /credentials/{id}/link"
const unlink = "POST /credentials/{id}/unlink"
const transfer = "POST /credentials/{id}/transfer"
const verify = "POST /credentials/{id}/verify"
const bulkLink = "POST /credentials/link"
const bulkTransfer = "POST /credentials/transfer"

/** Places of several forms at one endpoint. */
const at = (endpoint: string, key: string, ...values: ReadonlyArray<string>) => each(key, values, { endpoint })

const json: ReadonlyArray<Fault> = [
  ...rows("ENV-12 status", "a body that is no object fails", [
    ...at("POST /workers", "json", "list", "null", "string"),
    ...at("POST /credentials", "json", "list", "number"),
    ...at(link, "json", "list", "null"),
    ...at(bulkTransfer, "json", "list"),
    ...at(verify, "json", "null", "boolean"),
    ...at("PUT /workers/{id}", "json", "list"),
    ...at("POST /webhooks", "json", "null")
  ]),
  ...rows("ENV-04 status", "malformed JSON is an empty body", [
    { endpoint: "PATCH /applicants/{id}" },
    { endpoint: "PATCH /fetch-requests/{id}" }
  ]),
  ...rows("ENV-04 status", "malformed JSON is 422", [
    ...at("POST /credentials", "json", "cut", "a word"),
    ...at(link, "json", "cut", "inside"),
    ...at(bulkLink, "json", "a word"),
    ...at("POST /webhooks", "json", "inside")
  ]),
  ...rows("ENV-12 status", "malformed JSON fails", at("POST /workers", "json", "a word")),
  ...rows("ENV-04 status", "malformed JSON fails", [
    ...at("POST /workers", "json", "inside"),
    ...at(verify, "json", "cut"),
    ...at("POST /exemptions", "json", "cut")
  ])
]

const malformed = (endpoint: string) => ({ endpoint, status: "400", reason: "malformed" })

const jsonAnswers: ReadonlyArray<Fault> = [
  ...row("ENV-04 missing", "no code", malformed("POST /exemptions")),
  ...row("ENV-02 missing", "no message", malformed("POST /workers")),
  ...row("ENV-02 missing", "no error.requestId", malformed(link)),
  ...row("ENV-02 wrong-type", "a request id that is a number", malformed("POST /credentials")),
  ...row("ENV-04 wrong-value", "a code of another row", malformed("POST /workers")),
  ...row("TRN-07 not-json", "the error is a page", malformed(bulkTransfer)),
  ...row("RID-08 missing", "no echo on an error", malformed(verify)),
  ...row("RID-01 wrong-value", "another X-Request-Id", malformed("PUT /workers/{id}"))
]

/**
 * Places of fields with a type that they must not have. Only of fields that the specification shows: a server may take a
 * number in any other.
 */
const fields = (endpoint: string, field: string, ...types: ReadonlyArray<string>) =>
  each("type", types, { endpoint, field })

const types: ReadonlyArray<Fault> = [
  ...rows("ENV-06 status", "a value of another type is accepted", [
    ...fields("POST /workers", "displayName", "number", "boolean", "list", "object"),
    ...fields("POST /workers", "identity", "string", "list"),
    ...fields("POST /workers", "externalId", "number"),
    ...fields("POST /workers", "source", "string"),
    ...fields("PUT /workers/{id}", "displayName", "number"),
    ...fields(verify, "forceRefresh", "string", "number"),
    ...fields(bulkTransfer, "credentialIds", "string", "list"),
    ...fields(bulkLink, "credentialIds", "string"),
    { endpoint: verify, field: "correlationId" }
  ]),
  ...rows(
    "ENV-06 status",
    "a value of another type is a broken rule",
    fields("POST /workers", "displayName", "number")
  ),
  ...rows("ENV-06 status", "a value of another type fails", [
    ...fields("POST /workers", "displayName", "number"),
    ...fields("POST /workers", "identity", "string"),
    ...fields(bulkTransfer, "credentialIds", "string")
  ])
]

const missing = (endpoint: string, ...names: ReadonlyArray<string>) => each("field", names, { endpoint })

const required: ReadonlyArray<Fault> = [
  ...row("WRK-01 status", "a required field may be missing", {
    endpoint: "POST /workers",
    field: "displayName",
    given: "null"
  }),
  ...rows("ENV-05 status", "a missing field is a broken rule", [
    ...missing("POST /applicants", "fullName"),
    ...missing("POST /exemptions", "worker"),
    ...missing("POST /recruitment-checks", "applicant"),
    ...missing("POST /webhooks", "topics"),
    ...missing("PUT /exemptions/{id}", "grounds")
  ]),
  ...row("WRK-01 status", "a missing field fails", { endpoint: "POST /workers", field: "displayName" }),
  ...rows("ENV-05 status", "a missing field fails", [
    ...missing("POST /credentials", "what"),
    ...missing("POST /webhooks", "target"),
    ...missing("POST /exemptions", "grounds")
  ])
]

const forms: ReadonlyArray<Fault> = [
  ...rows(
    "TRN-08 status",
    "a form is accepted",
    each("endpoint", [
      "PATCH /applicants/{id}",
      "PUT /exemptions/{id}",
      "PATCH /credentials/{id}",
      "PUT /compliance-checks/{id}",
      verify,
      "POST /fetch-requests/batch"
    ])
  ),
  ...row("TRN-08 wrong-value", "a form is refused and done", { endpoint: "POST /workers" }),
  ...rows("TRN-08 changed", "a form is refused and done", each("endpoint", ["POST /credentials", "POST /applicants"])),
  ...rows("TRN-08 changed", "a form is refused and done", each("endpoint", [link, unlink, transfer, bulkLink]))
]

const references: ReadonlyArray<Fault> = [
  ...rows("OWN-16 status", "a wrong reference fails", [
    { endpoint: link, part: "owner", flaw: "no type" },
    { endpoint: link, part: "owner", flaw: "no reference" },
    { endpoint: unlink, part: "owner", flaw: "no id" },
    { endpoint: transfer, part: "from", flaw: "no type" }
  ]),
  ...rows(
    "OWN-16 status",
    "a wrong reference is accepted",
    cross(each("part", ["to"], { endpoint: bulkLink }), each("flaw", ["an unknown type", "no id"]))
  ),
  ...rows(
    "OWN-16 status",
    "a wrong reference is accepted",
    cross(each("part", ["from", "to"], { endpoint: bulkTransfer }), each("flaw", ["no type", "no reference"]))
  ),
  ...rows(
    "OWN-16 status",
    "a wrong reference is accepted",
    each("flaw", ["an empty id", "another form"], { endpoint: transfer, part: "to" })
  )
]

/** Faults of the forms of a body. */
export const bodyFaults: ReadonlyArray<Fault> = [
  ...json,
  ...jsonAnswers,
  ...types,
  ...required,
  ...forms,
  ...references
]
