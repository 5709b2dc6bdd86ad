import { cross, each, type Fault, madeBy, row, rows } from "./Rows.ts"

// The state after a call: what a refused call has done, and what other callers see of an accepted one.

const link = { endpoint: "POST /credentials/{id}/link" }
const unlink = { endpoint: "POST /credentials/{id}/unlink" }
const transfer = { endpoint: "POST /credentials/{id}/transfer" }
const both = each("endpoint", ["POST /credentials/link", "POST /credentials/transfer"])

const refusedWrites: ReadonlyArray<Fault> = [
  ...row("WRK-01 wrong-value", "a refused create is stored", { endpoint: "POST /workers", reason: "field" }),
  ...rows(
    "ENV-05 changed",
    "a refused create is stored",
    each(
      "endpoint",
      ["POST /applicants", "POST /credentials", "POST /exemptions", "POST /webhooks", "POST /fetch-requests"],
      { reason: "field" }
    )
  ),
  // lists cannot show what it has stored
  ...row("ENV-12 status", "a refused create is stored", { endpoint: "POST /workers", reason: "type" }),
  ...row("ENV-06 changed", "a refused create is stored", { endpoint: "POST /credentials", reason: "type" }),
  ...row("ENV-10 changed", "a refused create is stored", { endpoint: "POST /exemptions", reason: "rule" }),
  ...rows(
    "ENV-05 changed",
    "a refused update is stored",
    each("endpoint", ["PUT /workers/{id}", "PUT /exemptions/{id}"], { reason: "field" })
  ),
  ...rows(
    "ENV-06 changed",
    "a refused update is stored",
    each("endpoint", ["PUT /workers/{id}", "PATCH /webhooks/{id}"], { reason: "type" })
  ),
  ...row("DEL-05 changed", "a refused duplicate is stored", { state: "live" }),
  ...row("DEL-06 changed", "a refused duplicate is stored", { state: "deleted" }),
  ...row("TRN-02 wrong-value", "plain HTTP is refused and done", { endpoint: "POST /workers" }),
  ...rows("TRN-02 changed", "plain HTTP is refused and done", [
    { endpoint: "POST /credentials" },
    { endpoint: "PUT /workers/{id}" },
    { endpoint: "DELETE /workers/{id}" },
    link
  ]),
  ...rows(
    "ENV-06 unexpected",
    "a refused value of another type starts a verification",
    each("type", ["string", "number"], { field: "forceRefresh" })
  )
]

const flaws = ["an unknown type", "no type", "no id", "an empty id"]

const refusedOwners: ReadonlyArray<Fault> = [
  ...rows(
    "OWN-16 changed",
    "a refused operation is stored",
    cross(
      [link, unlink, transfer],
      each(
        "reason",
        flaws.map((flaw) => `reference: ${flaw}`)
      )
    ).filter(({ endpoint, reason }) => endpoint !== unlink.endpoint || reason?.endsWith(" type") === true)
  ),
  ...rows(
    "OWN-06 changed",
    "a refused operation is stored",
    cross([link, transfer], each("reason", ["kind of owner"]))
  ),
  ...rows("OWN-21 changed", "a refused operation is stored", cross([link, transfer], each("reason", ["unknown"]))),
  ...row("OWN-21 changed", "a refused operation is stored", { ...transfer, reason: "types" }),
  ...rows("BLK-09 changed", "a refused batch is done", cross(both, each("reason", ["size"]))),
  ...rows("ENV-06 changed", "a refused batch is done", cross(both, each("reason", ["type"]))),
  ...rows("BLK-15 changed", "a refused batch is done", cross(both, each("reason", ["twice"]))),
  ...rows("OWN-16 changed", "a refused batch is done", cross(both, each("reason", ["reference: no type"])))
]

const withoutPrivilege: ReadonlyArray<Fault> = [
  ...madeBy(
    "PRV-16",
    "the call is made before the privilege is checked",
    each("endpoint", ["POST /credentials/{id}/verify", "POST /webhooks/{id}/rotate"])
  ),
  ...rows(
    "PRV-09 changed",
    "the call is made before the privilege is checked",
    each("endpoint", [
      "POST /fetch-requests/batch",
      "POST /webhooks/{id}/deliveries/{id}/again",
      "POST /applicants",
      "POST /recruitment-checks",
      "POST /fetch-requests",
      "POST /credentials",
      "POST /webhooks",
      "PATCH /applicants/{id}",
      "PUT /recruitment-checks/{id}",
      "PUT /compliance-checks/{id}",
      "PATCH /webhooks/{id}",
      "DELETE /applicants/{id}",
      "DELETE /recruitment-checks/{id}",
      "DELETE /compliance-checks/{id}",
      "DELETE /webhooks/{id}"
    ])
  )
]

const otherReaders: ReadonlyArray<Fault> = [
  ...rows(
    "OAU-18 status",
    "a resource is hidden from other callers",
    each("endpoint", ["GET /workers/{id}", "GET /credentials/{id}"], { caller: "second client" })
  ),
  ...row("OAU-18 missing", "a resource is hidden from other callers", {
    endpoint: "GET /workers",
    caller: "second client"
  }),
  ...rows(
    "AUT-10 status",
    "a resource is hidden from other callers",
    each(
      "endpoint",
      [
        "GET /workers/{id}",
        "GET /credentials/{id}",
        "GET /credentials",
        "PUT /workers/{id}",
        "DELETE /workers/{id}",
        link.endpoint,
        transfer.endpoint
      ],
      { kind: "personal" }
    )
  ),
  ...rows(
    "OWN-07 wrong-value",
    "another caller sees the state before",
    each("endpoint", ["GET /credentials/{id}", "GET /credentials"], { kind: "personal" })
  ),
  ...row("OAU-18 status", "another caller sees the state before", {
    endpoint: "GET /credentials/{id}",
    caller: "second client"
  }),
  ...row("AUT-10 wrong-value", "another caller sees the state before", {
    endpoint: "GET /workers/{id}",
    kind: "personal"
  })
]

const accepted: ReadonlyArray<Fault> = [
  ...row("EVT-06 missing", "a delivery is not sent again"),
  ...rows(
    "OWN-22 status",
    "a delete is refused",
    each("owners", ["worker", "applicant"], { endpoint: "DELETE /credentials/{id}" })
  ),
  ...row("DEL-01 status", "a delete is refused", { endpoint: "DELETE /credentials/{id}", owners: "both" })
]

/** Faults of the state after a call. */
export const aftermathFaults: ReadonlyArray<Fault> = [
  ...refusedWrites,
  ...refusedOwners,
  ...withoutPrivilege,
  ...otherReaders,
  ...accepted
]
