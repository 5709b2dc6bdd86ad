import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Redacted } from "effect"
import {
  type Answer,
  accessToken,
  at,
  type Call,
  client,
  grant,
  grantForm,
  operator,
  otherHost,
  Service,
  textAt,
  tokenFor,
  tokenOf,
  tokenPath,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertLegacyError, basic, login, person, send } from "../legacy/LegacySurface.ts"

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

/** Makes the calls in order. Returns the answers, and the status and the remaining calls of each. */
const counted = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
  const { call } = yield* Service
  const answers = yield* Effect.forEach(calls, call)
  return { answers, seen: answers.map((answer) => [answer.status, quotaOf(answer).remaining]) }
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
  tokensIssued: 2,
  sourceQuestions: 600,
  answerLinks: 60,
  answerPages: 1200
}
const windowSeconds = 60

layer(layerService(limits))("rate limits", (it) => {
  /** Starts new windows, since a test's preparation counts too. */
  const afresh = Service.use(({ advance }) => advance(windowSeconds))

  it.effect("RTL-04, RTL-07: two tiers have their own budgets; limits come before privileges and unknown paths", () =>
    Effect.gen(function* () {
      yield* afresh
      const to = { type: "worker", id: yield* worker() }
      const { token } = yield* tokenOf(["worker:READ", "credential:UPDATE"])
      const post = (path: string, body: unknown): Call => ({ method: "POST", path: `${root}${path}`, body, token })
      const link = post("/credentials/link", { to, credentialIds: [] })
      const create = post("/workers", {})
      const nowhere: Call = { method: "GET", path: `${root}/nonsense`, token }
      const { seen } = yield* counted([
        link,
        post("/credentials/transfer", { from: to, to, credentialIds: [] }),
        link,
        create,
        nowhere,
        { ...list, token },
        create,
        nowhere,
        create,
        nowhere,
        { ...list, token }
      ])
      assert.deepStrictEqual(seen, [
        [200, 1],
        [200, 0],
        [429, 0],
        ...[403, 404, 200, 403, 404, 429, 429, 429].map((status, index) => [status, Math.max(0, 4 - index)])
      ])
    })
  )

  it.effect("threat 26: counts calls by user, with any bearer and any spelling of it", () =>
    Effect.gen(function* () {
      const { session, tenant, users } = yield* Service
      const { email, token, urn } = yield* tokenOf("Viewer")
      const who = { email, password: `pass: ${email}`, host: "localhost" }
      yield* Effect.orDie(users.setPassword(tenant.id, email, Redacted.make(who.password), operator))
      const { bearer } = yield* login(who)
      const { headers } = yield* session(accountIdOf(urn))
      const again = yield* tokenFor(email)
      yield* afresh
      const by = (authorization: string, path = list.path): Call => ({
        ...list,
        path,
        token: null,
        headers: { authorization, "x-forwarded-for": `198.51.100.${authorization.length}` }
      })
      const { answers, seen } = yield* counted([
        by(`bearer ${token}`),
        by(`BEARER ${again.token}`),
        by(basic(who), "/api/users/me"),
        by(bearer, "/api/users/me"),
        { ...list, token: null, headers },
        by(`bEARER ${(yield* tokenFor(email)).token}`),
        { ...list, token: (yield* tokenOf("Viewer")).token }
      ])
      const own = [4, 3, 2, 1, 0].map((remaining) => [200, remaining])
      assert.deepStrictEqual(seen, [...own, [429, 0], [200, 4]])
      for (const refused of answers.slice(5, 6)) assertRefused(refused)
    })
  )

  it.effect("threat 26: counts failed authentication by the peer's address, not by its headers", () =>
    Effect.gen(function* () {
      const address = "127.0.0.2"
      const failing = (index: number): Call => ({
        ...list,
        address,
        token: index === 0 ? null : `nonsense ${index}`,
        headers: { "x-forwarded-for": `198.51.100.${index}`, forwarded: `for=198.51.100.${index}` }
      })
      const { seen } = yield* counted([
        ...[0, 1, 2, 3].map(failing),
        { method: "GET", path: `${root}/nonsense`, token: null, address },
        { ...failing(0), address: "127.0.0.3" },
        { ...list, token: (yield* tokenOf("Viewer")).token, address }
      ])
      assert.deepStrictEqual(seen, [
        ...[2, 1, 0].map((remaining) => [401, remaining]),
        [429, 0],
        [429, 0],
        // The controls: another address, a valid token and a grant are not refused.
        [401, 2],
        [200, 4]
      ])
      assert.strictEqual((yield* grant(grantForm(yield* client()), { address })).status, 200)
    })
  )

  it.effect.each(unknownCallers.map((row, index) => [...row, `127.0.1.${index + 1}`] as const))(
    "RTL-04, RTL-08: %s counts by the address, and is 429 in the shape of its surface past the limit",
    ([, status, one, address]) =>
      Effect.gen(function* () {
        const { answers, seen } = yield* counted(Array<Call>(4).fill({ ...one, address }))
        assert.deepStrictEqual(seen, [
          [status, 2],
          [status, 1],
          [status, 0],
          [429, 0]
        ])
        for (const answer of answers) assert.strictEqual(quotaOf(answer).limit, limits.unauthenticated)
        for (const refused of answers.slice(limits.unauthenticated)) {
          assert.strictEqual(Number(refused.headers["retry-after"]), quotaOf(refused).reset)
          if (one.path.startsWith("/api")) assertLegacyError(refused, 429)
          else if (one.path.startsWith(tokenPath)) assert.strictEqual(at(refused, "error"), "temporarily_unavailable")
          else assertRefused(refused)
        }
      })
  )

  it.effect("LEG-18: failures of one user name from any address lock it for the rest of the minute", () =>
    Effect.gen(function* () {
      const [who, other] = [yield* person(), yield* person()]
      const asked = (index: number, given: Parameters<typeof basic>[0]) =>
        send("GET", "/users/me", basic(given), { address: `127.0.2.${index}` })
      const wrong = { ...who, password: "wrong" }
      for (const index of [1, 2]) assertLegacyError(yield* asked(index, wrong), 401, "authentication")
      for (const given of [wrong, who]) assertLegacyError(yield* asked(3, given), 429)
      assert.strictEqual((yield* asked(4, other)).status, 200)
      yield* afresh
      assert.strictEqual((yield* asked(5, who)).status, 200)
    })
  )

  it.effect("RTL-04, RTL-05: too many failures from one address are 429 in the token endpoint's own shape", () =>
    Effect.gen(function* () {
      yield* afresh
      const address = "127.0.0.4"
      const made = yield* client()
      const wrong = grantForm({ ...made, clientSecret: "wrong" })
      const rows: ReadonlyArray<readonly [form: Parameters<typeof grant>[0], status: number, more?: Partial<Call>]> = [
        [wrong, 401],
        [{}, 400],
        [`${new URLSearchParams(wrong)}&client_id=again`, 400],
        [{ ...wrong, client_id: "wcs_oauth_0000000000000000" }, 401],
        [grantForm(made), 429],
        [`more=${"a".repeat(17 * 1024)}`, 429],
        [{}, 429, { method: "PUT" }],
        [grantForm(made), 200, { address: "127.0.0.5" }]
      ]
      for (const [form, status, more] of rows) {
        const answer = yield* grant(form, { address, ...more })
        assert.strictEqual(answer.status, status, answer.text)
        if (status !== 429) continue
        assert.strictEqual(at(answer, "error"), "temporarily_unavailable")
        assert.isNotEmpty(textAt(answer, "error_description"))
        assert.strictEqual(Number(answer.headers["retry-after"]), quotaOf(answer).reset)
        assert.strictEqual(answer.headers["cache-control"], "no-store")
      }
      yield* afresh
      assert.strictEqual((yield* grant(grantForm(made), { address })).status, 200)
    })
  )
})

const ofTenant = { ...limits, standard: 10, tenantStandard: 30 }

layer(layerService(ofTenant))("the budget of a tenant", (it) => {
  it.effect("threat 43: the clients of a tenant together get its budget of calls; another tenant keeps its own", () =>
    Effect.gen(function* () {
      const clients = yield* Effect.replicateEffect(accessToken(), 20)
      yield* Service.use(({ advance }) => advance(windowSeconds))
      const { answers, seen } = yield* counted([...clients, ...clients].map(({ token }) => ({ ...list, token })))
      assert.deepStrictEqual(
        seen.map(([status]) => status),
        answers.map((_, index) => (index < ofTenant.tenantStandard ? 200 : 429))
      )
      for (const refused of answers.slice(ofTenant.tenantStandard)) {
        assertRefused(refused)
        assert.strictEqual(quotaOf(refused).limit, ofTenant.tenantStandard)
      }
      const { token } = yield* tokenOf("Viewer", true)
      const elsewhere = yield* counted([{ ...list, host: otherHost, token }])
      assert.deepStrictEqual(elsewhere.seen, [[200, 9]])
    })
  )
})
