import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { judgeEveryExchange } from "@wcs/conformance/engine/EveryExchangeFindings"
import { exchangeRules } from "@wcs/conformance/exchanges/EveryExchange"
import { rulesOf } from "@wcs/conformance/judgement/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { walks } from "@wcs/conformance/walks/Walks"
import { Struct } from "effect"
import { exchangeOf, type Given } from "./Exchanges.ts"
import { profile as invented } from "./Invented.ts"

const withUser: Profile = {
  ...invented,
  legacy: { baseUrl: "https://tenant.example", user: { username: "ann@example.org", password: "${PASSWORD}" } }
}

/** The finding of a rule for these exchanges. */
const findingOf = (rule: RuleId, given: ReadonlyArray<Given>, profile: Profile = withUser) => {
  const exchanges = given.map((one, index) => exchangeOf({ number: index + 1, ...one }))
  const [finding] = judgeEveryExchange(
    exchangeRules.filter((one) => one.rule === rule),
    exchanges,
    profile
  )
  return finding
}

const outcomeOf = (rule: RuleId, given: ReadonlyArray<Given>): string => findingOf(rule, given)?.outcome ?? "no rule"

const url = "https://tenant.example/openapi/v1"
const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  answer: { status, headers: { "content-type": "application/json", ...headers }, text: JSON.stringify(body) }
})
const success = json(200, { data: [], meta: { requestId: "1" } }, { "x-request-id": "1" })
const error = (status: number, code: string, requestId = "1", header = requestId) =>
  json(status, { error: { code, message: "no", requestId } }, { "x-request-id": header })
const page = { answer: { status: 200, headers: { "content-type": "text/html" }, text: "<html>" } }
const rates = { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "9", "x-ratelimit-reset": "60" }
const verify = { method: "POST", url: `${url}/credentials/cred_1/verify` }
const token = { kind: "token", method: "POST", url: `${url}/oauth/token`, principal: null } as const
const unknown = { kind: "unknown path", url: `${url}/nowhere` } as const
const legacy = { kind: "legacy", url: "https://tenant.example/api/users/me", principal: null } as const
const unauthorized = { status: 401, message: "no", field: "authentication" }
const provider = { url: `${url}/oauth/somebody/authorize` }

/**
 * A fault of the specimen breaks each rule, so a row that fails is here only for exchanges that no fault changes.
 */
type Line = readonly [what: string, given: ReadonlyArray<Given>, outcome: string]

const rules: Readonly<Partial<Record<RuleId, ReadonlyArray<Line>>>> = {
  "TRN-07": [
    ["a success", [success], "pass"],
    ["a token", [{ ...token, ...json(200, { access_token: "a" }) }], "pass"],
    ["an error in the envelope", [error(404, "NOT_FOUND")], "pass"],
    ["a page of the legacy surface", [{ ...legacy, ...page }], "fail"],
    ["an error of the legacy surface in plain text", [{ ...legacy, answer: { status: 404, text: "no" } }], "blocked"],
    ["no body", [{ answer: { status: 204 } }], "blocked"],
    ["plain text for an unauthenticated caller", [{ answer: { status: 401, text: "no" } }], "blocked"],
    ["a page at an unknown path", [{ ...unknown, answer: { status: 404, text: "<html>" } }], "blocked"],
    ["a page with a status outside the table", [{ answer: { status: 413, text: "<html>" } }], "blocked"],
    ["no answer", [{ answer: null, silence: "reset" }], "blocked"]
  ],
  "TRN-09": [
    ["a charset", [json(200, {}, { "content-type": "application/json; charset=utf-8" })], "pass"],
    ["another JSON type", [json(200, {}, { "content-type": "application/vnd.wcs.v1+json" })], "pass"],
    ["a type that only begins so", [json(200, {}, { "content-type": "application/jsonish" })], "fail"],
    ["a 401 in plain text", [{ answer: { status: 401, text: "no" } }], "blocked"]
  ],
  "ENV-01": [
    ["data and meta", [success], "pass"],
    ["more beside them", [json(200, { data: {}, meta: {}, links: [] })], "pass"],
    ["data that is null", [json(200, { data: null, meta: {} })], "pass"],
    ["a delete without a body", [{ method: "DELETE", answer: { status: 204 } }], "blocked"],
    ["a flat verify", [{ ...verify, ...json(200, { eligibility: "MAY_ENGAGE" }) }], "blocked"],
    ["a verify with data and no meta", [{ ...verify, ...json(200, { data: {} }) }], "fail"],
    ["a token", [{ ...token, ...json(200, { access_token: "a" }) }], "blocked"],
    ["the answer of a provider's path", [{ ...provider, ...json(200, { url: "" }) }], "blocked"],
    ["the legacy surface", [{ ...legacy, ...json(200, { id: 1 }) }], "blocked"]
  ],
  "RID-02": [
    ["an id", [success], "pass"],
    ["errors alone", [error(404, "NOT_FOUND")], "blocked"]
  ],
  "RID-01": [
    ["the header's id", [error(409, "ALREADY_LINKED")], "pass"],
    ["no id in the body", [json(409, { error: { code: "A", message: "" } }, { "x-request-id": "1" })], "fail"],
    ["an envelope at a status outside the table", [error(405, "METHOD_NOT_ALLOWED", "1", "2")], "fail"],
    ["another shape at such a status", [json(405, { error: { title: "no" } })], "blocked"],
    ["successes", [success], "blocked"]
  ],
  "RID-07": [
    ["one id for each", [success, error(404, "NOT_FOUND", "2"), { ...unknown, ...error(404, "X", "3") }], "pass"],
    ["one header for two", [success, error(404, "NOT_FOUND", "2", "1")], "fail"],
    [
      "a header that differs from the body",
      [json(200, { data: 1, meta: { requestId: "b" } }, { "x-request-id": "h" }), error(404, "NOT_FOUND", "2")],
      "pass"
    ],
    ["one answer alone, which repeats nothing", [success], "blocked"],
    ["the token endpoint's, too", [success, { ...token, ...json(200, {}, { "x-request-id": "1" }) }], "fail"],
    ["no ids", [json(200, {})], "blocked"]
  ],
  "ENV-02": [
    [
      "the envelope",
      [error(400, "BAD_REQUEST"), error(403, "FORBIDDEN", "2"), error(429, "TOO_MANY_REQUESTS", "3")],
      "pass"
    ],
    ["more fields", [json(422, { error: { code: "A", message: "", requestId: "", details: [] } })], "pass"],
    ["an unknown path", [{ ...unknown, answer: { status: 404, text: "<html>" } }], "blocked"],
    ["a 401 with a string", [json(401, { statusCode: 401, error: "Unauthorized" })], "blocked"],
    ["the token endpoint", [{ ...token, ...json(400, { error: "unsupported_grant_type" }) }], "blocked"],
    ["the legacy surface", [{ ...legacy, ...json(403, { status: 403 }) }], "blocked"],
    ["a 413 without a body", [{ answer: { status: 413 } }], "blocked"]
  ],
  "ENV-03": [
    ["codes at their statuses", [error(400, "INVALID_URN"), error(409, "OWNER_MISMATCH", "2")], "pass"],
    ["a code and a status outside the table", [error(405, "METHOD_NOT_ALLOWED")], "pass"],
    ["a code of the table at a status outside it", [error(405, "BAD_REQUEST")], "fail"],
    ["a code of another status at an unknown path", [{ ...unknown, ...error(405, "BAD_REQUEST") }], "fail"],
    ["no code", [json(400, { error: { message: "" } })], "blocked"]
  ],
  "ENV-15": [
    ["none", [success], "not-applicable"],
    ["INTERNAL", [error(500, "INTERNAL")], "pass"],
    ["a page at an unknown path", [{ ...unknown, answer: { status: 500, text: "<html>" } }], "fail"],
    ["of the token endpoint", [{ ...token, ...json(500, { error: "server_error" }) }], "not-applicable"]
  ],
  "ENV-18": [
    ["none", [success], "not-applicable"],
    ["plain words", [error(500, "INTERNAL")], "pass"]
  ],
  "LEG-26": [
    ["the three fields", [{ ...legacy, ...json(401, unauthorized) }], "pass"],
    [
      "another field, and more beside it",
      [{ ...legacy, ...json(401, { ...unauthorized, field: null, a: 1 }) }],
      "pass"
    ],
    ["another status", [{ ...legacy, ...json(403, {}) }], "not-applicable"],
    ["by plain HTTP", [{ ...legacy, kind: "plain", ...json(401, {}) }], "not-applicable"],
    ["the newer surface", [json(401, {})], "not-applicable"]
  ],
  "OAU-15": [
    ["its own shape", [{ ...token, ...json(401, { error: "invalid_client", error_description: "no" }) }], "pass"],
    ["its own shape for 429", [{ ...token, ...json(429, { error: "slow_down", error_description: "" }) }], "pass"],
    ["the envelope for 429", [{ ...token, ...error(429, "TOO_MANY_REQUESTS") }], "fail"],
    ["too large a body", [{ ...token, answer: { status: 413, text: "<html>" } }], "blocked"],
    ["tokens alone", [{ ...token, ...json(200, { access_token: "a" }) }], "blocked"]
  ],
  "RTL-01": [
    ["all three", [json(200, {}, rates), json(404, {}, rates)], "pass"],
    ["one missing from an error", [json(200, {}, rates), json(404, {}, { ...rates, "x-ratelimit-reset": "" })], "fail"],
    ["a number below zero", [json(200, {}, { ...rates, "x-ratelimit-remaining": "-1" })], "fail"],
    ["none on a limited principal's 403", [json(200, {}, rates), { principal: "limited.0", ...json(403, {}) }], "fail"],
    [
      "none on a 403 from another tenant",
      [json(200, {}, rates), { url: "https://b.example/openapi/v1/workers", ...json(403, {}) }],
      "pass"
    ],
    [
      "none on the other tenant's own",
      [
        json(200, {}, rates),
        { url: "https://b.example/openapi/v1/workers", principal: "secondTenant.admin", ...json(200, {}) }
      ],
      "fail"
    ],
    ["none on a 401", [json(200, {}, rates), json(401, {})], "pass"],
    ["none on the legacy surface", [{ ...legacy, ...json(200, {}) }], "blocked"],
    ["none without credentials", [{ principal: null, ...json(400, {}) }], "blocked"],
    ["none on an answer that a proxy may send", [json(200, {}, rates), json(413, {}), json(503, {})], "pass"],
    ["only refusals", [json(403, {})], "fail"],
    [
      "none on a long URL that is a 401 without credentials",
      [json(200, {}, rates), { ...unknown, ...json(414, {}) }, { ...unknown, principal: null, ...json(401, {}) }],
      "fail"
    ],
    [
      "none on an unknown path that is a 404 without credentials too",
      [json(200, {}, rates), { ...unknown, ...json(404, {}) }, { ...unknown, principal: null, ...json(404, {}) }],
      "pass"
    ],
    [
      "none on an unknown path, where another is a 401 without credentials",
      [
        json(200, {}, rates),
        { ...unknown, ...json(404, {}) },
        { ...unknown, url: `${url}/elsewhere`, principal: null, ...json(401, {}) }
      ],
      "pass"
    ],
    ["an unknown path alone", [{ ...unknown, ...json(404, {}) }], "blocked"]
  ],
  "RTL-08": [
    ["on a 401 and a token", [json(401, {}, rates), { ...token, ...json(200, {}, rates) }], "pass"],
    ["authenticated calls", [json(200, {})], "blocked"]
  ]
}

describe("the rules for every exchange", () => {
  const own = exchangeRules.filter(({ whenUnseen }) => whenUnseen !== "nothing").map(({ rule }) => rule)

  it("judges each rule once", () => {
    assert.deepStrictEqual(own.toSorted(), Object.keys(rules).toSorted())
  })

  it("judges further rules that walks judge, and only those", () => {
    for (const { rule, whenUnseen } of exchangeRules) {
      if (whenUnseen !== "nothing") continue
      assert.isTrue(
        walks.some((walk) => rulesOf(walk).includes(rule)),
        rule
      )
    }
  })

  for (const rule of Struct.keys(rules)) {
    for (const [what, given, outcome] of rules[rule] ?? []) {
      it(`${rule}: ${what} is ${outcome}`, () => assert.strictEqual(outcomeOf(rule, given), outcome))
    }
  }

  it("LEG-26: needs a legacy user and never passes without one", () => {
    const { user: _, ...legacyWithoutUser } = withUser.legacy ?? { baseUrl: "" }
    const good = { ...legacy, ...json(401, unauthorized) }
    const bad = { ...legacy, ...json(401, {}) }
    const undeclared: Profile = { ...withUser, legacy: legacyWithoutUser }
    for (const profile of [undeclared, invented]) {
      for (const seen of [[good], []]) {
        const { lacks, outcome } = findingOf("LEG-26", seen, profile) ?? {}
        assert.deepStrictEqual([outcome, lacks], ["blocked", ["legacy user"]])
        const declared = findingOf("LEG-26", seen, { ...profile, notOffered: ["legacy user"] })
        assert.deepStrictEqual([declared?.outcome, declared?.lacks], ["not-applicable", ["legacy user"]])
      }
      assert.strictEqual(findingOf("LEG-26", [good, bad], profile)?.outcome, "fail")
    }
    assert.strictEqual(findingOf("LEG-26", [good])?.outcome, "pass")
    assert.strictEqual(findingOf("LEG-26", [])?.outcome, "not-applicable")
  })

  it("RID-01: shows both ids in the difference", () => {
    const [difference] = findingOf("RID-01", [error(409, "ALREADY_LINKED", "1", "2")])?.differences ?? []
    assert.include(difference, { at: "header x-request-id", actual: "2" })
    assert.include(String(difference?.expected), '"1"')
  })
})
