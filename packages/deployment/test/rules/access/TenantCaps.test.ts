import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect } from "effect"
import { type Answer, client, operator, otherHost, Service, textAt, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, post, remove, root } from "../NewerSurface.ts"

const caps = { clients: 5, tokens: 4, users: 6 }
const settings = {
  WCS_CLIENTS_MAX: String(caps.clients),
  WCS_TOKENS_MAX: String(caps.tokens),
  WCS_USERS_MAX: String(caps.users)
}

/** Asserts that `count` answers are 201 and the rest are refused with this hint. Returns the ids of the created. */
const created = (answers: ReadonlyArray<Answer>, count: number, hint: string) => {
  const [done, refused] = [
    answers.filter(({ status }) => status === 201),
    answers.filter(({ status }) => status !== 201)
  ]
  assert.lengthOf(done, count)
  for (const answer of refused) assertRefused(answer, "UNPROCESSABLE", hint)
  return done.map((answer) => textAt(answer, "data.id"))
}

const concurrently = (count: number, one: Effect.Effect<Answer, never, Service>) =>
  Effect.all(
    Array.from({ length: count }, () => one),
    { concurrency: 8 }
  )

layer(layerService(undefined, {}, settings), { excludeTestServices: true })("the caps of a tenant", (it) => {
  it.effect("threat 43: creates clients up to the cap, also concurrently; a revocation frees a place", () =>
    Effect.gen(function* () {
      const { administration, tenant } = yield* Service
      const add = post("/api-clients", { name: "payroll" })
      const ids = created(yield* concurrently(caps.clients + 8, add), caps.clients, "The limit of 5 API clients")
      yield* remove(`/api-clients/${ids[0]}`)
      yield* client()
      assertRefused(yield* add, "UNPROCESSABLE", "The limit of 5 API clients")
      const refusal = yield* Effect.flip(administration.createClient(tenant.id, "one more", operator))
      assert.strictEqual(refusal._tag, "CollectionFull", "the operator too")
      yield* client(true)
    })
  )

  it.effect("threat 43: creates tokens of a user up to the cap, also concurrently; others keep theirs", () =>
    Effect.gen(function* () {
      const { administration, call, tenant } = yield* Service
      const [one, other] = [yield* tokenOf("Super Admin"), yield* tokenOf("Super Admin")]
      const add = (token: string) =>
        call({ method: "POST", path: `${root}/access-tokens`, body: { name: "ci" }, token })
      const hint = "The limit of 4 access tokens"
      const ids = created(yield* concurrently(10, add(one.token)), caps.tokens - 1, hint)
      assertStatus(yield* call({ method: "DELETE", path: `${root}/access-tokens/${ids[0]}`, token: one.token }), 204)
      assertStatus(yield* add(one.token), 201)
      assertRefused(yield* add(one.token), "UNPROCESSABLE", hint)
      const byOperator = administration.createToken(tenant.id, one.email, "laptop", null, operator)
      assert.strictEqual((yield* Effect.flip(byOperator))._tag, "CollectionFull")
      assertStatus(yield* add(other.token), 201)
    })
  )

  it.effect("threat 43: invites users up to the cap; deactivation frees a place, and reactivation needs one", () =>
    Effect.gen(function* () {
      const { administration, call, session, tenant, users } = yield* Service
      const admin = yield* tokenOf("Super Admin", true)
      const { headers } = yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn))
      const send = (method: string, path: string, body?: unknown) =>
        call({ method, path: `${root}/users${path}`, token: null, headers, ...(body === undefined ? {} : { body }) })
      const invite = Effect.suspend(() => send("POST", "", { email: `${randomUUID()}@example.org`, role: "Viewer" }))
      const hint = "The limit of 6 users"
      const ids = created(yield* concurrently(10, invite), 2, hint) // beside the Super Admin and three users above
      assertStatus(yield* send("DELETE", `/${ids[0]}`), 204)
      assertStatus(yield* invite, 201)
      assertRefused(yield* send("POST", `/${ids[0]}/activate`), "UNPROCESSABLE", hint)
      const email = `${randomUUID()}@example.org`
      const byOperator = yield* Effect.flip(administration.createUser(tenant.id, email, "Viewer", operator))
      assert.strictEqual(byOperator._tag, "CollectionFull")
      yield* Effect.orDie(users.setActive(tenant.id, "super@example.org", true, operator))
      assertStatus(yield* send("DELETE", `/${ids[1]}`), 204)
      assertStatus(yield* send("POST", `/${ids[0]}/activate`), 200)
      const elsewhere = { method: "GET", path: `${root}/users`, host: otherHost, token: admin.token }
      assertStatus(yield* call(elsewhere), 200)
    })
  )
})
