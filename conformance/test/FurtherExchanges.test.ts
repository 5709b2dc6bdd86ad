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
    personalToken: "${PERSONAL}",
    rotated: { old: "${OLD}", new: "${NEW}" },
    enrolledToken: "${ENROLLED}"
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
const sentWith = (id: string) => ({ headers: [["X-Request-Id", id]] as const })
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
const conflict = (message: string) => ({ code: "ALREADY_LINKED", message, requestId: "1" })
const delivery = (id: string, body: unknown) => ({
  ...({ kind: "delivery", method: "POST", principal: null } as const),
  ...{ url: "https://suite.example/1", body: JSON.stringify(body), headers: [["X-Service-Delivery", id]] as const }
})

/** The specimen shows the rest: a found fault for each difference, and no failure without one. */
type Line = readonly [rule: RuleId, what: string, given: ReadonlyArray<Given>, outcome: string]

const refusedTo = (principal: string, status: number) => ({ principal, answer: { status } })
const listed = json(200, { data: [], meta: {} })
const misspelt = { headers: [["Authorization", "BEARER ‹TOKEN›"]] as const }

const lines: ReadonlyArray<Line> = [
  ["AUT-08", "a refused token that the admin replaces", [refusedTo("personalToken", 401), listed], "fail"],
  ["AUT-08", "a refused token, and another call", [refusedTo("personalToken", 401), { ...listed, step: 2 }], "pass"],
  ["AUT-08", "a refusal that the admin gets too", [refusedTo("personalToken", 401), refused(401, {})], "pass"],
  [
    "AUT-08",
    "a refusal, where the admin's is about the content",
    [refusedTo("personalToken", 401), refused(409, {})],
    "fail"
  ],
  ["AUT-10", "a privilege that the personal token lacks", [refusedTo("personalToken", 403), listed], "fail"],
  ["AUT-10", "another status", [{ ...listed, principal: "secondClient" }, refusedTo("personalToken", 202)], "fail"],
  [
    "AUT-10",
    "another envelope",
    [
      { ...listed, principal: "secondClient" },
      { ...json(200, []), principal: "personalToken" }
    ],
    "fail"
  ],
  [
    "AUT-15",
    "another envelope",
    [
      { ...listed, principal: "personalToken" },
      { ...json(200, []), principal: "enrolledToken" }
    ],
    "fail"
  ],
  ["OAU-18", "a privilege that the second client lacks", [refusedTo("secondClient", 403), listed], "fail"],
  ["AUT-11", "a privilege that a further token may lack", [refusedTo("rotated.old", 403), listed], "pass"],
  ["AUT-03", "a spelling that the usual one replaces", [{ ...misspelt, answer: { status: 401 } }, listed], "fail"],
  ["RID-03", "the caller's id in meta", [{ ...sentWith("x"), ...json(200, { meta: { requestId: "x" } }) }], "fail"],
  ["RID-03", "no id of the caller", [json(200, {}, { "x-request-id": uuid })], "nothing"],
  ["RID-04", "no echo on a 401, which is open", [{ ...sentWith(uuid), ...json(401, {}) }], "nothing"],
  ["RID-08", "no echo on a 415, which is open", [{ ...sentWith(uuid), ...refused(415, {}) }], "nothing"],
  ["OWN-05", "a conflict of another call", [refused(409, conflict("no"))], "nothing"],
  [
    "WRK-02",
    "a place without an id, which is open",
    [{ ...worker("wkr_1", "a"), ...json(201, { data: { id: "wkr_1" } }, { location: "/workers?externalId=a" }) }],
    "pass"
  ],
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
  ["CRD-04", "no slot for applicants", [credential({ worker: "wkr_1" })], "fail"],
  ["VER-01", "no detail", [verified({ statusDetail: 1 })], "fail"],
  [
    "DEL-01",
    "200 for a second, which is open",
    [{ method: "DELETE", url: `${root}/workers/wkr_1`, ...json(200, {}) }],
    "pass"
  ]
]

describe("the rules that every exchange can break beside the walks", () => {
  for (const [rule, what, given, outcome] of lines) {
    it(`${rule}: ${what} is ${outcome}`, () => assert.strictEqual(outcomeOf(rule, given), outcome))
  }

  it("EVT-05: passes with one caller's id for two verifications", () => {
    const verifications = ["conf-run-1", "conf-run-2"].map((id) => verified({}, id))
    const events = ["a", "b"].map((card, index) =>
      delivery(`${index}`, { type: "credential.verified", correlationId: "conf-run-1", credential: card })
    )
    assert.strictEqual(outcomeOf("EVT-05", [...verifications, ...events]), "pass")
  })

  it("shows the place of a difference", () => {
    const exchanges = [exchangeOf({ ...worker("w_1", "a"), principal: "personalToken" })]
    const rules = exchangeRules.filter(({ rule }) => rule === "WRK-03")
    const [finding] = judgeEveryExchange(rules, exchanges, profile)
    assert.strictEqual(finding?.differences[0]?.place, "POST /workers by a personal token")
  })
})
