import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, ownersOf, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, post, root } from "../NewerSurface.ts"
import {
  bodiesOf,
  bury,
  holding,
  makeCast,
  type Operation,
  operate,
  type Said,
  type Slots,
  saidIn,
  slotsIn,
  slotsOf,
  step,
  verbOf
} from "./Slots.ts"

type Item = "linked" | "transferred" | "noop" | "skipped" | "none"

/** A row: slots, operation, result, item of a batch, resulting slots, and rule. */
type Row = readonly [Slots, Operation, Said, Item, Slots, string]

// §3, row by row, worker slot first. There is no bulk unlink.
const table: ReadonlyArray<Row> = [
  ["- a1", "link w1", "ok", "linked", "w1 a1", "OWN-01: empty, link"],
  ["w1 -", "link a1", "ok", "linked", "w1 a1", "OWN-02: empty, link"],
  ["w1 -", "link w1", "ok", "noop", "w1 -", "OWN-03: holds X, link X"],
  ["w1 a1", "link a1", "ok", "noop", "w1 a1", "OWN-03: holds X, link X"],
  ["w1 -", "link w2", "ALREADY_LINKED", "skipped", "w1 -", "OWN-04: holds X, link Y"],
  ["w1 a1", "link a2", "ALREADY_LINKED", "skipped", "w1 a1", "OWN-04: holds X, link Y"],
  ["w1 -", "transfer w1 w2", "ok", "transferred", "w2 -", "OWN-07: holds X, transfer from X"],
  ["w1 a1", "transfer w1 w2", "ok", "transferred", "w2 a1", "OWN-07: holds X, transfer from X"],
  ["- a1", "transfer a1 a2", "ok", "transferred", "- a2", "OWN-07: holds X, transfer from X"],
  ["w1 -", "transfer w2 w3", "OWNER_MISMATCH", "skipped", "w1 -", "OWN-08: holds X, transfer from Y"],
  ["w1 a1", "transfer a2 a3", "OWNER_MISMATCH", "skipped", "w1 a1", "OWN-08: holds X, transfer from Y"],
  ["w1 a1", "unlink w1", "ok", "none", "- a1", "OWN-11: unlink while another remains"],
  ["w1 a1", "unlink a1", "ok", "none", "w1 -", "OWN-11: unlink while another remains"],
  ["w1 -", "unlink w1", "UNPROCESSABLE", "none", "w1 -", "OWN-12, ENV-10: unlink the only remaining owner"],
  ["- a1", "unlink a1", "UNPROCESSABLE", "none", "- a1", "OWN-12, ENV-10: unlink the only remaining owner"],
  ["w1 -", "unlink a1", "ok", "none", "w1 -", "OWN-14: unlink an empty slot"],
  ["- a1", "unlink w1", "ok", "none", "- a1", "OWN-14: unlink an empty slot"],
  ["w2 -", "transfer w1 w2", "ok", "noop", "w2 -", "OWN-10: transfer to who is in place"],
  ["w2 a1", "transfer w1 w2", "ok", "noop", "w2 a1", "OWN-10: transfer to who is in place"]
]

// DECISIONS.md#ownership: cases that the table does not cover.
const edges: ReadonlyArray<Row> = [
  ["w1 -", "transfer w1 a1", "ok", "transferred", "- a1", "SIL-08: across types"],
  ["- a1", "transfer a1 w1", "ok", "transferred", "w1 -", "SIL-08: across types, on hire"],
  ["w1 a1", "transfer a1 w2", "ALREADY_LINKED", "skipped", "w1 a1", "SIL-08: across types, a third owner"],
  ["w1 a1", "transfer w1 a2", "ALREADY_LINKED", "skipped", "w1 a1", "SIL-08: across types, a third owner"],
  ["w1 a1", "transfer a1 w1", "ok", "noop", "w1 a1", "SIL-08: across types, already in place"],
  ["w1 a1", "transfer a2 w2", "OWNER_MISMATCH", "skipped", "w1 a1", "SIL-08: across types, another owner"],
  ["- a1", "transfer w1 w2", "OWNER_MISMATCH", "skipped", "- a1", "SIL-28: from an empty slot"],
  ["w1 -", "transfer a1 w2", "OWNER_MISMATCH", "skipped", "w1 -", "SIL-28: from an empty slot, across types"],
  ["w1 -", "transfer w1 w1", "ok", "noop", "w1 -", "SIL-28: from = to, who holds it"],
  ["w1 -", "transfer w2 w2", "OWNER_MISMATCH", "skipped", "w1 -", "SIL-28: from = to, who does not"],
  ["w1 -", "transfer w3 w1", "ok", "noop", "w1 -", "SIL-07: a from that never held it"],
  ["w1 a1", "unlink w2", "OWNER_MISMATCH", "none", "w1 a1", "SIL-06: an id that the slot does not hold"],
  ["w1 -", "unlink w2", "OWNER_MISMATCH", "none", "w1 -", "SIL-06: an id that the slot does not hold"],
  ["- a1", "link wx", "UNPROCESSABLE", "skipped", "- a1", "SIL-17, ENV-10: the new owner is missing"],
  ["- a1", "link wd", "UNPROCESSABLE", "skipped", "- a1", "SIL-17, ENV-10: the new owner is deleted"],
  ["w1 -", "link ax", "UNPROCESSABLE", "skipped", "w1 -", "SIL-17, ENV-10: the new owner is missing"],
  ["w1 -", "link wx", "ALREADY_LINKED", "skipped", "w1 -", "SIL-17: no owner is looked up if nothing changes"],
  ["w1 -", "transfer w1 wx", "UNPROCESSABLE", "skipped", "w1 -", "SIL-17: a transfer to a missing owner"],
  ["w1 -", "transfer w1 wd", "UNPROCESSABLE", "skipped", "w1 -", "SIL-17: a transfer to a deleted one"],
  ["w1 -", "transfer w1 ad", "UNPROCESSABLE", "skipped", "w1 -", "SIL-17: a transfer to a deleted one, across types"],
  [
    "w1 -",
    "transfer w2 wx",
    "OWNER_MISMATCH",
    "skipped",
    "w1 -",
    "SIL-17: a mismatch is reported before a missing owner"
  ],
  ["w1 -", "unlink ax", "ok", "none", "w1 -", "OWN-14: the removed owner is never looked up"],
  ["wd a1", "unlink wd", "ok", "none", "- a1", "OWN-11: a deleted worker's credential is unlinked"],
  ["wd -", "transfer wd w1", "ok", "transferred", "w1 -", "OWN-07: a deleted worker's credential is transferred"],
  ["- ad", "transfer ad w1", "ok", "transferred", "w1 -", "OWN-07: a deleted applicant's credential is transferred"],
  ["wd -", "transfer wx w1", "OWNER_MISMATCH", "skipped", "wd -", "OWN-08: a missing from"],
  ["wd -", "link wd", "ok", "noop", "wd -", "OWN-03: a deleted one is in place"],
  ["wd -", "transfer w1 wd", "ok", "noop", "wd -", "OWN-10: a deleted one is in place"],
  ["wd -", "link w1", "ALREADY_LINKED", "skipped", "wd -", "OWN-04: a deleted worker still holds its slot"],
  ["wd -", "unlink wd", "UNPROCESSABLE", "none", "wd -", "OWN-12: a deleted worker is the only remaining owner"]
]

const rows = [...table, ...edges].map(([before, operation, said, , after, rule]) => ({
  title: `${rule}: [${before}] ${operation} is ${said}, leaves [${after}]`,
  before,
  operation,
  said,
  after
}))
const batched = [...table, ...edges].flatMap(([before, operation, said, item, after, rule]) =>
  item === "none"
    ? []
    : [
        {
          title: `BLK-04, BLK-05, ${rule}: [${before}] ${operation} in a batch is ${item}`,
          before,
          operation,
          said,
          item,
          after
        }
      ]
)
const titled = <Case extends { readonly title: string }>(cases: ReadonlyArray<Case>) =>
  cases.map((one) => [one.title, one] as const) // `$title` would be truncated

layer(layerService(), { excludeTestServices: true })("ownership", (it) => {
  it.effect.each(titled(rows))("%s", ([, row]) =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const forms = bodiesOf(cast, row.operation).length
      const ids = yield* Effect.forEach(Array.from({ length: forms }), () => holding(cast, row.before))
      yield* bury(cast)
      for (const [form, id] of ids.entries()) {
        const before = at(yield* get(`/credentials/${id}`), "data")
        // OWN-15: repeated, an operation answers the same and leaves the same state.
        for (let time = 1; time <= 2; time++) {
          const answer = yield* operate(cast, id, row.operation, form)
          if (row.said === "ok") assertStatus(answer, 200)
          else assertRefused(answer, row.said)
          if (row.said === "ok") assert.strictEqual(slotsIn(cast, answer), row.after)
          assert.strictEqual(yield* slotsOf(cast, id), row.after)
          if (row.before === row.after) assert.deepStrictEqual(at(yield* get(`/credentials/${id}`), "data"), before)
        }
      }
    })
  )

  it.effect.each(titled(batched))("%s", ([, row]) =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const id = yield* holding(cast, row.before)
      yield* bury(cast)
      const bodies = bodiesOf(cast, row.operation)
      const sent = { ...Object(bodies.at(-1)), credentialIds: [id] }
      const answer = yield* post(`/credentials/${verbOf(row.operation)}`, sent)
      assertStatus(answer, 200)
      assert.lengthOf(dataOf(answer), 1)
      assert.strictEqual(at(answer, "data.0.credentialId"), id)
      assert.strictEqual(at(answer, "data.0.status"), row.item)
      assert.strictEqual(at(answer, "data.0.error.code"), row.item === "skipped" ? row.said : undefined)
      const failed = row.item === "skipped" ? 1 : 0
      const { requestId, ...counts } = Object(at(answer, "meta"))
      assert.deepStrictEqual(counts, { total: 1, succeeded: 1 - failed, failed })
      assert.strictEqual(requestId, answer.headers["x-request-id"])
      assert.strictEqual(yield* slotsOf(cast, id), row.after)
    })
  )

  it.effect.each(titled(rows))("OWN-21: the model for sequences agrees with %s", ([, row]) =>
    Effect.sync(() => assert.deepStrictEqual(step(row.before, row.operation), { said: row.said, slots: row.after }))
  )

  it.effect("OWN-05, OWN-09, OWN-13: refusals name the slot's holder and the next step", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const [one, both] = [yield* holding(cast, "w1 -"), yield* holding(cast, "w1 a1")]
      const linked = yield* operate(cast, one, "link w2")
      assertRefused(linked, "ALREADY_LINKED", cast.w1)
      assertRefused(linked, "ALREADY_LINKED", "transfer")
      assertRefused(yield* operate(cast, both, "transfer a1 w2"), "ALREADY_LINKED", "Unlink")
      assertRefused(yield* operate(cast, one, "transfer w2 w3"), "OWNER_MISMATCH", cast.w1)
      assertRefused(yield* operate(cast, one, "transfer a1 a2"), "OWNER_MISMATCH", "current owner: none")
      assertRefused(yield* operate(cast, both, "unlink a2"), "OWNER_MISMATCH", cast.a1)
      assertRefused(yield* operate(cast, one, "unlink w1"), "UNPROCESSABLE", "Delete the credential")
      assertRefused(yield* operate(cast, one, "link ax"), "UNPROCESSABLE", cast.ax)
    })
  )

  it.effect("OWN-01: link, unlink and transfer return the credential, as GET shows it", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const id = yield* holding(cast, "w1 -")
      for (const operation of ["link a1", "transfer w1 w2", "unlink a1", "link w2", "unlink a1"] as const) {
        const answer = yield* operate(cast, id, operation)
        assertStatus(answer, 200)
        assert.sameMembers(Object.keys(Object(answer.json)), ["data", "meta"])
        assert.strictEqual(at(answer, "meta.requestId"), answer.headers["x-request-id"])
        assert.deepStrictEqual(at(answer, "data"), at(yield* get(`/credentials/${id}`), "data"))
      }
    })
  )

  it.effect("OWN-10, OWN-15: a transfer whose response was lost can be repeated", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const id = yield* holding(cast, "w1 a1")
      const first = yield* operate(cast, id, "transfer w1 w2")
      const again = yield* operate(cast, id, "transfer w1 w2")
      assert.deepStrictEqual([first.status, again.status], [200, 200])
      assert.deepStrictEqual(at(again, "data"), at(first, "data"))
    })
  )

  it.effect("OWN-16, OWN-06: a malformed owner reference is 400, and changes nothing", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const id = yield* holding(cast, "w1 a1")
      const [w, a] = [
        { type: "worker", id: cast.w2 },
        { type: "applicant", id: cast.a2 }
      ]
      const noReference: ReadonlyArray<unknown> = [
        {},
        [],
        null,
        cast.w2,
        7,
        { type: "worker" },
        { id: cast.w2 },
        { ...w, type: "person" },
        { ...w, type: "Worker" },
        { ...w, type: "" },
        { ...w, type: null },
        { ...w, type: ["worker"] },
        { ...w, type: "credential", id },
        { ...w, type: "__proto__" },
        { ...w, type: "applicant" },
        { ...a, type: "worker" },
        { ...w, id: null },
        { ...w, id: "" },
        { ...w, id: 7 },
        { ...w, id: [cast.w2] },
        { ...w, id: `${cast.w2}0` },
        { ...w, id: ` ${cast.w2}` },
        { ...w, id: cast.w2.toUpperCase() },
        { ...w, id: `${cast.w2.slice(0, -1)}\0` },
        { ...w, id }
      ]
      for (const one of noReference) {
        const bodies: ReadonlyArray<readonly [string, unknown]> = [
          ["link", one],
          ["link", { to: one }],
          ["unlink", one],
          ["unlink", { from: one }],
          ["transfer", one],
          ["transfer", { from: one, to: w }],
          ["transfer", { from: { type: "worker", id: cast.w1 }, to: one }],
          ["transfer", { from: one }],
          ["transfer", { to: one }]
        ]
        for (const [verb, body] of bodies) {
          assertRefused(yield* post(`/credentials/${id}/${verb}`, body), "INVALID_ARGUMENT")
        }
      }
      // Half of one operation's body is not valid for another.
      assertRefused(yield* post(`/credentials/${id}/link`, { from: w }), "INVALID_ARGUMENT")
      assertRefused(yield* post(`/credentials/${id}/unlink`, { to: w }), "INVALID_ARGUMENT")
      assertRefused(yield* post(`/credentials/${id}/transfer`, w), "INVALID_ARGUMENT")
      assert.strictEqual(yield* slotsOf(cast, id), "w1 a1")
    })
  )

  it.effect("OWN-20, ENV-08, ENV-09: unknown credentials are 404, another tenant's too, malformed ids 400", () =>
    Effect.gen(function* () {
      const { call, otherTenant } = yield* Service
      const cast = yield* makeCast
      const id = yield* holding(cast, "w1 a1")
      const { token } = yield* tokenOf("Super Admin", true)
      for (const operation of ["link w1", "unlink w1", "transfer w1 w2"] as const) {
        assertRefused(yield* operate(cast, idOfNothing(id), operation), "NOT_FOUND")
        const malformed = ["x", `${id}0`, id.slice(0, -1), cast.w1, id.toUpperCase(), `${id.slice(0, -1)}~`, "%00"]
        for (const text of malformed) assertRefused(yield* operate(cast, text, operation), "INVALID_ARGUMENT", "id")
        const elsewhere = yield* call({
          method: "POST",
          path: `${root}/credentials/${id}/${verbOf(operation)}`,
          body: bodiesOf(cast, operation)[0],
          host: otherTenant.hosts[0] ?? "",
          token
        })
        assertRefused(elsewhere, "NOT_FOUND")
      }
      assert.strictEqual(yield* slotsOf(cast, id), "w1 a1")
    })
  )

  it.effect("SIL-17: another tenant's owner is a missing one", () =>
    Effect.gen(function* () {
      const { call, otherTenant } = yield* Service
      const { token } = yield* tokenOf("Super Admin", true)
      const elsewhere = yield* call({
        method: "POST",
        path: `${root}/workers`,
        body: { identity: { displayName: "Elsewhere" } },
        host: otherTenant.hosts[0] ?? "",
        token
      })
      const ref = { type: "worker", id: at(elsewhere, "data.id") }
      const [a, w] = [yield* applicant(), yield* worker()]
      const id = yield* credential({ applicant: a })
      assertRefused(yield* post(`/credentials/${id}/link`, ref), "UNPROCESSABLE")
      assertRefused(
        yield* post(`/credentials/${id}/transfer`, { from: { type: "applicant", id: a }, to: ref }),
        "UNPROCESSABLE"
      )
      assert.deepStrictEqual(yield* ownersOf(id), { worker: null, applicant: a })
      assertStatus(yield* post(`/credentials/${id}/link`, { type: "worker", id: w }), 200)
    })
  )

  it.effect("ENV-02: checks run in order: body, credential, no-op, conflict, owner", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const id = yield* holding(cast, "w1 -")
      const nothing = idOfNothing(id)
      yield* bury(cast)
      assertRefused(yield* post(`/credentials/${nothing}/link`, { type: "worker" }), "INVALID_ARGUMENT")
      assertRefused(yield* operate(cast, nothing, "link wx"), "NOT_FOUND")
      assert.strictEqual(saidIn(yield* operate(cast, id, "transfer wx w1")), "ok")
      assertRefused(yield* operate(cast, id, "link wx"), "ALREADY_LINKED")
      assertRefused(yield* operate(cast, id, "transfer w1 wx"), "UNPROCESSABLE")
    })
  )
})
