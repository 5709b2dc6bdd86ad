import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { judgeEveryExchange } from "@wcs/conformance/engine/EveryExchangeFindings"
import { exchangeRules } from "@wcs/conformance/exchanges/EveryExchange"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { exchangeOf, type Given } from "./Exchanges.ts"
import { profile as invented } from "./Invented.ts"

const profile: Profile = {
  ...invented,
  principals: {
    ...invented.principals,
    limited: [{ token: "${LIMITED}", privileges: { worker: ["READ"] }, accountUrn: "urn:wcs:account:1" }]
  }
}

/** The outcome of a rule that walks judge, for exchanges of any walk; `nothing` if it applies to none. */
const outcomeOf = (rule: RuleId, given: ReadonlyArray<Given>): string => {
  const exchanges = given.map((one, index) => exchangeOf({ number: index + 1, ...one }))
  const own = exchangeRules.filter((one) => one.rule === rule && one.whenUnseen === "nothing")
  const outcomes = judgeEveryExchange(own, exchanges, profile).map(({ outcome }) => outcome)
  return outcomes.find((outcome) => outcome !== "pass") ?? outcomes[0] ?? "nothing"
}

const root = "https://tenant.example/openapi/v1"
const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  answer: { status, headers, text: JSON.stringify(body) }
})
const uuid = "3f2b8c1e-0000-4000-8000-000000000001"
const ulid = "01JY7Q2M4R0123456789000001"
const sentWith = (id: string) => ({ headers: [["X-Request-Id", id]] as const })
const echoed = (id: string) => ({ "x-client-request-id": id })
const created = (path: string, body: unknown, id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ method: "POST", url: `${root}${path}`, body: JSON.stringify(body) },
  ...json(201, { data: { id, ...more }, meta: {} }, { location: `${path}/${id}` })
})
const worker = (id: string, externalId: string, shown = externalId) =>
  created("/workers", { source: { externalId } }, id, { source: { externalId: shown } })
const found = (query: string, ...data: ReadonlyArray<unknown>) => ({
  url: `${root}/workers?${query}`,
  ...json(200, { data, meta: {} })
})
const jwt = `${btoa('{"alg":"HS256"}')}.${btoa('{"iat":1700000000,"exp":1700003600}')}.c2ln`.replaceAll("=", "")
const grant = (more: Readonly<Record<string, unknown>> = {}, headers = { "cache-control": "no-store" }) => ({
  ...({ kind: "token", method: "POST", url: `${root}/oauth/token`, principal: null } as const),
  ...json(200, { access_token: jwt, token_type: "Bearer", expires_in: 3600, ...more }, headers)
})
const batch = (items: ReadonlyArray<unknown>, meta: unknown, credentialIds = ["cred_1"]) => ({
  ...{ method: "POST", url: `${root}/credentials/transfer`, body: JSON.stringify({ credentialIds }) },
  ...json(200, { data: items, meta })
})
const moved = { credentialId: "cred_1", status: "transferred" }
const counted = { total: 1, succeeded: 1, failed: 0, requestId: "1" }
const verified = (data: Readonly<Record<string, unknown>>, correlationId = "a") => ({
  ...{ method: "POST", url: `${root}/credentials/cred_1/verify`, body: JSON.stringify({ correlationId }) },
  ...json(200, { data: { eligibility: "A", statusDetail: "B", correlationId, requestId: "1", ...data }, meta: {} })
})
const credential = (owners: unknown) => ({
  url: `${root}/credentials/cred_1`,
  ...json(200, { data: { id: "cred_1", attributes: { owners } }, meta: {} })
})
const refused = (status: number, error: unknown, headers: Readonly<Record<string, string>> = {}) =>
  json(status, { error }, headers)
const linked = { method: "POST", url: `${root}/credentials/cred_1/link` }
const conflict = (message: string) => ({ code: "ALREADY_LINKED", message, requestId: "1" })
const forbidden = (message: string) => ({
  principal: "limited.0",
  ...refused(403, { code: "FORBIDDEN", message, requestId: "1" })
})
const delivery = (id: string | undefined, body: unknown, url = "https://suite.example/1") => ({
  ...({ kind: "delivery", method: "POST", principal: null } as const),
  ...{ url, body: JSON.stringify(body) },
  headers: id === undefined ? [] : ([["X-Service-Delivery", id]] as const)
})
const event = (correlationId: string) => ({ type: "credential.verified", correlationId })
const rates = (remaining: string, reset: string) =>
  json(200, {}, { "x-ratelimit-limit": "10", "x-ratelimit-remaining": remaining, "x-ratelimit-reset": reset })

type Line = readonly [rule: RuleId, what: string, given: ReadonlyArray<Given>, outcome: string]

const lines: ReadonlyArray<Line> = [
  ["RID-03", "another id", [{ ...sentWith(uuid), ...json(200, {}, { "x-request-id": "1" }) }], "pass"],
  ["RID-03", "the caller's id on a 401", [{ ...sentWith(uuid), ...json(401, {}, { "x-request-id": uuid }) }], "fail"],
  ["RID-03", "the caller's id in meta", [{ ...sentWith("x"), ...json(200, { meta: { requestId: "x" } }) }], "fail"],
  ["RID-03", "no id of the caller", [json(200, {}, { "x-request-id": uuid })], "nothing"],
  ["RID-04", "an echoed UUID", [{ ...sentWith(uuid), ...json(200, {}, echoed(uuid)) }], "pass"],
  ["RID-04", "no echo", [{ ...sentWith(uuid), ...json(200, {}) }], "fail"],
  ["RID-04", "no echo on a 401, which is open", [{ ...sentWith(uuid), ...json(401, {}) }], "nothing"],
  ["RID-05", "another echo", [{ ...sentWith(ulid), ...json(200, {}, echoed(uuid)) }], "fail"],
  ["RID-05", "an echoed ULID", [{ ...sentWith(ulid), ...json(200, {}, echoed(ulid)) }], "pass"],
  ["RID-06", "an echo of a malformed id", [{ ...sentWith("x"), ...json(200, {}, echoed("x")) }], "fail"],
  ["RID-06", "a malformed id ignored", [{ ...sentWith("x"), ...json(200, {}) }], "pass"],
  ["RID-08", "no echo on a 409", [{ ...sentWith(uuid), ...refused(409, {}) }], "fail"],
  ["RID-08", "no echo on a 415, which is open", [{ ...sentWith(uuid), ...refused(415, {}) }], "nothing"],
  ["AUT-06", "another text", [json(401, { message: "no" })], "fail"],
  ["AUT-07", "a code", [json(401, { error: { code: "X" } })], "fail"],
  ["AUT-07", "no code", [json(401, { message: "no" })], "pass"],
  ["PRV-10", "the account", [forbidden("urn:wcs:account:1 is unauthorized to READ workers.")], "pass"],
  ["PRV-10", "another account", [forbidden("urn:wcs:account:2 is unauthorized to READ workers.")], "fail"],
  ["PRV-10", "another operation", [forbidden("urn:wcs:account:1 is unauthorized to DELETE workers.")], "fail"],
  ["RTL-02", "more than the limit", [rates("11", "1")], "fail"],
  ["RTL-03", "a time", [rates("9", "1700000000")], "fail"],
  ["RTL-03", "seconds", [rates("9", "60")], "pass"],
  ["RTL-04", "no seconds to wait", [refused(429, { code: "TOO_MANY_REQUESTS", message: "", requestId: "1" })], "fail"],
  ["OWN-05", "no advice", [{ ...linked, ...refused(409, conflict("no")) }], "fail"],
  ["OWN-05", "advice", [{ ...linked, ...refused(409, conflict("Use transfer.")) }], "pass"],
  ["OWN-05", "a conflict of another call", [refused(409, conflict("no"))], "nothing"],
  ["OAU-03", "a JWT", [grant()], "pass"],
  ["OAU-03", "no JWT", [grant({ access_token: "opaque" })], "fail"],
  ["OAU-04", "another type", [grant({ token_type: "MAC" })], "fail"],
  ["OAU-05", "longer than the token", [grant({ expires_in: 7200 })], "fail"],
  ["OAU-06", "another lifetime", [grant({ expires_in: 60 })], "fail"],
  ["OAU-16", "a refresh token", [grant({ refresh_token: "a" })], "fail"],
  ["OAU-24", "a grant that is stored", [grant({}, { "cache-control": "private" })], "fail"],
  ["WRK-02", "a create", [worker("wkr_1", "a")], "pass"],
  ["WRK-02", "200", [{ ...worker("wkr_1", "a"), ...json(200, { data: { id: "wkr_1" } }) }], "fail"],
  [
    "WRK-02",
    "the place of another",
    [{ ...worker("wkr_1", "a"), ...json(201, { data: { id: "wkr_1" } }, { location: "/workers/wkr_2" }) }],
    "fail"
  ],
  [
    "WRK-02",
    "a place without an id, which is open",
    [{ ...worker("wkr_1", "a"), ...json(201, { data: { id: "wkr_1" } }, { location: "/workers?externalId=a" }) }],
    "pass"
  ],
  ["WRK-03", "another prefix", [worker("w_1", "a")], "fail"],
  ["WRK-04", "one id twice", [worker("wkr_1", "a"), worker("wkr_1", "b")], "fail"],
  ["WRK-14", "another external id", [worker("wkr_1", "a", "A")], "fail"],
  [
    "WRK-14",
    "another external id in a list",
    [worker("wkr_1", "a"), found("", { id: "wkr_1", source: { externalId: "b" } })],
    "fail"
  ],
  [
    "WRK-14",
    "a changed worker, which may have another",
    [
      worker("wkr_1", "a"),
      { method: "PUT", url: `${root}/workers/wkr_1` },
      found("", { id: "wkr_1", source: { externalId: "b" } })
    ],
    "pass"
  ],
  ["WRK-06", "another external id", [found("externalId=a", { id: "wkr_1", source: { externalId: "ab" } })], "fail"],
  ["WRK-09", "more than the page", [found("pageSize=1", { id: "wkr_1" }, { id: "wkr_2" })], "fail"],
  ["CRD-02", "no correlation id", [created("/credentials", {}, "cred_1")], "fail"],
  ["CRD-04", "no slot for applicants", [credential({ worker: "wkr_1" })], "fail"],
  ["CRD-05", "an applicant as worker", [credential({ worker: "app_1", applicant: null })], "fail"],
  ["CRD-05", "empty slots in any form", [credential({ worker: [], applicant: "" })], "pass"],
  [
    "CRD-06",
    "a credential of another",
    [
      worker("wkr_1", "a"),
      {
        url: `${root}/credentials?ownerExternalId=a`,
        ...json(200, { data: [{ id: "cred_1", attributes: { owners: { worker: "wkr_2", applicant: null } } }] })
      }
    ],
    "fail"
  ],
  ["CRD-10", "another prefix", [created("/applicants", {}, "x_1")], "fail"],
  ["BLK-02", "no counts", [batch([moved], { requestId: "1" })], "fail"],
  ["BLK-03", "a credential that was not named", [batch([{ ...moved, credentialId: "cred_2" }], counted)], "fail"],
  ["BLK-06", "an error of a moved one", [batch([{ ...moved, error: {} }], counted)], "fail"],
  ["BLK-07", "another total", [batch([moved], { ...counted, total: 2 })], "fail"],
  ["BLK-18", "a failure that is none", [batch([moved], { ...counted, failed: 1 })], "fail"],
  ["BLK-12", "a conflict of the batch", [{ ...batch([], {}), ...refused(409, {}) }], "fail"],
  ["VER-01", "no detail", [verified({ statusDetail: 1 })], "fail"],
  ["VER-02", "no date", [verified({ expiryDate: "31.12.2030" })], "fail"],
  ["VER-03", "an object", [verified({ errorMessage: {} })], "fail"],
  ["VER-04", "another id", [verified({ correlationId: "b" })], "fail"],
  [
    "DEL-01",
    "a body",
    [{ method: "DELETE", url: `${root}/workers/wkr_1`, answer: { status: 204, text: "{}" } }],
    "fail"
  ],
  [
    "DEL-01",
    "200 for the first",
    [worker("wkr_1", "a"), { method: "DELETE", url: `${root}/workers/wkr_1`, ...json(200, {}) }],
    "fail"
  ],
  [
    "DEL-01",
    "200 for a second, which is open",
    [{ method: "DELETE", url: `${root}/workers/wkr_1`, ...json(200, {}) }],
    "pass"
  ],
  ["EVT-03", "no id", [delivery(undefined, {})], "fail"]
]

describe("the rules that every exchange can break beside the walks", () => {
  for (const [rule, what, given, outcome] of lines) {
    it(`${rule}: ${what} is ${outcome}`, () => assert.strictEqual(outcomeOf(rule, given), outcome))
  }

  const [one, other] = ["conf-run-1", "conf-run-2"]
  const both = [verified({}, one), verified({}, other)]

  it("EVT-04: one id for two events fails", () => {
    assert.strictEqual(outcomeOf("EVT-04", [...both, delivery("1", event(one)), delivery("1", event(other))]), "fail")
    assert.strictEqual(outcomeOf("EVT-04", [...both, delivery("1", event(one)), delivery("2", event(other))]), "pass")
  })

  it("EVT-05: another id for an attempt at one webhook fails; two webhooks may have two", () => {
    const attempts = [delivery("1", event(one)), delivery("2", event(one))]
    assert.strictEqual(outcomeOf("EVT-05", [...both, ...attempts]), "fail")
    const elsewhere = [delivery("1", event(one)), delivery("2", event(one), "https://suite.example/2")]
    assert.strictEqual(outcomeOf("EVT-05", [...both, ...elsewhere]), "pass")
    const twoEvents = [
      delivery("1", { ...event(one), credential: "a" }),
      delivery("2", { ...event(one), credential: "b" })
    ]
    assert.strictEqual(outcomeOf("EVT-05", [...both, ...twoEvents]), "pass", "one caller's id for two verifications")
  })

  it("EVT-15: an event without its kind fails", () => {
    assert.strictEqual(outcomeOf("EVT-15", [...both, delivery("1", { correlationId: one })]), "fail")
  })

  it("VER-05: one generated id twice fails", () => {
    const generated = { ...verified({}, one), body: "{}" }
    assert.strictEqual(outcomeOf("VER-05", [generated, generated]), "fail")
  })

  it("shows the place of a difference", () => {
    const exchanges = [exchangeOf({ ...worker("w_1", "a"), principal: "personalToken" })]
    const rules = exchangeRules.filter(({ rule }) => rule === "WRK-03")
    const [finding] = judgeEveryExchange(rules, exchanges, profile)
    assert.strictEqual(finding?.differences[0]?.place, "POST /workers by a personal token")
  })
})
