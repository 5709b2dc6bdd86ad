import { cross, each, endpoints, type Fault, isDelete, row, rows, some } from "./Rows.ts"

const lookup = { endpoint: "GET /workers", parameter: "externalId" }
const owned = { endpoint: "GET /credentials", parameter: "ownerExternalId" }
const byName = { endpoint: "GET /workers", query: "externalId" }
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
    "AUT-10 status",
    "a required field may be missing",
    each("kind", ["personal"], { endpoint: "POST /workers", field: "displayName" })
  ),
  ...row("WRK-02 missing", "no Location", { endpoint: "POST /workers", kind: "personal" }),
  ...row("WRK-02 missing", "no data", { endpoint: "POST /workers" }),
  ...row("WRK-02 wrong-type", "data is a list of one", { endpoint: "POST /workers" }),
  ...row("WRK-02 wrong-value", "an empty Location", { endpoint: "POST /workers" }),
  ...row("WRK-02 status", "a create is 200", { endpoint: "POST /workers", time: "again" }),
  ...row("WRK-03 repeated", "the caller chooses the id", { endpoint: "POST /workers" }),
  ...row("WRK-03 status", "an id in the body of a create fails", { endpoint: "POST /workers" }),
  ...row("WRK-03 wrong-value", "an id has no prefix", { endpoint: "POST /workers" }),
  ...row("WRK-03 wrong-value", "an id has another prefix", { endpoint: "POST /workers" }),
  ...row("WRK-04 repeated", "the same externalId finds the same resource", { endpoint: "POST /workers" }),
  ...rows(
    "WRK-05 missing",
    "a lookup misses",
    each("odd", ["plain", "wildcard", "foreign", "emoji", "long", "padded", "quote", "markup", "decomposed"], lookup)
  ),
  ...row("AUT-10 wrong-value", "a lookup misses", { ...lookup, kind: "personal" }),
  ...row("WRK-05 missing", "a lookup misses", { ...lookup, host: "second" }),
  ...rows("WRK-06 unexpected", "a lookup is inexact", each("near", nears, lookup)),
  ...rows("WRK-06 unexpected", "a lookup is inexact", each("kind", ["personal"], { ...lookup, near: "prefix" })),
  ...row("WRK-07 status", "an empty list is 404", { endpoint: "GET /workers" }),
  ...row("CRD-07 status", "an empty list is 404", { endpoint: "GET /credentials" }),
  ...row("WRK-07 wrong-value", "a list is an object", { length: "empty", endpoint: "GET /workers" }),
  ...row("CRD-07 wrong-type", "a list is an object", { length: "empty", endpoint: "GET /credentials" }),
  ...row("WRK-05 wrong-type", "a list is an object", { ...byName, length: "filled" }),
  ...row("WRK-06 wrong-type", "a list is an object", { ...byName, length: "empty" }),
  ...row("WRK-16 wrong-type", "a list is an object", { ...byName, length: "empty", kind: "oauth" }),
  ...row("WRK-06 status", "an empty list is 404", byName),
  ...row("WRK-16 status", "an empty list is 404", { ...byName, kind: "oauth" }),
  ...row("WRK-16 unexpected", "a lookup is inexact", { ...lookup, near: "letter case" }),
  ...row("WRK-08 status", "a list is 206", { endpoint: "GET /workers" }),
  ...row("WRK-08 missing", "a list is an object", { length: "filled", endpoint: "GET /workers" }),
  ...row("CRD-06 wrong-type", "a list is an object", { length: "filled", endpoint: "GET /credentials" }),
  ...rows("WRK-09 wrong-value", "pageSize is ignored", each("size", ["one", "several"], { endpoint: "GET /workers" })),
  ...rows("WRK-09 wrong-value", "one too many", each("size", ["one", "several"], { endpoint: "GET /workers" })),
  ...row("WRK-09 wrong-value", "pageSize is ignored", { endpoint: "GET /workers", kind: "personal" }),
  ...row("WRK-11 status", "an external id is required", { endpoint: "POST /workers" }),
  ...row("WRK-12 status", "the same body fails the second time", { endpoint: "POST /workers" }),
  ...row("WRK-13 status", "an idempotency key is refused the second time", { endpoint: "POST /workers" }),
  ...row("WRK-12 repeated", "the same body finds the same resource", { endpoint: "POST /workers" }),
  ...row("WRK-12 repeated", "the same body finds the same resource", { endpoint: "POST /workers", kind: "personal" }),
  ...rows(
    "WRK-13 repeated",
    "an idempotency key repeats the answer",
    each("endpoint", ["POST /workers", "POST /credentials"])
  ),
  ...rows(
    "ENV-11 repeated",
    "an idempotency key repeats the answer",
    each("endpoint", ["POST /applicants", "POST /exemptions"])
  ),
  ...rows(
    "WRK-14 changed",
    "an externalId is stored otherwise",
    each("odd", ["plain", "padded", "foreign", "emoji", "long", "quote", "decomposed"], { endpoint: "POST /workers" })
  ),
  ...rows("WRK-14 changed", "no externalId is shown", each("endpoint", ["POST /workers", "GET /workers"]))
]

const credentials: ReadonlyArray<Fault> = [
  ...rows("CRD-01 missing", "no Location", [
    { endpoint: "POST /credentials" },
    { endpoint: "POST /credentials", kind: "personal" }
  ]),
  ...row("CRD-01 status", "a create is 200", { endpoint: "POST /credentials", time: "again" }),
  ...row("CRD-02 missing", "a create has no correlationId", { endpoint: "POST /credentials" }),
  ...row("CRD-02 missing", "a create has no correlationId", { endpoint: "POST /credentials", kind: "personal" }),
  ...row("CRD-02 wrong-type", "a create has an empty correlationId", { endpoint: "POST /credentials" }),
  ...row("CRD-03 wrong-value", "an id has no prefix", { endpoint: "POST /credentials" }),
  ...row("CRD-03 wrong-value", "an id has another prefix", { endpoint: "POST /credentials" }),
  ...row("CRD-03 repeated", "the caller chooses the id", { endpoint: "POST /credentials" }),
  ...row("CRD-04 missing", "no owners are shown", { endpoint: "GET /credentials/{id}" }),
  ...row("CRD-06 unexpected", "no owners are shown", { endpoint: "GET /credentials" }),
  ...row("CRD-04 missing", "owners are outside the attributes", { endpoint: "GET /credentials/{id}" }),
  ...rows(
    "CRD-04 missing",
    "an empty slot has no key",
    each("slot", ["worker", "applicant"], { endpoint: "GET /credentials/{id}" })
  ),
  ...rows(
    "CRD-05 wrong-value",
    "a slot is a list",
    each("slot", ["worker", "applicant"], { endpoint: "GET /credentials/{id}" })
  ),
  ...row("CRD-05 wrong-value", "the slots are confused", { endpoint: "GET /credentials/{id}" }),
  ...row("CRD-06 missing", "a lookup misses", { ...owned, owner: "worker" }),
  ...row("CRD-06 wrong-value", "a lookup misses", { ...owned, owner: "applicant" }),
  ...rows("CRD-06 missing", "a lookup misses", each("odd", ["wildcard", "foreign", "padded"], owned)),
  ...rows(
    "CRD-07 wrong-value",
    "a lookup is inexact",
    cross(each("near", some(nears, 6)), [{ ...owned, owner: "worker" }])
  ),
  ...rows(
    "CRD-06 unexpected",
    "a lookup is inexact",
    cross(each("near", some(nears, 6)), [{ ...owned, owner: "applicant" }])
  ),
  ...row("CRD-06 unexpected", "a former owner still finds the credential", { endpoint: "GET /credentials" }),
  ...row("AUT-10 status", "an empty list is 404", { endpoint: "GET /credentials", kind: "personal" }),
  ...row("CRD-01 wrong-value", "an empty Location", { endpoint: "POST /credentials" }),
  ...row("CRD-08 status", "the same body fails the second time", { endpoint: "POST /credentials" }),
  ...row("CRD-08 repeated", "the same body finds the same resource", { endpoint: "POST /credentials" }),
  ...row("CRD-09 missing", "a create starts no verification", { endpoint: "POST /credentials" }),
  ...row("CRD-09 missing", "a create starts no verification", { endpoint: "POST /credentials", kind: "personal" }),
  ...rows("CRD-10 wrong-value", "an id has no prefix", each("endpoint", ["POST /applicants"])),
  ...rows("CRD-10 wrong-value", "an id has another prefix", each("endpoint", ["POST /applicants"]))
]

const deletes = endpoints(isDelete)
const basic = ["DELETE /workers/{id}", "DELETE /credentials/{id}"]
const others = (list: ReadonlyArray<string>) => list.filter((endpoint) => !basic.includes(endpoint))

const deletion: ReadonlyArray<Fault> = [
  ...rows("DEL-01 status", "a delete is 200", each("endpoint", basic)),
  ...rows("DEL-03 status", "a delete is 200", each("endpoint", others(deletes))),
  ...rows("DEL-01 unexpected", "a delete has a body", each("endpoint", basic)),
  ...rows("DEL-03 unexpected", "a delete has a body", each("endpoint", others(some(deletes, 5)))),
  ...rows("DEL-03 status", "a delete is 202", each("endpoint", some(deletes, 4, 1))),
  ...rows("DEL-02 status", "a second delete is 404", each("endpoint", basic)),
  ...rows("DEL-03 status", "a second delete is 404", each("endpoint", others(deletes))),
  ...rows("DEL-07 status", "a second delete is a conflict", each("endpoint", some(deletes, 4, 1))),
  ...rows("DEL-02 changed", "a second delete restores", each("endpoint", basic)),
  ...rows("DEL-03 changed", "a second delete restores", each("endpoint", others(some(deletes, 4)))),
  ...row("DEL-04 wrong-value", "a code is not the id", { endpoint: "POST /compliance-checks" }),
  ...rows("DEL-05 status", "a code is used twice", each("state", ["live"])),
  ...rows("DEL-06 status", "a code is used twice", each("state", ["deleted"])),
  ...row("DEL-05 wrong-value", "a code of another row", { endpoint: "POST /compliance-checks", status: "409" }),
  ...row("DEL-06 wrong-value", "a code of another row", {
    endpoint: "POST /compliance-checks",
    status: "409",
    state: "deleted"
  })
]

const forces = ["absent", "true", "false"]
const verified = [
  ["eligibility", "VER-01 missing", "VER-01 wrong-type"],
  ["statusDetail", "VER-01 missing", "VER-01 wrong-type"],
  ["correlationId", "VER-01 missing", "VER-05 wrong-type"],
  ["requestId", "VER-01 missing", "VER-01 wrong-type"],
  ["errorMessage", "VER-03 missing", "VER-03 wrong-type"]
] as const

const verification: ReadonlyArray<Fault> = [
  ...verified.flatMap(([name, missing, type], index) => [
    ...row(missing, "a field is missing", { name, force: forces[index % 3] ?? "" }),
    ...row(type, "a field has another type", { name, force: forces[(index + 1) % 3] ?? "" }),
    ...row(missing, "a field is missing", { name, kind: "personal" })
  ]),
  ...rows("VER-02 wrong-value", "a date has a time", each("force", forces)),
  ...rows("VER-02 wrong-value", "a date has slashes", each("force", forces)),
  ...rows(
    "VER-04 wrong-value",
    "a correlationId is not echoed",
    each("odd", ["plain", "long", "foreign", "emoji", "wildcard", "quote", "padded"])
  ),
  ...row("VER-04 wrong-value", "a correlationId is cut", { length: "over 36" }),
  ...row("VER-04 status", "a neighbour of the placeholder is refused"),
  ...row("VER-05 repeated", "a correlation id is used again"),
  ...row("VER-06 unexpected", "the placeholder is accepted"),
  ...row("VER-06 status", "the placeholder is accepted", { kind: "personal" }),
  ...row("VER-06 unexpected", "a refused verification starts"),
  ...rows("VER-07 status", "forceRefresh is refused", each("force", ["true", "false"])),
  ...row("AUT-10 status", "forceRefresh is refused", { force: "false", kind: "personal" })
]

const triggers = each("trigger", ["create", "verify"])
const attempts = ["first", "retry", "redrive"]

const events: ReadonlyArray<Fault> = [
  ...rows("EVT-01 missing", "an event is not sent", each("force", ["true"], { trigger: "verify" })),
  ...row("EVT-01 missing", "an event is not sent", { trigger: "verify", force: "true", kind: "personal" }),
  ...rows("EVT-02 missing", "an event is not sent", each("trigger", ["create"])),
  ...rows("EVT-02 missing", "an event is not sent", each("webhook", ["later"], { trigger: "create" })),
  ...rows("EVT-01 missing", "an event has another correlation id", each("force", ["true"], { trigger: "verify" })),
  ...rows("EVT-02 missing", "an event has another correlation id", each("trigger", ["create"])),
  ...rows("EVT-01 missing", "an event has no correlation id", each("force", ["true"], { trigger: "verify" })),
  ...rows("EVT-02 missing", "an event has no correlation id", each("trigger", ["create"])),
  ...rows("EVT-01 missing", "an event's correlation id is cut", each("trigger", ["verify"])),
  ...rows("EVT-03 missing", "a delivery has no delivery id", each("attempt", ["first", "retry"])),
  ...row("EVT-06 missing", "a delivery has no delivery id", { attempt: "redrive" }),
  ...rows("EVT-03 missing", "a delivery has no delivery id", triggers),
  ...rows("EVT-03 wrong-value", "a delivery has another deliveryId in its body", each("attempt", attempts)),
  ...rows("EVT-04 repeated", "two events have one delivery id", triggers),
  ...row("EVT-05 wrong-value", "an attempt has a delivery id of its own", { attempt: "retry" }),
  ...row("EVT-05 missing", "an attempt has another correlation id", { attempt: "retry" }),
  ...rows(
    "EVT-05 wrong-value",
    "an attempt has a delivery id of its own",
    each("trigger", ["create", "verify"], { attempt: "retry" })
  ),
  ...row("EVT-06 wrong-value", "an attempt has a delivery id of its own", { attempt: "redrive" }),
  ...rows("EVT-07 missing", "a delivery has no signature", each("attempt", attempts)),
  ...rows("EVT-07 missing", "a delivery has no signature", triggers),
  ...rows("EVT-07 wrong-value", "the signature is of another body", each("attempt", attempts)),
  ...rows("EVT-07 wrong-value", "the signature has another secret", each("attempt", attempts, { rotated: "no" })),
  ...rows("EVT-10 wrong-value", "the signature has another secret", each("attempt", ["first"], { rotated: "yes" })),
  ...rows("EVT-10 missing", "a delivery has no signature", each("rotated", ["yes"])),
  ...rows("EVT-08 repeated", "a rotation keeps the secret", each("rotation", ["first", "second"])),
  ...rows("EVT-08 missing", "a rotation shows no secret", each("rotation", ["first", "second"])),
  ...rows("EVT-08 status", "a rotation is refused", each("rotation", ["first", "second"])),
  ...row("EVT-08 wrong-type", "a rotation shows an empty secret"),
  ...rows("EVT-13 unexpected", "an event goes to every tenant", each("host", ["first", "second"])),
  ...row("EVT-14 missing", "a create shows no id", { endpoint: "POST /webhooks" }),
  ...row("EVT-14 wrong-type", "a create shows a number as id", { endpoint: "POST /webhooks" }),
  ...rows("EVT-15 missing", "an event names no kind", triggers),
  ...rows(
    "EVT-09 disclosed",
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
