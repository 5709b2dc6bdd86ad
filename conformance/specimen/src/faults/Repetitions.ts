import { cross, each, type Fault, row, rows } from "./Rows.ts"

// Calls that are repeated, and calls that follow a refusal or a no-op.

const slots = ["worker", "applicant"]
const link = { endpoint: "POST /credentials/{id}/link" }
const unlink = { endpoint: "POST /credentials/{id}/unlink" }
const transfer = { endpoint: "POST /credentials/{id}/transfer" }

const remembered: ReadonlyArray<Fault> = [
  ...row("ENV-05 status", "a refusal is remembered", { endpoint: "POST /workers" }),
  ...row("CRD-01 status", "a refusal is remembered", { endpoint: "POST /credentials" }),
  ...rows(
    "ENV-11 status",
    "a refusal is remembered",
    each("endpoint", ["POST /applicants", "POST /exemptions", "POST /webhooks"])
  ),
  ...row("ENV-05 status", "a refusal is remembered", { endpoint: "POST /compliance-checks" }),
  ...row("RID-06 status", "a refusal is remembered", { endpoint: "GET /workers" }),
  ...row("ENV-17 status", "a refusal is remembered", { endpoint: "GET /credentials/{id}" }),
  ...row("OWN-21 status", "a refusal is remembered", link),
  ...row("OWN-21 status", "a refusal is remembered", unlink),
  ...row("OWN-07 status", "a refusal is remembered", transfer),
  ...row("BLK-08 status", "a refusal is remembered", { endpoint: "POST /credentials/link" }),
  ...row("BLK-08 status", "a refusal is remembered", { endpoint: "POST /credentials/transfer" }),
  ...row("TRN-04 status", "a refusal is remembered", { endpoint: "POST /credentials/{id}/verify" }),
  ...row("TRN-04 status", "a refusal is remembered", { endpoint: "POST /webhooks/{id}/rotate" })
]

const reads: ReadonlyArray<Fault> = [
  ...rows(
    "ENV-17 status",
    "a read is 304",
    each("endpoint", ["GET /credentials/{id}", "GET /workers"], { repeat: "second" })
  ),
  ...row("ENV-17 changed", "a read is 304", { repeat: "second", endpoint: "GET /workers/{id}" }),
  ...rows(
    "DEL-03 changed",
    "a read is 304",
    each("endpoint", ["GET /applicants/{id}", "GET /webhooks/{id}"], { repeat: "second" })
  ),
  ...row("OWN-07 wrong-value", "a read gives an earlier result", { endpoint: "GET /credentials/{id}" })
]

const writes: ReadonlyArray<Fault> = [
  ...rows(
    "ENV-11 status",
    "a create is 200",
    each("endpoint", ["POST /exemptions", "POST /webhooks"], { repeat: "second" })
  ),
  ...row("WRK-02 status", "a create is 200", { endpoint: "POST /workers", after: "refusal" }),
  ...row("CRD-01 status", "a create is 200", { endpoint: "POST /credentials", after: "refusal" }),
  ...row("ENV-11 missing", "no Location", { endpoint: "POST /webhooks", after: "success" }),
  ...row("ENV-11 missing", "no Location", { endpoint: "POST /applicants", after: "refusal" }),
  ...row("CRD-02 missing", "a create has no correlationId", { endpoint: "POST /credentials", repeat: "second" }),
  ...row("CRD-02 missing", "a create has no correlationId", { endpoint: "POST /credentials", after: "refusal" }),
  ...rows("ENV-16 status", "a repeated update is a conflict", [
    { endpoint: "PUT /workers/{id}", repeat: "second", after: "success" }
  ]),
  ...rows(
    "DEL-07 status",
    "a delete is 200",
    each("endpoint", ["DELETE /workers/{id}", "DELETE /credentials/{id}"], { repeat: "second" })
  ),
  ...rows(
    "DEL-01 unexpected",
    "a delete has a body",
    each("endpoint", ["DELETE /workers/{id}", "DELETE /credentials/{id}"], { repeat: "second" })
  ),
  ...row("DEL-02 status", "a second delete is 404", { endpoint: "DELETE /credentials/{id}", repeat: "later" }),
  ...rows(
    "DEL-02 changed",
    "a second delete moves the time of deletion",
    each("endpoint", ["DELETE /workers/{id}", "DELETE /credentials/{id}"])
  ),
  ...rows(
    "DEL-03 changed",
    "a second delete moves the time of deletion",
    each("endpoint", ["DELETE /applicants/{id}", "DELETE /exemptions/{id}", "DELETE /webhooks/{id}"])
  ),
  ...row("VER-05 repeated", "a correlation id is used again", { repeat: "second" }),
  ...row("VER-07 status", "forceRefresh is refused", { force: "true", repeat: "second" }),
  ...row("VER-04 wrong-value", "a correlationId is not echoed", { after: "refusal" }),
  ...row("EVT-01 missing", "an event is not sent", { trigger: "verify", force: "true", after: "success" }),
  ...row("EVT-02 missing", "an event is not sent", { trigger: "create", after: "refusal" })
]

const refusedLink = { ...link, last: "a refusal" }
const refusedUnlink = { ...unlink, last: "a refusal" }
const refusedTransfer = { ...transfer, last: "a refusal" }

const owners: ReadonlyArray<Fault> = [
  ...rows("OWN-03 status", "a repeated link is refused", cross(each("last", ["a no-op"], link), each("slot", slots))),
  ...rows("OWN-21 status", "a repeated link is refused", each("slot", ["worker"], refusedLink)),
  ...row("OWN-21 changed", "a repeated link empties the slot", refusedLink),
  ...rows("OWN-15 changed", "a repeated link empties the slot", each("last", ["a no-op"], link)),
  ...rows("OWN-17 status", "a link replaces the owner", each("slot", ["worker"], refusedLink)),
  ...rows("OWN-17 wrong-value", "a link replaces the owner", each("slot", ["applicant"], refusedLink)),
  ...rows("OWN-04 status", "a link replaces the owner", each("last", ["a no-op"], link)),
  ...row("OWN-21 changed", "a refused link replaces the owner", refusedLink),
  ...rows("OWN-21 status", "a transfer needs no right owner", each("slot", ["worker"], refusedTransfer)),
  ...rows("OWN-21 changed", "a transfer needs no right owner", each("slot", ["applicant"], refusedTransfer)),
  ...row("OWN-21 changed", "a refused transfer is stored", refusedTransfer),
  ...rows("OWN-07 status", "a transfer is refused", each("slot", slots, refusedTransfer)),
  ...rows("OWN-19 status", "a repeated transfer is refused", each("last", ["a no-op"], transfer)),
  ...rows("OWN-18 missing", "the last owner is unlinked", each("slot", slots, refusedUnlink)),
  ...row("OWN-23 missing", "a refused unlink empties the slot", refusedUnlink),
  ...rows("OWN-19 status", "unlinking an empty slot is refused", each("last", ["a no-op"], unlink)),
  ...rows("OWN-14 status", "unlinking an empty slot is refused", each("last", ["a success"], unlink)),
  ...row("OWN-23 wrong-value", "an unlink is not stored", refusedUnlink),
  ...rows("OWN-17 wrong-value", "a link is not stored", each("slot", ["worker"], refusedLink))
]

const held = { other: "held" }

const otherSlot: ReadonlyArray<Fault> = [
  ...row("OWN-01 wrong-value", "a link is not stored", { ...held, ...link, slot: "worker" }),
  ...row("OWN-02 wrong-value", "a link is not stored", { ...held, ...link, slot: "applicant" }),
  ...rows("OWN-07 wrong-value", "a transfer is not stored", each("slot", slots, { ...held, ...transfer })),
  ...row("OWN-07 wrong-value", "a transfer is not stored", { other: "empty", ...transfer, slot: "worker" }),
  ...row("OWN-23 wrong-value", "a transfer is not stored", { other: "empty", ...transfer, slot: "applicant" }),
  ...row("OWN-17 status", "a link replaces the owner", { ...held, ...link, slot: "worker" }),
  ...row("OWN-04 status", "a link replaces the owner", { ...held, ...link, slot: "applicant" }),
  ...row("OWN-21 changed", "a refused transfer is stored", { ...held, ...transfer, slot: "worker" }),
  ...row("OWN-08 changed", "a refused transfer is stored", { ...held, ...transfer, slot: "applicant" })
]

/** Faults of repeated calls, and of calls after others. */
export const repetitionFaults: ReadonlyArray<Fault> = [...remembered, ...reads, ...writes, ...owners, ...otherSlot]
