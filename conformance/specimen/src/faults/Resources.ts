import { cross, each, endpoints, type Fault, isDelete, row, rows, some } from "./Rows.ts"

const lookup = { endpoint: "GET /workers", parameter: "externalId" }
const owned = { endpoint: "GET /credentials", parameter: "ownerExternalId" }
const nears = [
  "prefix",
  "suffix",
  "substring",
  "longer value",
  "padding",
  "Unicode form",
  "punctuation",
  "wildcard",
  "first 16 characters"
]

const workers: ReadonlyArray<Fault> = [
  ...rows(
    "WRK-01",
    "a required field may be missing",
    each("kind", ["personal"], { endpoint: "POST /workers", field: "displayName" })
  ),
  ...row("WRK-02", "no Location", { endpoint: "POST /workers", kind: "personal" }),
  ...row("WRK-02", "no data", { endpoint: "POST /workers" }),
  ...row("WRK-02", "a create is 200", { endpoint: "POST /workers", time: "again" }),
  ...row("WRK-03", "the caller chooses the id", { endpoint: "POST /workers" }),
  ...row("WRK-03", "an id has no prefix", { endpoint: "POST /workers" }),
  ...row("WRK-03", "an id has another prefix", { endpoint: "POST /workers" }),
  ...row("WRK-04", "the same externalId finds the same resource", { endpoint: "POST /workers" }),
  ...rows(
    "WRK-05",
    "a lookup misses",
    each("odd", ["plain", "wildcard", "foreign", "emoji", "long", "padded", "quote", "markup", "decomposed"], lookup)
  ),
  ...row("WRK-05", "a lookup misses", { ...lookup, kind: "personal" }),
  ...row("WRK-05", "a lookup misses", { ...lookup, host: "second" }),
  ...rows("WRK-06", "a lookup is inexact", each("near", nears, lookup)),
  ...rows("WRK-06", "a lookup is inexact", each("kind", ["personal"], { ...lookup, near: "prefix" })),
  ...rows("WRK-07", "an empty list is 404", each("endpoint", ["GET /workers", "GET /credentials"])),
  ...rows(
    "WRK-08",
    "a list is an object",
    cross(each("length", ["empty", "filled"]), each("endpoint", ["GET /workers", "GET /credentials"]))
  ),
  ...rows("WRK-09", "pageSize is ignored", each("size", ["one", "several"], { endpoint: "GET /workers" })),
  ...rows("WRK-09", "one too many", each("size", ["one", "several"], { endpoint: "GET /workers" })),
  ...row("WRK-09", "pageSize is ignored", { endpoint: "GET /workers", kind: "personal" }),
  ...row("WRK-12", "the same body finds the same resource", { endpoint: "POST /workers" }),
  ...row("WRK-12", "the same body finds the same resource", { endpoint: "POST /workers", kind: "personal" }),
  ...rows(
    "WRK-13",
    "an idempotency key repeats the answer",
    each("endpoint", ["POST /workers", "POST /credentials", "POST /applicants", "POST /exemptions"])
  ),
  ...rows(
    "WRK-14",
    "an externalId is stored otherwise",
    each("odd", ["plain", "padded", "foreign", "emoji", "long", "quote", "decomposed"], { endpoint: "POST /workers" })
  ),
  ...rows("WRK-14", "no externalId is shown", each("endpoint", ["POST /workers", "GET /workers"]))
]

const credentials: ReadonlyArray<Fault> = [
  ...rows("CRD-01", "no Location", [
    { endpoint: "POST /credentials" },
    { endpoint: "POST /credentials", kind: "personal" }
  ]),
  ...row("CRD-01", "a create is 200", { endpoint: "POST /credentials", time: "again" }),
  ...row("CRD-02", "a create has no correlationId", { endpoint: "POST /credentials" }),
  ...row("CRD-02", "a create has no correlationId", { endpoint: "POST /credentials", kind: "personal" }),
  ...row("CRD-02", "a create has an empty correlationId", { endpoint: "POST /credentials" }),
  ...row("CRD-03", "an id has no prefix", { endpoint: "POST /credentials" }),
  ...row("CRD-03", "an id has another prefix", { endpoint: "POST /credentials" }),
  ...row("CRD-03", "the caller chooses the id", { endpoint: "POST /credentials" }),
  ...rows("CRD-04", "no owners are shown", each("endpoint", ["GET /credentials/{id}", "GET /credentials"])),
  ...row("CRD-04", "owners are outside the attributes", { endpoint: "GET /credentials/{id}" }),
  ...rows(
    "CRD-04",
    "an empty slot has no key",
    each("slot", ["worker", "applicant"], { endpoint: "GET /credentials/{id}" })
  ),
  ...rows("CRD-05", "a slot is a list", each("slot", ["worker", "applicant"], { endpoint: "GET /credentials/{id}" })),
  ...row("CRD-05", "the slots are confused", { endpoint: "GET /credentials/{id}" }),
  ...rows("CRD-06", "a lookup misses", each("owner", ["worker", "applicant"], owned)),
  ...rows("CRD-06", "a lookup misses", each("odd", ["wildcard", "foreign", "padded"], owned)),
  ...rows(
    "CRD-06",
    "a lookup is inexact",
    cross(each("near", some(nears, 6)), each("owner", ["worker", "applicant"], owned))
  ),
  ...row("CRD-06", "a former owner still finds the credential", { endpoint: "GET /credentials" }),
  ...row("CRD-07", "an empty list is 404", { endpoint: "GET /credentials", kind: "personal" }),
  ...row("CRD-08", "the same body finds the same resource", { endpoint: "POST /credentials" }),
  ...row("CRD-09", "a create starts no verification", { endpoint: "POST /credentials" }),
  ...row("CRD-09", "a create starts no verification", { endpoint: "POST /credentials", kind: "personal" }),
  ...rows("CRD-10", "an id has no prefix", each("endpoint", ["POST /applicants"])),
  ...rows("CRD-10", "an id has another prefix", each("endpoint", ["POST /applicants"]))
]

const deletes = endpoints(isDelete)

const deletion: ReadonlyArray<Fault> = [
  ...rows("DEL-01", "a delete is 200", each("endpoint", deletes)),
  ...rows("DEL-01", "a delete has a body", each("endpoint", some(deletes, 5))),
  ...rows("DEL-01", "a delete is 202", each("endpoint", some(deletes, 4, 1))),
  ...rows("DEL-02", "a second delete is 404", each("endpoint", deletes)),
  ...rows("DEL-02", "a second delete is a conflict", each("endpoint", some(deletes, 4, 1))),
  ...rows("DEL-02", "a second delete restores", each("endpoint", some(deletes, 4))),
  ...row("DEL-04", "a code is not the id", { endpoint: "POST /compliance-checks" }),
  ...rows("DEL-05", "a code is used twice", each("state", ["live"])),
  ...rows("DEL-06", "a code is used twice", each("state", ["deleted"])),
  ...row("DEL-05", "a code of another row", { endpoint: "POST /compliance-checks", status: "409" })
]

const forces = ["absent", "true", "false"]
const verified = ["eligibility", "statusDetail", "correlationId", "requestId", "errorMessage"]

const verification: ReadonlyArray<Fault> = [
  ...verified.flatMap((name, index) => [
    ...row(name === "errorMessage" ? "VER-03" : "VER-01", "a field is missing", {
      name,
      force: forces[index % 3] ?? ""
    }),
    ...row(name === "errorMessage" ? "VER-03" : "VER-01", "a field has another type", {
      name,
      force: forces[(index + 1) % 3] ?? ""
    }),
    ...row(name === "errorMessage" ? "VER-03" : "VER-01", "a field is missing", { name, kind: "personal" })
  ]),
  ...rows("VER-02", "a date has a time", each("force", forces)),
  ...rows("VER-02", "a date has slashes", each("force", forces)),
  ...rows(
    "VER-04",
    "a correlationId is not echoed",
    each("odd", ["plain", "long", "foreign", "emoji", "wildcard", "quote", "padded"])
  ),
  ...row("VER-04", "a correlationId is cut", { length: "over 36" }),
  ...row("VER-04", "a neighbour of the placeholder is refused"),
  ...row("VER-05", "a correlation id is used again"),
  ...row("VER-06", "the placeholder is accepted"),
  ...row("VER-06", "the placeholder is accepted", { kind: "personal" }),
  ...row("VER-06", "a refused verification starts"),
  ...rows("VER-07", "forceRefresh is refused", each("force", ["true", "false"])),
  ...row("VER-07", "forceRefresh is refused", { force: "false", kind: "personal" })
]

const triggers = each("trigger", ["create", "verify"])
const attempts = ["first", "retry", "redrive"]

const events: ReadonlyArray<Fault> = [
  ...rows("EVT-01", "an event is not sent", each("force", ["true"], { trigger: "verify" })),
  ...row("EVT-01", "an event is not sent", { trigger: "verify", force: "true", kind: "personal" }),
  ...rows("EVT-02", "an event is not sent", each("trigger", ["create"])),
  ...rows("EVT-02", "an event is not sent", each("webhook", ["later"], { trigger: "create" })),
  ...rows("EVT-01", "an event has another correlation id", each("force", ["true"], { trigger: "verify" })),
  ...rows("EVT-02", "an event has another correlation id", each("trigger", ["create"])),
  ...rows("EVT-01", "an event has no correlation id", each("force", ["true"], { trigger: "verify" })),
  ...rows("EVT-02", "an event has no correlation id", each("trigger", ["create"])),
  ...rows("EVT-01", "an event's correlation id is cut", each("trigger", ["verify"])),
  ...rows("EVT-03", "a delivery has no delivery id", cross(each("attempt", attempts), [{}])),
  ...rows("EVT-03", "a delivery has no delivery id", triggers),
  ...rows("EVT-03", "a delivery has another deliveryId in its body", each("attempt", attempts)),
  ...rows("EVT-04", "two events have one delivery id", triggers),
  ...row("EVT-05", "an attempt has a delivery id of its own", { attempt: "retry" }),
  ...row("EVT-05", "an attempt has another correlation id", { attempt: "retry" }),
  ...rows(
    "EVT-05",
    "an attempt has a delivery id of its own",
    each("trigger", ["create", "verify"], { attempt: "retry" })
  ),
  ...row("EVT-06", "an attempt has a delivery id of its own", { attempt: "redrive" }),
  ...rows("EVT-07", "a delivery has no signature", each("attempt", attempts)),
  ...rows("EVT-07", "a delivery has no signature", triggers),
  ...rows("EVT-07", "the signature is of another body", each("attempt", attempts)),
  ...rows("EVT-07", "the signature has another secret", each("attempt", attempts, { rotated: "no" })),
  ...rows("EVT-10", "the signature has another secret", each("attempt", ["first"], { rotated: "yes" })),
  ...rows("EVT-10", "a delivery has no signature", each("rotated", ["yes"])),
  ...rows("EVT-08", "a rotation keeps the secret", each("rotation", ["first", "second"])),
  ...rows("EVT-08", "a rotation shows no secret", each("rotation", ["first", "second"])),
  ...rows(
    "EVT-09",
    "a secret is shown again",
    each("endpoint", ["GET /webhooks", "GET /webhooks/{id}", "PATCH /webhooks/{id}"])
  )
]

/** Faults of WRK, CRD, DEL, VER and EVT. */
export const resourceFaults: ReadonlyArray<Fault> = [
  ...workers,
  ...credentials,
  ...deletion,
  ...verification,
  ...events
]
