import { assert, describe, layer } from "@effect/vitest"
import { applicants, batchCredentials, batchSize, batchWorkers } from "@wcs/bench/data/Dataset"
import { idAt } from "@wcs/bench/data/Ids"
import { openTransfer } from "@wcs/bench/load/Statement"
import { Effect } from "effect"
import { afterEach, vi } from "vitest"
import { type Answer, askAll, type Call, layerSides, type Running, rowsOf, Sides } from "./Sides.ts"

const credential = (n: number) => `/openapi/v1/credentials/${idAt("credential", n)}`
const nobody = idAt("credential", 1_000_000)

const linkTo = (n: number, owner: unknown): Call => ({
  method: "POST",
  path: `${credential(n)}/link`,
  body: JSON.stringify(owner)
})
const applicant = (n: number) => ({ type: "applicant", id: idAt("applicant", n) })

/**
 * The comparable part: of a refusal status and code, without its message and limits by address, which only ours has.
 */
const comparable = (answer: Answer | undefined) => {
  if (answer === undefined || answer.status < 400) return answer
  return { status: answer.status, code: /"code":"([A-Z_]+)"/.exec(answer.body)?.[1] }
}

/** Checks that every side answers like ours, and as expected. */
const agree = Effect.fnUntraced(function* (
  call: Call,
  expected: { readonly status: number; readonly body: string },
  except: ReadonlyArray<Running["name"]> = []
) {
  const [ours, ...others] = yield* askAll(call, except)
  assert.strictEqual(ours?.answer.status, expected.status, ours?.answer.body)
  assert.include(ours?.answer.body, expected.body)
  assert.isAtLeast(others.length, 1)
  for (const { answer, name } of others) {
    assert.deepStrictEqual({ name, answer: comparable(answer) }, { name, answer: comparable(ours?.answer) })
  }
  return ours?.answer ?? ({ status: 0, headers: {}, body: "" } satisfies Answer)
})

/** Calls of the Super Admin. */
const asAdmin = Effect.fnUntraced(function* (...[call, expected, except]: Parameters<typeof agree>) {
  const { dataset } = yield* Sides
  return yield* agree({ token: dataset.token.secret, ...call }, expected, except)
})

/** Sides that only read. */
const writers: ReadonlyArray<Running["name"]> = ["floor"]

/** Additional columns of an event. On SQLite the peer does not write all of them, and our worker has sent the event. */
const about = { SQLite: "", Postgres: ", credential_type, jurisdiction, state" } as const

/** A row without the time in the peer's events. */
const timeless = (row: Readonly<Record<string, unknown>>) => {
  if (typeof row["data"] !== "string") return row
  const { at: _, ...data } = JSON.parse(row["data"])
  return { ...row, data }
}

describe.each(["SQLite", "Postgres"] as const)("floor and peer answer as ours does, on %s", (engine) => {
  layer(layerSides({ engine }))("reading", (it) => {
    it.effect("a credential, with the three headers and the caller's own id", () =>
      Effect.gen(function* () {
        const ownId = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
        const call = { path: credential(3), headers: { "x-request-id": ownId } }
        const { body, headers } = yield* asAdmin(call, { status: 200, body: '"requestId":"<ULID>"' })
        assert.include(body, idAt("worker", 3))
        assert.include(body, '"eligibility":"MAY_ENGAGE"')
        assert.strictEqual(headers["x-client-request-id"], ownId)
        assert.strictEqual(headers["x-request-id"], "<ULID>")
        assert.strictEqual(headers["x-ratelimit-remaining"], "999999999")
        assert.strictEqual(headers["x-ratelimit-reset"], "<seconds>")
      })
    )

    it.effect("a malformed request id of the caller is not echoed, and each call counts", () =>
      Effect.gen(function* () {
        const call = { path: credential(4), headers: { "x-request-id": "mine" } }
        const { headers } = yield* asAdmin(call, { status: 200, body: idAt("credential", 4) })
        assert.notProperty(headers, "x-client-request-id")
        assert.strictEqual(headers["x-ratelimit-remaining"], "999999998")
      })
    )

    it.effect("a missing credential, a malformed id, an unknown parameter, an unknown path", () =>
      Effect.gen(function* () {
        yield* asAdmin({ path: `/openapi/v1/credentials/${nobody}` }, { status: 404, body: nobody })
        yield* asAdmin({ path: "/openapi/v1/credentials/cred_1" }, { status: 400, body: "INVALID_ARGUMENT" })
        yield* asAdmin({ path: `${credential(3)}?colour=red` }, { status: 400, body: "colour" })
        yield* asAdmin({ path: `${credential(3)}?includeDeleted=true` }, { status: 200, body: "Number3" })
        yield* asAdmin({ path: "/openapi/v1/nothing" }, { status: 404, body: "There is nothing at this path" })
        yield* asAdmin({ path: "/nothing" }, { status: 404, body: "There is nothing at this path" })
      })
    )

    it.effect("plain HTTP and an unknown host", () =>
      Effect.gen(function* () {
        const plain = { path: credential(3), headers: { "x-forwarded-proto": "http" } }
        yield* asAdmin(plain, { status: 400, body: "HTTPS is required." })
        const stranger = { path: credential(3), headers: { host: "stranger.example.org" } }
        yield* asAdmin(stranger, { status: 404, body: "There is no tenant at this host." })
      })
    )

    it.effect("no token, a wrong one, a malformed one", () =>
      Effect.gen(function* () {
        const { dataset } = yield* Sides
        const refused = { status: 401, body: "Unauthorized to perform this action" }
        const { headers } = yield* agree({ path: credential(3) }, refused)
        assert.strictEqual(headers["www-authenticate"], 'Bearer realm="wcs"')
        yield* agree({ path: credential(3), token: dataset.token.secret.replace(/.$/, "_") }, refused)
        const basic = { path: credential(3), headers: { authorization: `Basic ${dataset.token.secret}` } }
        yield* agree(basic, refused)
      })
    )

    it.effect("a caller without the privilege", () =>
      Effect.gen(function* () {
        const { dataset } = yield* Sides
        const call = { path: credential(3), token: dataset.powerless.secret }
        yield* agree(call, { status: 403, body: "is unauthorized to READ credentials." })
      })
    )

    it.effect("a cached token ends when it is revoked", () =>
      Effect.gen(function* () {
        const { all, dataset } = yield* Sides
        const { id, secret } = dataset.powerless
        yield* agree({ path: credential(3), token: secret }, { status: 403, body: "FORBIDDEN" })
        yield* Effect.forEach(all, ({ revoke }) => Effect.promise(() => revoke(dataset.tenantId, id)))
        yield* agree({ path: credential(3), token: secret }, { status: 401, body: "Unauthorized" })
        yield* asAdmin({ path: credential(3) }, { status: 200, body: "Number3" })
      })
    )
  })

  layer(layerSides({ engine, limits: { standard: 3, unauthenticated: 2 } }))("with few calls left", (it) => {
    it.effect("the call beyond the limit", () =>
      Effect.gen(function* () {
        for (const remaining of ["2", "1", "0"]) {
          const { headers } = yield* asAdmin({ path: credential(3) }, { status: 200, body: "Number3" })
          assert.strictEqual(headers["x-ratelimit-remaining"], remaining)
        }
        const { headers } = yield* asAdmin({ path: credential(3) }, { status: 429, body: "TOO_MANY_REQUESTS" })
        assert.strictEqual(headers["retry-after"], "<seconds>")
      })
    )

    it.effect("the unauthenticated call beyond the limit", () =>
      Effect.gen(function* () {
        for (const status of [401, 401, 429]) yield* agree({ path: credential(3) }, { status, body: "message" })
        const elsewhere = { path: credential(3), headers: { "x-forwarded-for": "198.51.100.7" } }
        yield* agree(elsewhere, { status: 401, body: "message" })
      })
    )
  })

  layer(layerSides({ engine, isSubscribed: true }))("linking", (it) => {
    it.effect("an owner, bare and under a name, and the same owner once more", () =>
      Effect.gen(function* () {
        yield* asAdmin(linkTo(1, applicant(1)), { status: 200, body: idAt("applicant", 1) }, writers)
        yield* asAdmin(linkTo(2, { to: applicant(2) }), { status: 200, body: '"updatedAt":"<now>"' }, writers)
        yield* asAdmin(linkTo(2, applicant(2)), { status: 200, body: idAt("applicant", 2) }, writers)
      })
    )

    it.effect("another owner in the slot, a missing owner, a missing credential", () =>
      Effect.gen(function* () {
        yield* asAdmin(linkTo(3, applicant(3)), { status: 200, body: idAt("applicant", 3) }, writers)
        const other = yield* asAdmin(linkTo(3, applicant(4)), { status: 409, body: "ALREADY_LINKED" }, writers)
        assert.include(other.body, idAt("applicant", 3))
        const worker = { type: "worker", id: idAt("worker", 7) }
        yield* asAdmin(linkTo(3, worker), { status: 409, body: "The worker slot holds" }, writers)
        yield* asAdmin(linkTo(4, applicant(applicants)), { status: 422, body: "There is no applicant" }, writers)
        const missing = { ...linkTo(4, applicant(4)), path: `/openapi/v1/credentials/${nobody}/link` }
        yield* asAdmin(missing, { status: 404, body: nobody }, writers)
      })
    )

    it.effect("leaves the same rows: slots and versions, audit entries, events", () =>
      Effect.gen(function* () {
        const { all } = yield* Sides
        yield* asAdmin(linkTo(7, applicant(7)), { status: 200, body: idAt("applicant", 7) }, writers)
        const statements = [
          "SELECT id, version, worker_id, applicant_id, document FROM credential ORDER BY id",
          `SELECT tenant_id, length(id) AS id, account, bearer_kind, bearer_id, operation, action, entity_type, entity_id,
             length(request_id) AS request_id FROM audit_event WHERE action = 'link' ORDER BY position`,
          `SELECT tenant_id, length(id) AS id, kind, subject_id, sequence, correlation_id, data${about[engine]}
             FROM event ORDER BY position`
        ]
        for (const statement of statements) {
          const found = yield* Effect.forEach(
            all.filter(({ name }) => !writers.includes(name)),
            (side) => Effect.map(rowsOf(side, statement), (rows) => rows.map(timeless))
          )
          const [ours = [], ...others] = found
          assert.isAtLeast(ours.length, 4)
          assert.isAtLeast(others.length, 1)
          for (const rows of others) assert.deepStrictEqual(rows, ours)
        }
      })
    )

    it.effect("bodies without a valid owner", () =>
      Effect.gen(function* () {
        const invalid = { status: 400, body: "INVALID_ARGUMENT" }
        yield* asAdmin(linkTo(5, { type: "applicant", id: "app_1" }), invalid, writers)
        yield* asAdmin(linkTo(5, { to: { type: "worker", id: idAt("applicant", 1) } }), invalid, writers)
        const unreadable = { status: 400, body: "The body is" }
        yield* asAdmin({ ...linkTo(5, {}), body: "{" }, unreadable, writers)
        const array = { to: [applicant(5)] }
        yield* asAdmin(linkTo(5, array), invalid, writers)
        yield* asAdmin(linkTo(5, { to: null }), invalid, writers)
        const text = { ...linkTo(5, applicant(5)), headers: { "content-type": "text/plain" } }
        yield* asAdmin(text, { status: 415, body: "application/json" }, writers)
      })
    )

    it.effect("a caller without the privilege, whose body is not read", () =>
      Effect.gen(function* () {
        const { dataset } = yield* Sides
        const call = { ...linkTo(6, {}), body: "{", token: dataset.powerless.secret }
        // Nest parses the body before its guards run
        const others = [...writers, "NestJS"] as const
        yield* agree(call, { status: 403, body: "is unauthorized to UPDATE credentials." }, others)
        yield* agree({ ...linkTo(6, {}), body: "{" }, { status: 401, body: "Unauthorized" }, others)
      })
    )
  })

  layer(layerSides({ engine }))("linking without a subscriber", (it) => {
    it.effect("leaves an audit entry and no event", () =>
      Effect.gen(function* () {
        const { all } = yield* Sides
        yield* asAdmin(linkTo(8, applicant(8)), { status: 200, body: idAt("applicant", 8) }, writers)
        for (const side of all.filter(({ name }) => !writers.includes(name))) {
          assert.lengthOf(yield* rowsOf(side, "SELECT 1 FROM audit_event WHERE action = 'link'"), 1)
          assert.lengthOf(yield* rowsOf(side, "SELECT 1 FROM event"), 0)
        }
      })
    )
  })
})

describe("the bare statement has the same effect as our server", () => {
  layer(layerSides())("moving a batch", (it) => {
    it.effect("leaves the same slots, versions and audit entries as the call", () =>
      Effect.gen(function* () {
        const { all, dataset } = yield* Sides
        const [from, to] = batchWorkers(dataset)
        const credentialIds = batchCredentials(dataset)
        const owner = (id: string) => ({ type: "worker", id })
        const call: Call = {
          method: "POST",
          path: "/openapi/v1/credentials/transfer",
          token: dataset.token.secret,
          body: JSON.stringify({ from: owner(from), to: owner(to), credentialIds })
        }
        const [ours] = yield* askAll(call, ["floor", "Fastify"])
        assert.include(ours?.answer.body, `"succeeded":${batchSize},"failed":0`)
        const [called, stated] = all
        assert.isDefined(called)
        assert.isDefined(stated)
        const { close, transfer } = openTransfer(stated.directory)
        transfer({ tenantId: dataset.tenantId, from, to, credentialIds })
        close()
        const statements = [
          "SELECT id, version, worker_id, applicant_id FROM credential ORDER BY id",
          `SELECT tenant_id, length(id) AS id, operation, action, entity_type, entity_id FROM audit_event
             WHERE action = 'bulk transfer' ORDER BY entity_id`
        ]
        for (const statement of statements) {
          const rows = yield* rowsOf(called, statement)
          assert.isAtLeast(rows.length, batchSize)
          assert.deepStrictEqual(yield* rowsOf(stated, statement), rows)
        }
      })
    )
  })
})

/** On Postgres windows end by its own clock, which no test can set. */
describe("the floor and the peer respond like our server at later times", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  layer(layerSides())("reading", (it) => {
    it.effect("a cached token ends when it expires", () =>
      Effect.gen(function* () {
        const { dataset } = yield* Sides
        const call = { path: credential(3), token: dataset.expiring.secret }
        yield* agree(call, { status: 200, body: "Number3" })
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 })
        yield* agree(call, { status: 401, body: "Unauthorized" })
        yield* asAdmin({ path: credential(3) }, { status: 200, body: "Number3" })
      })
    )

    it.effect("a credential past its expiry date", () =>
      Effect.gen(function* () {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2099, 5, 1) })
        yield* asAdmin({ path: credential(3) }, { status: 200, body: '"statusDetail":"EXPIRED"' })
      })
    )
  })
})
