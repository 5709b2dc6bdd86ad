import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  at,
  type Call,
  client,
  grant,
  grantForm,
  otherHost,
  Service,
  textAt,
  tokenFor,
  tokenOf,
  tokenPath,
  worker
} from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertLegacyError } from "../legacy/LegacySurface.ts"

const root = "/openapi/v1"
const list: Call = { method: "GET", path: `${root}/workers` }

/** A call of each kind by an unknown caller, and its status within the limit. */
const unknownCallers: ReadonlyArray<readonly [what: string, status: number, call: Call]> = [
  ["no token", 401, { ...list, token: null }],
  ["no token on the legacy surface", 401, { method: "GET", path: "/api/users/me", token: null }],
  ["a long URL", 414, { method: "GET", path: `${root}/workers?query=${"a".repeat(8192)}` }],
  ["a long URL on the legacy surface", 414, { method: "GET", path: `/api/users/me?a=${"a".repeat(8192)}` }],
  ["a long URL at the token endpoint", 414, { method: "POST", path: `${tokenPath}?a=${"a".repeat(8192)}` }],
  ["an unknown host", 404, { ...list, host: "nobody.example" }],
  ["an unknown host on the legacy surface", 404, { method: "GET", path: "/api/users/me", host: "nobody.example" }],
  ["an unknown host at the token endpoint", 404, { method: "POST", path: tokenPath, host: "nobody.example" }],
  ["an unknown path of the legacy surface", 404, { method: "GET", path: "/api/nonsense" }],
  ["an unknown path outside the surfaces", 404, { method: "GET", path: "/nonsense" }],
  ["a document by a wrong method", 405, { method: "POST", path: "/docs" }],
  ["a set-up page that does not exist", 404, { method: "GET", path: "/setup/nonsense" }],
  ["the reference page", 200, { method: "GET", path: "/docs" }],
  ["the contract", 200, { method: "GET", path: "/openapi.json" }],
  ["the public keys", 200, { method: "GET", path: "/.well-known/jwks.json" }]
]

/** The limit headers of a response. Fails the test if they are missing or not whole numbers. */
const quotaOf = ({ headers, status, text }: Answer) => {
  const read = (name: string) => {
    const value = headers[`x-ratelimit-${name}`]
    assert.match(value ?? "", /^\d+$/, `x-ratelimit-${name} of ${status} ${text}`)
    return Number(value)
  }
  return { limit: read("limit"), remaining: read("remaining"), reset: read("reset") }
}

/** Makes the call this many times, one after the other. */
const times = Effect.fnUntraced(function* (count: number, one: Call) {
  const { call } = yield* Service
  return yield* Effect.replicateEffect(call(one), count)
})

const assertRefused = (answer: Answer) => {
  assert.strictEqual(answer.status, 429)
  assert.strictEqual(at(answer, "error.code"), "TOO_MANY_REQUESTS")
  assert.strictEqual(textAt(answer, "error.requestId"), answer.headers["x-request-id"])
  const { remaining, reset } = quotaOf(answer)
  assert.strictEqual(remaining, 0)
  assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/)
  assert.strictEqual(Number(answer.headers["retry-after"]), reset)
}

layer(layerService())("rate limits that are not reached", (it) => {
  it.effect("RTL-08: every response to an unknown caller has the three headers, on and outside both surfaces", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const [what, status, one] of unknownCallers) {
        const answer = yield* call(one)
        assert.strictEqual(answer.status, status, what)
        assert.strictEqual(quotaOf(answer).limit, raisedLimits.unauthenticated, what)
      }
    })
  )
})

const limits = {
  standard: 5,
  intensive: 2,
  tenantStandard: 500,
  tenantIntensive: 200,
  unauthenticated: 3,
  tokenFailures: 2,
  addressFailures: 4,
  networkFailures: 16,
  loginFailures: 2,
  tokensIssued: 2
}
const windowSeconds = 60

layer(layerService(limits))("rate limits", (it) => {
  /** Starts new windows, since a test's preparation counts too. */
  const afresh = Effect.gen(function* () {
    const { advance } = yield* Service
    yield* advance(windowSeconds)
  })

  it.effect("RTL-07: there are two tiers by endpoint, each with its own budget", () =>
    Effect.gen(function* () {
      yield* afresh
      const { call } = yield* Service
      const to = { type: "worker", id: yield* worker() }
      const { token } = yield* tokenOf("Super Admin")
      const bulk = (path: string, body: unknown): Call => ({ method: "POST", path: `${root}${path}`, body, token })
      const link = bulk("/credentials/link", { to, credentialIds: [] })
      const transfer = bulk("/credentials/transfer", { from: to, to, credentialIds: [] })

      const linked = yield* call(link)
      assert.deepInclude(quotaOf(linked), { limit: limits.intensive, remaining: 1 })
      assert.deepInclude(quotaOf(yield* call(transfer)), { limit: limits.intensive, remaining: 0 })
      assertRefused(yield* call(link))
      assertRefused(yield* call(transfer))
      const standard = yield* call({ ...list, token })
      assert.strictEqual(standard.status, 200)
      assert.deepInclude(quotaOf(standard), { limit: limits.standard, remaining: limits.standard - 1 })
    })
  )

  it.effect("RTL-04: checks the limit before the privilege, and counts unknown paths too", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf(["worker:READ"])
      const create: Call = { method: "POST", path: `${root}/workers`, body: {}, token }
      const nowhere: Call = { method: "GET", path: `${root}/nonsense`, token }
      const statuses = []
      for (const one of [create, nowhere, list, create, nowhere, create, nowhere, list]) {
        statuses.push((yield* call({ ...one, token })).status)
      }
      assert.deepStrictEqual(statuses, [403, 404, 200, 403, 404, 429, 429, 429])
    })
  )

  it.effect("threat 26: counts calls by user, with any token and any spelling of bearer", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { email, token } = yield* tokenOf("Viewer")
      const again = yield* tokenFor(email)
      const spelt = (scheme: string, text: string): Call => ({
        ...list,
        token: null,
        headers: { authorization: `${scheme} ${text}`, "x-forwarded-for": `198.51.100.${scheme.length}` }
      })
      const remaining = []
      for (const one of [
        { ...list, token },
        { ...list, token: again.token },
        spelt("bearer", token),
        spelt("BEARER", again.token),
        spelt("BeArEr", token)
      ]) {
        remaining.push(quotaOf(yield* call(one)).remaining)
      }
      assert.deepStrictEqual(remaining, [4, 3, 2, 1, 0])
      assertRefused(yield* call(spelt("bEARER", (yield* tokenFor(email)).token)))
      // The control: another user has its own budget.
      assert.strictEqual((yield* call({ ...list, token: (yield* tokenOf("Viewer")).token })).status, 200)
    })
  )

  it.effect("threat 26: counts failed authentication by the peer's address, not by its headers", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const address = "127.0.0.2"
      const failing = (index: number): Call => ({
        ...list,
        address,
        token: index === 0 ? null : `nonsense ${index}`,
        headers: { "x-forwarded-for": `198.51.100.${index}`, forwarded: `for=198.51.100.${index}` }
      })
      const answers = yield* Effect.forEach([0, 1, 2, 3], (index) => call(failing(index)))
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [401, 401, 401, 429]
      )
      assert.deepStrictEqual(
        answers.map((answer) => quotaOf(answer).remaining),
        [2, 1, 0, 0]
      )
      for (const refused of answers.slice(3)) assertRefused(refused)
      assertRefused(yield* call({ method: "GET", path: `${root}/nonsense`, token: null, address }))
      // The controls: another address is not refused, nor is a valid token from this one.
      assert.strictEqual((yield* call({ ...failing(0), address: "127.0.0.3" })).status, 401)
      const { token } = yield* tokenOf("Viewer")
      assert.strictEqual((yield* call({ ...list, token, address })).status, 200)
    })
  )

  it.effect.each(unknownCallers.map((row, index) => [...row, `127.0.1.${index + 1}`] as const))(
    "RTL-04, RTL-08: %s counts by the address, and is 429 in the shape of its surface past the limit",
    ([, status, one, address]) =>
      Effect.gen(function* () {
        const answers = yield* times(limits.unauthenticated + 1, { ...one, address })
        assert.deepStrictEqual(
          answers.map((answer) => [answer.status, quotaOf(answer).limit, quotaOf(answer).remaining]),
          [
            [status, 3, 2],
            [status, 3, 1],
            [status, 3, 0],
            [429, 3, 0]
          ]
        )
        for (const refused of answers.slice(limits.unauthenticated)) {
          assert.strictEqual(Number(refused.headers["retry-after"]), quotaOf(refused).reset)
          if (one.path.startsWith("/api")) assertLegacyError(refused, 429)
          else if (one.path.startsWith(tokenPath)) assert.strictEqual(at(refused, "error"), "temporarily_unavailable")
          else assertRefused(refused)
        }
      })
  )

  it.effect("RTL-04: calls of unknown callers use up only the limit of their address", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const address = "127.0.0.6"
      const { token } = yield* tokenOf("Viewer")
      yield* times(limits.unauthenticated, { method: "GET", path: "/openapi.json", token: null, address })
      assert.strictEqual((yield* call({ method: "GET", path: "/api/nonsense", address })).status, 429)
      assert.strictEqual((yield* call({ ...list, token, address })).status, 200)
      assert.strictEqual((yield* grant(grantForm(yield* client()), { address })).status, 200)
    })
  )

  const assertGrantRefused = (refused: Answer) => {
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(at(refused, "error"), "temporarily_unavailable")
    assert.isNotEmpty(textAt(refused, "error_description"))
    assert.strictEqual(Number(refused.headers["retry-after"]), quotaOf(refused).reset)
    assert.strictEqual(refused.headers["cache-control"], "no-store")
  }

  it.effect("RTL-04, RTL-05: too many failures from one address are 429 in the token endpoint's own shape", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      yield* afresh
      const address = "127.0.0.4"
      const made = yield* client()
      const wrong = grantForm({ ...made, clientSecret: "wrong" })
      const failures = [
        yield* grant(wrong, { address }),
        yield* grant({}, { address }),
        yield* grant(`${new URLSearchParams(wrong)}&client_id=again`, { address }),
        yield* grant({ ...wrong, client_id: "wcs_oauth_0000000000000000" }, { address })
      ]
      assert.deepStrictEqual(
        failures.map((answer) => [answer.status, quotaOf(answer).remaining]),
        [
          [401, 1],
          [400, 1],
          [400, 0],
          [401, 0]
        ]
      )
      for (const refused of [
        yield* grant(wrong, { address }),
        yield* grant(grantForm(made), { address }),
        yield* grant(`more=${"a".repeat(17 * 1024)}`, { address }),
        yield* grant({}, { address, method: "PUT" })
      ]) {
        assertGrantRefused(refused)
      }
      assert.strictEqual((yield* grant(grantForm(made), { address: "127.0.0.5" })).status, 200)
      yield* advance(windowSeconds)
      assert.strictEqual((yield* grant(grantForm(made), { address })).status, 200)
    })
  )
})

const ofTenant = { ...limits, standard: 10, intensive: 2, tenantStandard: 30, tenantIntensive: 6 }

layer(layerService(ofTenant))("the budget of a tenant", (it) => {
  /** Creates this many clients. Returns an access token of each. */
  const clients = Effect.fnUntraced(function* (count: number) {
    const tokens = []
    for (let index = 0; index < count; index++) {
      tokens.push(textAt(yield* grant(grantForm(yield* client())), "access_token"))
    }
    return tokens
  })

  it.effect(
    "threat 43: 50 clients of a tenant together get its budget of calls, and another tenant keeps its own",
    () =>
      Effect.gen(function* () {
        const { advance, call } = yield* Service
        const tokens = yield* clients(50)
        yield* advance(windowSeconds)
        const answers = []
        for (let round = 0; round < 2; round++) {
          for (const token of tokens) answers.push(yield* call({ ...list, token }))
        }
        const served = answers.filter(({ status }) => status === 200)
        assert.lengthOf(served, ofTenant.tenantStandard, "without a budget these are 100")
        for (const refused of answers.slice(ofTenant.tenantStandard)) {
          assertRefused(refused)
          assert.strictEqual(quotaOf(refused).limit, ofTenant.tenantStandard)
        }
        const { token } = yield* tokenOf("Viewer", true)
        assert.strictEqual((yield* call({ ...list, host: otherHost, token })).status, 200)
      })
  )

  it.effect("RTL-02, RTL-05: the headers show the limit with fewer calls left, and the wait of a used-up budget", () =>
    Effect.gen(function* () {
      const { advance, call } = yield* Service
      const tokens = yield* clients(4)
      yield* advance(windowSeconds)
      const shown = []
      for (const token of tokens) {
        for (let count = 0; count < 9; count++) {
          const { limit, remaining } = quotaOf(yield* call({ ...list, token }))
          shown.push(`${remaining} of ${limit}`)
        }
      }
      const own = ["9 of 10", "8 of 10", "7 of 10", "6 of 10", "5 of 10", "4 of 10", "3 of 10", "2 of 10", "1 of 10"]
      const last = ["2 of 30", "1 of 30", "0 of 30", ...Array.from({ length: 6 }, () => "0 of 30")]
      assert.deepStrictEqual(shown, [...own, ...own, ...own, ...last])
      const refused = yield* call({ ...list, token: tokens[3] ?? null })
      assertRefused(refused)
      yield* advance(quotaOf(refused).reset)
      const again = yield* call({ ...list, token: tokens[3] ?? null })
      assert.strictEqual(again.status, 200)
      assert.deepInclude(quotaOf(again), { limit: 10, remaining: 9 })
    })
  )

  it.effect("threat 43: a client above its own limit uses up nothing of the tenant's budget", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const [one = null, other = null] = yield* clients(2)
      yield* advance(windowSeconds)
      yield* times(ofTenant.standard + 100, { ...list, token: one })
      const answers = yield* times(ofTenant.standard, { ...list, token: other })
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    })
  )

  it.effect("threat 43: expensive calls have a budget of their own", () =>
    Effect.gen(function* () {
      const { advance, call } = yield* Service
      const to = { type: "worker", id: yield* worker() }
      const people = yield* Effect.replicateEffect(tokenOf("Super Admin"), 4)
      yield* advance(windowSeconds)
      const bulk: Call = { method: "POST", path: `${root}/credentials/link`, body: { to, credentialIds: [] } }
      const statuses = []
      for (const { token } of people) {
        for (const answer of yield* times(ofTenant.intensive, { ...bulk, token })) statuses.push(answer.status)
      }
      assert.deepStrictEqual(statuses.slice(ofTenant.tenantIntensive), [429, 429])
      assert.notInclude(statuses.slice(0, ofTenant.tenantIntensive), 429)
      assert.strictEqual((yield* call({ ...list, token: people[3]?.token ?? null })).status, 200)
    })
  )
})
