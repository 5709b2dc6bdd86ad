import { assert, describe, it } from "@effect/vitest"
import { exitCodeOf } from "@wcs/conformance/report/ExitCode"
import type { Report } from "@wcs/conformance/report/Report"
import { gatewayRules } from "@wcs/register-kit/Catalogue"
import { Effect } from "effect"
import { type Gateway, judged, respond, token } from "./Gateways.ts"

/** The rules with one of these verdicts. */
const withVerdict = ({ rules }: Report, ...verdicts: ReadonlyArray<string>) =>
  rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id)

/** The reference gateway with another answer to some queries. `query` is undefined for other bodies. */
const instead =
  (change: (said: Said, query: Query, heard: Parameters<Gateway>[0]) => ReturnType<Gateway>): Gateway =>
  (heard) => {
    let query: Query = {}
    try {
      query = Object(JSON.parse(heard.body))
    } catch {}
    return change(respond(heard), query, heard)
  }

type Said = ReturnType<typeof respond>
interface Query {
  readonly credentialType?: string
  readonly identifier?: string | null
  readonly expiryDate?: string | null
  readonly holder?: {
    readonly lastName: string | null
    readonly birthDate: string | null
    readonly otherNames: ReadonlyArray<{ readonly lastName: string }>
  }
}

const madeUp = "Madeupperson"

/** The answer of a 200 with these fields. */
const saying = (said: Said, fields: object): Said =>
  said.status === 200 ? { ...said, body: JSON.stringify({ ...JSON.parse(said.body), ...fields }) } : said

/** The answer to the same query with a change. */
const to = (query: Query, change: object): Said =>
  respond({ method: "POST", authorization: `Bearer ${token}`, body: JSON.stringify({ ...query, ...change }) })

const valid = { statusDetail: "VALID", expiryDate: null }

/** One fault each, and the rule that finds it. */
const faulty: ReadonlyArray<readonly [fault: string, rule: string, gateway: Gateway]> = [
  [
    "answers without a token",
    "GWY-01",
    (heard) => respond(heard.authorization === undefined ? { ...heard, authorization: `Bearer ${token}` } : heard)
  ],
  [
    "compares only the beginning of the token",
    "GWY-02",
    (heard) =>
      respond(
        heard.authorization?.startsWith(`Bearer ${token}`) === true
          ? { ...heard, authorization: `Bearer ${token}` }
          : heard
      )
  ],
  [
    "shows the token in a header",
    "GWY-03",
    (heard) => ({ ...respond(heard), headers: { ...respond(heard).headers, "x-debug": String(heard.authorization) } })
  ],
  [
    "refuses further fields",
    "GWY-04",
    instead((said, query) => ("ofALaterRelease" in query && said.status === 200 ? { ...said, status: 400 } : said))
  ],
  [
    "says NOT_FOUND without a needed field",
    "GWY-05",
    instead((said) => (said.status === 422 ? { ...said, status: 200, body: '{"statusDetail":"NOT_FOUND"}' } : said))
  ],
  [
    "says NOT_FOUND about types that it does not serve",
    "GWY-06",
    instead((said) => (said.status === 404 ? { ...said, status: 200, body: '{"statusDetail":"NOT_FOUND"}' } : said))
  ],
  [
    "fails at a body that is no query, so that it is asked again",
    "GWY-07",
    instead((said) => (said.status === 400 ? { ...said, status: 500 } : said))
  ],
  ["accepts a body of any size", "GWY-08", (heard) => respond({ ...heard, body: heard.body.replace(/x{99,}/, "") })],
  [
    "answers other methods",
    "GWY-09",
    (heard) => (heard.method === "PUT" ? respond({ ...heard, method: "POST" }) : respond(heard))
  ],
  [
    "answers a page about an unknown card",
    "GWY-10",
    instead((said, { holder, identifier }) =>
      said.status === 200 && holder?.lastName === madeUp && identifier === "WWC9999999E"
        ? { ...said, body: "<p>no card</p>" }
        : said
    )
  ],
  ["has no Content-Type", "GWY-11", instead((said) => ({ ...said, headers: said.status === 200 ? {} : said.headers }))],
  [
    "says the register's own word",
    "GWY-12",
    instead((said, { identifier }) => (identifier === "WWC1234504E" ? saying(said, { statusDetail: "barred" }) : said))
  ],
  [
    "says a date of another form",
    "GWY-13",
    instead((said, { identifier }) =>
      identifier === "WWC1234504E" ? saying(said, { expiryDate: "31.05.2030" }) : said
    )
  ],
  [
    "says a wrong word in matched",
    "GWY-14",
    instead((said, { identifier }) => (identifier === "WWC1234504E" ? saying(said, { matched: ["number"] }) : said))
  ],
  [
    "shows the register's whole page",
    "GWY-15",
    instead((said, { identifier }) =>
      identifier === "WWC1234504E" ? saying(said, { page: "x".repeat(17_000) }) : said
    )
  ],
  [
    "is silent about a card",
    "GWY-16",
    instead((said, { identifier }) => (identifier === "WWC1234504E" ? "timeout" : said))
  ],
  [
    "redirects a query about a card",
    "GWY-17",
    instead((said, { identifier }) =>
      identifier === "WWC1234504E" ? { ...said, status: 307, headers: { location: "/elsewhere" } } : said
    )
  ],
  [
    "has no Retry-After when the register is busy",
    "GWY-18",
    instead((said, { identifier }) => (identifier === "WWC1234504E" ? { ...said, status: 503 } : said))
  ],
  [
    "repeats the name in a refusal",
    "GWY-19",
    instead((said, { holder }) => (said.status === 404 ? { ...said, body: `no ${holder?.lastName}` } : said))
  ],
  [
    "takes a barred card for a valid one",
    "GWY-20",
    instead((said, { identifier }) => (identifier === "WWC1234504E" ? saying(said, valid) : said))
  ],
  [
    "answers 404 about an unknown card",
    "GWY-21",
    instead((said) => (said.status === 200 && said.body.includes("NOT_FOUND") ? { ...said, status: 404 } : said))
  ],
  [
    "never tries other names",
    "GWY-22",
    instead((said, query) =>
      (query.holder?.otherNames.length ?? 0) > 0 ? to(query, { holder: { ...query.holder, otherNames: [] } }) : said
    )
  ],
  [
    "compares no names",
    "GWY-23",
    instead((said, { identifier }) =>
      identifier === "1234567A-01" && said.body.includes("NAME_MISMATCH") ? saying(said, valid) : said
    )
  ],
  [
    "compares no dates of birth",
    "GWY-24",
    instead((said, { holder }) =>
      said.body.includes("DETAILS_MISMATCH") && holder?.birthDate === "1931-01-31" ? saying(said, valid) : said
    )
  ],
  [
    "compares no expiry dates",
    "GWY-25",
    instead((said, { expiryDate, identifier }) =>
      identifier === "1234567/2" && expiryDate === "2031-02-03" ? saying(said, valid) : said
    )
  ],
  [
    "reads a query before it checks the secret",
    "GWY-28",
    (heard) => {
      const read = respond({ ...heard, authorization: `Bearer ${token}` })
      return read.status === 200 ? respond(heard) : read
    }
  ]
]

/** Says one day more at each query. */
const counting = (): Gateway => {
  let count = 0
  return instead((said) => {
    count += 1
    return saying(said, { expiryDate: `20${30 + count}-05-31` })
  })
}

/** Has room for one query: answers the latest. */
const mixing = (): Gateway => {
  let latest: Parameters<Gateway>[0]
  return (heard) => {
    latest = heard
    return Effect.map(Effect.yieldNow, () => respond(latest))
  }
}

/** Faults that break most rules: only the given one is judged. */
const restless: ReadonlyArray<readonly [fault: string, rule: string, gateway: () => Gateway]> = [
  ["has another answer each time", "GWY-26", counting],
  ["mixes concurrent queries up", "GWY-27", mixing]
]

describe("the kit", () => {
  it.effect("judges every rule of the reference gateway, and each is kept", () =>
    Effect.gen(function* () {
      const report = yield* judged(respond)
      assert.deepStrictEqual(withVerdict(report, "fail", "warn", "error", "blocked", "inconclusive"), [])
      assert.deepStrictEqual(withVerdict(report, "not-applicable"), ["GWY-18"]) // the register is never busy
      assert.strictEqual(exitCodeOf(report, "should"), 0)
    })
  )

  for (const [fault, rule, gateway] of faulty) {
    it.effect(`${rule} finds a gateway that ${fault}`, () =>
      Effect.gen(function* () {
        const report = yield* judged(gateway)
        assert.deepStrictEqual(withVerdict(report, "fail", "warn", "error"), [rule])
        assert.strictEqual(exitCodeOf(report, "should"), 1)
      })
    )
  }

  for (const [fault, rule, gateway] of restless) {
    it.effect(`${rule} finds a gateway that ${fault}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(withVerdict(yield* judged(gateway(), { only: new Set([rule]) }), "fail"), [rule])
      })
    )
  }

  it("has a fault for each rule", () => {
    const found = [...faulty, ...restless].map(([, rule]) => rule).sort()
    assert.deepStrictEqual(
      gatewayRules.map(({ id }) => id),
      found
    )
  })

  it.effect("blocks the rules about known cards without any, and judges the others by made-up cards", () =>
    Effect.gen(function* () {
      const report = yield* judged(respond, { known: [] })
      assert.deepStrictEqual(withVerdict(report, "fail", "warn", "error"), [])
      const open = ["GWY-20", "GWY-22", "GWY-23", "GWY-24", "GWY-25", "GWY-27"]
      assert.deepStrictEqual(withVerdict(report, "blocked"), open)
      assert.strictEqual(exitCodeOf(report), 4)
    })
  )

  it.effect("judges nothing if the gateway refuses the secret", () =>
    Effect.gen(function* () {
      const report = yield* judged(() => ({ status: 401, headers: {}, body: "" }))
      assert.include(report.headline, "the gateway refused the token or password: it answered 401")
      assert.strictEqual(exitCodeOf(report), 3)
    })
  )

  it.effect("shows the secret nowhere in the report", () =>
    Effect.gen(function* () {
      const leaking: Gateway = (heard) => ({
        ...respond(heard),
        body: JSON.stringify({ token, sent: heard.authorization })
      })
      assert.notInclude(JSON.stringify(yield* judged(leaking)), token)
    })
  )
})
