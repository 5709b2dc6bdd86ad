/**
 * The observations of the suite on our server where the specification leaves a choice, by rule and walk. An observation
 * fails no rule, so only this table holds these choices. `packages/domain/DECISIONS.md` gives their reasons.
 */
export const observations: ReadonlyArray<readonly [rule: string, walk: string, observed: unknown]> = [
  ["LEG-24", "legacy/earlier-token", { "the earlier token": "200", "the new one": "200" }],
  ["OWN-13", "ownership/unlink-last", true],
  ["RTL-07", "rate-limits/tiers", 1],
  ["SIL-01", "ownership/unlink-last", "422 UNPROCESSABLE"],
  ["SIL-02", "verification/literal-string", ["400 INVALID_ARGUMENT"]],
  ["SIL-03", "transport/plain-http", { newer: 400, legacy: 400 }],
  ["SIL-04", "credentials/owners", "null"],
  ["SIL-05", "verification/answers", ["in data and at the top"]],
  [
    "SIL-06",
    "ownership/unlink-one-of-two",
    { answer: "409 OWNER_MISMATCH", worker: "its holder", applicant: "its holder" }
  ],
  ["SIL-07", "bulk/silences", { "in a batch": "200: noop" }],
  ["SIL-07", "ownership/transfer", { single: { answer: "200", worker: "to", applicant: "empty" } }],
  ["SIL-08", "ownership/transfer-across", { answer: "200", worker: "to", applicant: "empty" }],
  [
    "SIL-09",
    "deletion/afterwards",
    {
      "credential read": "404 NOT_FOUND",
      "credential in a list": "not listed",
      "credential updated": "404 NOT_FOUND",
      "credential linked": "404 NOT_FOUND",
      "credential read again": "the same"
    }
  ],
  [
    "SIL-09",
    "deletion/afterwards",
    {
      "worker read": "404 NOT_FOUND",
      "worker in a list": "not listed",
      "worker updated": "404 NOT_FOUND",
      "worker transferred to": "422 UNPROCESSABLE",
      "worker read again": "the same"
    }
  ],
  ["SIL-10", "bearer/absent", { keys: ["message"], "www-authenticate": 'Bearer realm="wcs"' }],
  [
    "SIL-11",
    "rate-limits/tiers",
    {
      limits: {
        "GET /workers": 1000000,
        "GET /credentials/{id}": 1000000,
        "POST /credentials/{id}/verify": 1000000,
        "POST /credentials/transfer": 1000000
      }
    }
  ],
  ["SIL-11", "workers/list", { "pageSize=1000000": "200", "meta.pageSize": 100 }],
  ["SIL-12", "events/rotation", { "signed after a rotation with": ["the new secret", "the old one"] }],
  [
    "SIL-12",
    "events/verify",
    {
      headers: [
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp",
        "x-service-attempt",
        "x-service-delivery",
        "x-service-event",
        "x-service-webhook"
      ],
      body: ["correlationId", "data", "deliveryId", "eventId", "sequence", "timestamp", "type"],
      correlationId: ["body.correlationId"]
    }
  ],
  [
    "SIL-13",
    "privileges/ownership-guards",
    {
      asked: ["CREATE", "UPDATE", "DELETE"],
      link: ["UPDATE"],
      unlink: ["UPDATE"],
      transfer: ["UPDATE"],
      rotate: ["UPDATE"]
    }
  ],
  ["SIL-13", "privileges/verify-guards", { verify: ["UPDATE"] }],
  ["SIL-14", "request-ids/callers", { header: true, "equals meta.requestId": true }],
  ["SIL-15", "envelopes/hostile", { "unknown path": "404 NOT_FOUND", "wrong method": "405 METHOD_NOT_ALLOWED" }],
  ["SIL-15", "transport/unknown-path", { "unknown path": "404 NOT_FOUND", "wrong method": "405" }],
  ["SIL-16", "bulk/silences", { "one id twice": "200: transferred, noop", "no ids": "200" }],
  ["SIL-17", "ownership/link-contradiction", { answer: "422 UNPROCESSABLE", worker: "the owner", applicant: "empty" }],
  ["SIL-18", "legacy/other-organization", { "403": ["field", "message", "status"] }],
  ["SIL-18", "legacy/token-path", { "404": ["field", "message", "status"] }],
  ["SIL-18", "legacy/without-permission", { "403": ["field", "message", "status"] }],
  [
    "SIL-19",
    "legacy/scan",
    {
      scan: { status: "200", keys: ["correlation_id", "identifier", "status", "type"] },
      constituents: { status: "200", keys: ["data", "page", "page_size", "total"] }
    }
  ],
  ["SIL-20", "verification/answers", { eligibility: ["MAY_ENGAGE"], statusDetail: ["VALID"] }],
  ["SIL-21", "envelopes/hostile", ["405 METHOD_NOT_ALLOWED", "415 UNSUPPORTED_MEDIA_TYPE"]],
  ["SIL-21", "transport/form-create", { "a form as the body of a create": ["415 UNSUPPORTED_MEDIA_TYPE"] }],
  ["SIL-21", "transport/unknown-path", { "a query of 10000 characters": "414 URI_TOO_LONG" }],
  ["SIL-22", "legacy/bearer", { "organizations/me": [] }],
  [
    "SIL-22",
    "workers/lookup",
    {
      create: { fields: "on the worker", names: ["createdAt", "id", "identity", "source", "type", "updatedAt"] },
      lookup: { fields: "on the worker", names: ["createdAt", "id", "identity", "source", "type", "updatedAt"] }
    }
  ],
  [
    "SIL-23",
    "oauth/silences",
    {
      "unknown client and another grant": "400 unsupported_grant_type",
      "no client": "401 invalid_client",
      "client_id in the body beside Basic": "200"
    }
  ],
  ["SIL-24", "legacy/basic", { "is_verified with Basic": "absent" }],
  ["SIL-24", "legacy/scan", { "a scan of no known type": "400" }],
  ["SIL-24", "legacy/token-path", { "token path with Bearer": "401" }],
  [
    "SIL-24",
    "legacy/unverified",
    {
      "before verification": {
        "GET /api/users/me": "200",
        "POST /api/users/{id}/token": "200",
        "GET /api/organizations/me": "403",
        "GET /api/constituents": "403",
        "POST /api/scan": "403"
      }
    }
  ],
  ["SIL-24", "legacy/without-permission", { "token path of another user": "404" }],
  [
    "SIL-25",
    "events/edges",
    {
      "delivery ids of one event for two webhooks": 2,
      "event of a verify without forceRefresh": "sent",
      kinds: ["credential.verified"],
      "subscribing with CREATE on webhook alone": "refused",
      "shown first by": "the create"
    }
  ],
  ["SIL-26", "verification/answers", "every outcome that was seen has a date"],
  [
    "SIL-27",
    "bulk/silences",
    {
      "malformed id": "200: skipped INVALID_ARGUMENT",
      "unknown `to`": "200: skipped UNPROCESSABLE",
      "link with `from` and ids": "200: skipped ALREADY_LINKED"
    }
  ],
  ["SIL-28", "ownership/transfer", { "from equal to `to`": { answer: "200", worker: "to", applicant: "empty" } }],
  [
    "SIL-28",
    "ownership/transfer",
    { "from an empty slot": { answer: "409 OWNER_MISMATCH", worker: "its holder", applicant: "empty" } }
  ],
  ["SIL-29", "credentials/create", { form: "path", leads: "to the resource" }],
  ["SIL-29", "workers/create", { form: "path", leads: "to the resource" }],
  ["SIL-31", "workers/create-again", "201"],
  ["VER-08", "verification/answers", "the same"]
]
