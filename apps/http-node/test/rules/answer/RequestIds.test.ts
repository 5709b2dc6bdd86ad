import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Service, textAt } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as Situations from "../Situations.ts"

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
const inbound = (id: string) => ({ "x-request-id": id })
const list = { method: "GET", path: "/openapi/v1/workers" }

const wellFormed = [
  ["RID-04: a UUID", uuid],
  ["RID-04: a UUID in capitals", uuid.toUpperCase()],
  ["RID-04: the UUID of zeros only", "00000000-0000-0000-0000-000000000000"],
  ["RID-05: a ULID", ulid],
  ["RID-05: a ULID in small letters", ulid.toLowerCase()],
  ["RID-05: the greatest ULID", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"]
] as const

const malformed = [
  ["words", "nonsense"],
  ["nothing", ""],
  ["a UUID without dashes", uuid.replaceAll("-", "")],
  ["a UUID in braces", `{${uuid}}`],
  ["a UUID's URN", `urn:uuid:${uuid}`],
  ["a UUID with an additional letter", `${uuid}0`],
  ["a UUID without its last letter", uuid.slice(0, -1)],
  ["a UUID with a letter that is not a digit", uuid.replace("0f8", "0g8")],
  ["a UUID with misplaced dashes", "0f8fad5bd-9cb-469f-a165-70867728950e"],
  ["two UUIDs", `${uuid}, ${uuid}`],
  ["a ULID with an additional letter", `${ulid}A`],
  ["a ULID without its last letter", ulid.slice(0, -1)],
  ["a ULID with an I", ulid.replace("A", "I")],
  ["a ULID with a U", ulid.replace("A", "U")],
  ["a ULID beyond 128 bits", `8${ulid.slice(1)}`],
  ["26 letters with a dash", `${ulid.slice(0, 25)}-`],
  ["an escaped line break", `${uuid}\\r\\nset-cookie: a=b`],
  ["a percent-encoded line break", `${uuid}%0d%0aset-cookie:%20a=b`],
  ["a tab within", `${uuid.slice(0, 8)}\t${uuid.slice(9)}`],
  ["a letter beyond ASCII", `${uuid.slice(0, -1)}é`],
  ["markup", "<script>alert(1)</script>"],
  ["10 kB", "a".repeat(10_000)]
] as const

layer(layerService())("request ids", (it) => {
  it.effect("RID-01: error.requestId is the X-Request-Id header on every enveloped error", () =>
    Effect.gen(function* () {
      const situations = [...(yield* Situations.onTenant), ...Situations.elsewhere]
      const enveloped = situations.filter(({ shape }) => shape === "envelope")
      assert.isAtLeast(enveloped.length, 15)
      for (const { answer, expected, what } of yield* Situations.answers(enveloped)) {
        assert.strictEqual(answer.status, expected, what)
        assert.strictEqual(textAt(answer, "error.requestId"), answer.headers["x-request-id"], what)
      }
    })
  )

  it.effect("RID-02: meta.requestId of an entity, a list and a batch is the X-Request-Id header", () =>
    Effect.gen(function* () {
      const situations = (yield* Situations.onTenant).filter(({ shape }) => shape === "data")
      assert.isAtLeast(situations.length, 5)
      for (const { answer, expected, what } of yield* Situations.answers(situations)) {
        assert.strictEqual(answer.status, expected, what)
        assert.isNotEmpty(textAt(answer, "meta.requestId"), what)
        assert.strictEqual(textAt(answer, "meta.requestId"), answer.headers["x-request-id"], what)
      }
    })
  )

  it.effect("RID-03, RID-08: an inbound id is never adopted, and every response echoes it", () =>
    Effect.gen(function* () {
      const situations = [...(yield* Situations.onTenant), ...Situations.elsewhere]
      for (const id of [uuid, ulid]) {
        for (const { answer, expected, what } of yield* Situations.answers(situations, inbound(id))) {
          assert.strictEqual(answer.status, expected, what)
          assert.strictEqual(answer.headers["x-client-request-id"], id, what)
          assert.match(answer.headers["x-request-id"] ?? "", /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, what)
          assert.notStrictEqual(answer.headers["x-request-id"], id, what)
        }
      }
    })
  )

  it.effect.each(wellFormed)("%s is echoed unchanged", ([, id]) =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const answer = yield* call({ ...list, headers: inbound(id) })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["x-client-request-id"], id)
      assert.notStrictEqual(answer.headers["x-request-id"], id)
    })
  )

  it.effect.each(malformed)("RID-06, threats 24 and 25: %s is ignored, and the call succeeds", ([, id]) =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const answer = yield* call({ ...list, headers: inbound(id) })
      assert.strictEqual(answer.status, 200)
      assert.notProperty(answer.headers, "x-client-request-id")
      assert.notProperty(answer.headers, "set-cookie")
      if (id !== "") assert.notInclude(`${answer.text}${JSON.stringify(answer.headers)}`, id)
    })
  )

  it.effect("RID-06: without an inbound id there is no echo", () =>
    Effect.gen(function* () {
      const situations = [...(yield* Situations.onTenant), ...Situations.elsewhere]
      for (const { answer, what } of yield* Situations.answers(situations)) {
        assert.notProperty(answer.headers, "x-client-request-id", what)
      }
    })
  )

  it.effect("RID-07: each response has its own id, also to concurrent and repeated calls", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const situations = [...(yield* Situations.onTenant), ...Situations.elsewhere]
      const atOnce = yield* Effect.replicateEffect(call({ ...list, headers: inbound(uuid) }), 50).pipe(
        Effect.map((answers) => answers.map((answer) => answer.headers["x-request-id"]))
      )
      const oneByOne = [...(yield* Situations.answers(situations)), ...(yield* Situations.answers(situations))]
      const ids = [...atOnce, ...oneByOne.map(({ answer }) => answer.headers["x-request-id"])]
      assert.isTrue(ids.every((id) => id !== undefined))
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )
})
