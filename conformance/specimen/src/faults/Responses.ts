import { cross, each, type Fault, row, rows } from "./Rows.ts"

// Parts of a response: content type, envelope, request ids, ids that the caller proposes, and the results of batches.

const link = "POST /credentials/{id}/link"
const bulkLink = { endpoint: "POST /credentials/link" }
const bulkTransfer = { endpoint: "POST /credentials/transfer" }
const both = [bulkLink, bulkTransfer]

const envelopes: ReadonlyArray<Fault> = [
  ...rows(
    "TRN-09 wrong-value",
    "the content type is not JSON",
    each("endpoint", ["GET /workers/{id}", "POST /credentials", "POST /credentials/transfer", "PUT /workers/{id}"])
  ),
  ...rows("TRN-09 missing", "no content type", each("endpoint", ["GET /credentials", "POST /webhooks", link])),
  ...rows("TRN-09 wrong-value", "the content type is not JSON", [
    { endpoint: "GET /workers/{id}", status: "404" },
    { endpoint: link, status: "409" },
    { endpoint: "GET /credentials", status: "403" },
    { endpoint: "POST /workers", status: "400" }
  ]),
  ...rows(
    "ENV-01 wrong-type",
    "meta is a list",
    each("endpoint", [link, "POST /credentials/transfer", "POST /workers", "GET /credentials/{id}"])
  ),
  ...row("CRD-04 missing", "data is null", { endpoint: "GET /credentials/{id}" }),
  ...row("WRK-08 wrong-type", "data is null", { endpoint: "GET /workers" }),
  ...row("EVT-08 missing", "data is null", { endpoint: "POST /webhooks/{id}/rotate" }),
  ...rows("ENV-11 missing", "data is null", each("endpoint", ["POST /exemptions", "POST /fetch-requests"])),
  ...rows("ENV-02 wrong-type", "a request id that is a number", [
    { endpoint: "GET /credentials/{id}", status: "404" },
    { endpoint: link, status: "409" },
    { endpoint: "GET /workers", status: "403" }
  ])
]

const ids: ReadonlyArray<Fault> = [
  ...rows(
    "RID-03 wrong-value",
    "a refusal adopts the caller's request id",
    each("status", ["400", "403", "404", "409", "422"], { form: "UUID" })
  ),
  ...row("RID-03 wrong-value", "a refusal adopts the caller's request id", { status: "404", form: "ULID" }),
  ...rows(
    "RID-03 wrong-value",
    "the caller's request id is adopted",
    each("endpoint", [link, "POST /credentials/transfer"], { form: "UUID" })
  ),
  ...rows(
    "RID-02 missing",
    "no meta.requestId",
    each("endpoint", [link, "POST /credentials/link", "POST /webhooks/{id}/rotate", "GET /credentials/{id}"])
  ),
  ...row("ENV-11 repeated", "the caller chooses the id", { endpoint: "POST /applicants" }),
  ...rows(
    "ENV-11 repeated",
    "the caller chooses the id",
    each("endpoint", ["POST /exemptions", "POST /webhooks", "POST /fetch-requests", "POST /recruitment-checks"])
  )
]

const batches: ReadonlyArray<Fault> = [
  ...rows("BLK-18 wrong-value", "a no-op counts as failed", both),
  ...rows("BLK-18 wrong-value", "a skipped item counts as succeeded", both),
  ...rows("BLK-01 status", "a batch is 202", each("size", ["one", "several"], bulkLink)),
  ...rows("BLK-02 status", "a batch is 202", each("size", ["one", "several"], bulkTransfer)),
  ...row("BLK-01 missing", "the items are an object", bulkLink),
  ...row("BLK-02 missing", "the items are an object", bulkTransfer),
  ...rows("BLK-12 status", "a batch of conflicts is 409", cross(both, each("size", ["one", "several"]))),
  ...rows("BLK-12 status", "a batch with a skipped item is 207", cross(both, each("size", ["one"]))),
  ...row("OWN-21 status", "a batch of no-ops is 304", { ...bulkTransfer, size: "one" }),
  ...row("BLK-16 status", "a batch of no-ops is 304", { ...bulkTransfer, size: "several" }),
  ...rows("BLK-01 status", "a batch of no-ops is 304", each("size", ["one"], bulkLink)),
  ...row("BLK-10 status", "a batch without ids is refused", { ...bulkTransfer, slot: "worker" }),
  ...row("OWN-21 status", "a batch without ids is refused", { ...bulkTransfer, slot: "applicant" }),
  ...rows("BLK-11 status", "a batch without ids is refused", each("slot", ["worker", "applicant"], bulkLink)),
  ...row("OWN-21 wrong-value", "a batch without ids misses the last", { ...bulkTransfer, slot: "applicant" }),
  ...row("BLK-11 wrong-value", "a batch without ids misses the last", { ...bulkLink, slot: "applicant" }),
  ...["has the first only", "has another credential"].flatMap((wrong) => [
    ...row("BLK-10 wrong-value", `a batch without ids ${wrong}`, { ...bulkTransfer, slot: "applicant" }),
    ...row("BLK-11 wrong-value", `a batch without ids ${wrong}`, { ...bulkLink, slot: "applicant" })
  ]),
  ...rows("BLK-03 missing", "an item has no credentialId", cross(both, each("index", ["between"]))),
  ...rows("BLK-06 missing", "a skipped item has no error", [
    { ...bulkLink, code: "NOT_FOUND" },
    { ...bulkTransfer, code: "NOT_FOUND" },
    { ...bulkLink, code: "ALREADY_LINKED" },
    { ...bulkTransfer, code: "OWNER_MISMATCH" }
  ]),
  ...rows(
    "BLK-13 wrong-value",
    "a skipped item has another word",
    cross(both, each("code", ["NOT_FOUND"], { index: "first" }))
  ),
  ...row("BLK-17 missing", "a fetch request of a batch is not stored")
]

/** Faults of parts of a response. */
export const responseFaults: ReadonlyArray<Fault> = [...envelopes, ...ids, ...batches]
