import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, otherHost, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, idsOf, post, remove, root } from "../NewerSurface.ts"
import { bury, type Cast, holding, makeCast, type Person, reference, type Slots, slotsOf } from "./Slots.ts"

const link = (body: unknown) => post("/credentials/link", body)
const transfer = (body: unknown) => post("/credentials/transfer", body)

/** `id status code` of each item. */
const itemsOf = (answer: Answer): ReadonlyArray<string> => {
  assertStatus(answer, 200)
  return dataOf(answer).map((item) => {
    const { credentialId, error, status } = Object(item)
    return [credentialId, status, ...(error === undefined ? [] : [error.code])].join(" ")
  })
}

const times = <A, R>(count: number, make: Effect.Effect<A, never, R>) =>
  Effect.all(
    Array.from({ length: count }, () => make),
    { concurrency: 50 }
  )

/** A cast, after its deletions, and a credential for each of these slots. */
const scene = Effect.fnUntraced(function* (...slots: ReadonlyArray<Slots>) {
  const cast = yield* makeCast
  const ids = yield* Effect.forEach(slots, (one) => holding(cast, one), { concurrency: "unbounded" })
  yield* bury(cast)
  const ref = (person: Person) => reference(cast, person)
  return { cast, ids, ref, left: slotsOfAll(cast, ids) }
})

const slotsOfAll = (cast: Cast, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => slotsOf(cast, id), { concurrency: 20 })

layer(layerService(), { excludeTestServices: true })("bulk ownership", (it) => {
  it.effect(
    "BLK-01, BLK-03, BLK-06, BLK-07, BLK-18: bulk link is 200 with an item for each id and counts that agree",
    () =>
      Effect.gen(function* () {
        const { ids, left, ref } = yield* scene("- a1", "w1 -", "w2 -")
        const answer = yield* link({ to: ref("w1"), credentialIds: ids })
        assertStatus(answer, 200)
        assert.sameMembers(Object.keys(Object(answer.json)), ["data", "meta"])
        const [one, two, three] = ids
        assert.deepStrictEqual(at(answer, "data.0"), { credentialId: one, status: "linked" })
        assert.deepStrictEqual(at(answer, "data.1"), { credentialId: two, status: "noop" })
        assert.deepStrictEqual(
          { ...Object(at(answer, "data.2")), error: undefined },
          { credentialId: three, status: "skipped", error: undefined }
        )
        assert.sameMembers(Object.keys(Object(at(answer, "data.2.error"))), ["code", "message"])
        assert.strictEqual(at(answer, "data.2.error.code"), "ALREADY_LINKED")
        assert.include(textAt(answer, "data.2.error.message"), "transfer")
        const requestId = answer.headers["x-request-id"]
        assert.deepStrictEqual(at(answer, "meta"), { total: 3, succeeded: 2, failed: 1, requestId })
        assert.deepStrictEqual(yield* left, ["w1 a1", "w1 -", "w2 -"])
      })
  )

  it.effect("BLK-02, BLK-05: so is bulk transfer", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("w1 a1", "w2 -", "w3 -", "- a1")
      const answer = yield* transfer({ from: ref("w1"), to: ref("w2"), credentialIds: ids })
      assert.deepStrictEqual(itemsOf(answer), [
        `${ids[0]} transferred`,
        `${ids[1]} noop`,
        `${ids[2]} skipped OWNER_MISMATCH`,
        `${ids[3]} skipped OWNER_MISMATCH`
      ])
      const requestId = answer.headers["x-request-id"]
      assert.deepStrictEqual(at(answer, "meta"), { total: 4, succeeded: 2, failed: 2, requestId })
      assert.deepStrictEqual(yield* left, ["w2 a1", "w2 -", "w3 -", "- a1"])
    })
  )

  // Threat 22: a batch never hides a failure, and never fails as a whole.
  it.effect("BLK-12, BLK-13, BLK-14, BLK-15: no item's refusal stops another, nor the batch", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { cast, ids, ref } = yield* scene("- a1", "w2 -", "- a2", "- a3", "- a1")
      const { token } = yield* tokenOf("Super Admin", true)
      const abroad = { host: otherHost, token }
      const elsewhere = { method: "POST", path: `${root}/workers`, body: { identity: { displayName: "E" } }, ...abroad }
      const theirWorker = textAt(yield* call(elsewhere), "data.id")
      const theirBody = { attributes: { credentialType: "FIRST_AID", owners: { worker: theirWorker } } }
      const theirs = { method: "POST", path: `${root}/credentials`, body: theirBody, ...abroad }
      const foreign = textAt(yield* call(theirs), "data.id")
      const [first = "", conflicting = "", middle = "", deleted = "", last = ""] = ids
      assertStatus(yield* remove(`/credentials/${deleted}`), 204)
      const given = [
        first,
        "",
        "nonsense",
        idOfNothing(first),
        conflicting,
        middle,
        cast.w1,
        deleted,
        foreign,
        last,
        "\0"
      ]
      const answer = yield* link({ to: ref("w1"), credentialIds: given })
      assert.deepStrictEqual(itemsOf(answer), [
        `${first} linked`,
        " skipped INVALID_ARGUMENT",
        "nonsense skipped INVALID_ARGUMENT",
        `${idOfNothing(first)} skipped NOT_FOUND`,
        `${conflicting} skipped ALREADY_LINKED`,
        `${middle} linked`,
        `${cast.w1} skipped INVALID_ARGUMENT`,
        `${deleted} skipped NOT_FOUND`,
        `${foreign} skipped NOT_FOUND`,
        `${last} linked`,
        "\0 skipped INVALID_ARGUMENT"
      ])
      const requestId = answer.headers["x-request-id"]
      assert.deepStrictEqual(at(answer, "meta"), { total: 11, succeeded: 3, failed: 8, requestId })
      const living = [first, conflicting, middle, last]
      assert.deepStrictEqual(yield* slotsOfAll(cast, living), ["w1 a1", "w2 -", "w1 a2", "w1 a1"])
      const untouched = yield* call({ method: "GET", path: `${root}/credentials/${foreign}`, ...abroad })
      assert.deepStrictEqual(at(untouched, "data.attributes.owners"), { worker: theirWorker, applicant: null })
    })
  )

  it.effect("BLK-12: a batch in which every item conflicts is 200, never 409", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("w2 -", "w3 -", "w2 a1")
      const skipped = (code: string) => ids.map((id) => `${id} skipped ${code}`)
      assert.deepStrictEqual(itemsOf(yield* link({ to: ref("w1"), credentialIds: ids })), skipped("ALREADY_LINKED"))
      const moved = yield* transfer({ from: ref("a3"), to: ref("w1"), credentialIds: ids })
      assert.deepStrictEqual(itemsOf(moved), skipped("OWNER_MISMATCH"))
      assert.deepStrictEqual(at(moved, "meta.failed"), 3)
      assert.deepStrictEqual(yield* left, ["w2 -", "w3 -", "w2 a1"])
    })
  )

  it.effect("SIL-27: an unknown or deleted `to` is a skipped item if the slot would change", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("- a1", "w2 -", "wd -")
      for (const nobody of ["wx", "wd"] as const) {
        const isInPlace = nobody === "wd"
        assert.deepStrictEqual(itemsOf(yield* link({ to: ref(nobody), credentialIds: ids })), [
          `${ids[0]} skipped UNPROCESSABLE`,
          `${ids[1]} skipped ALREADY_LINKED`,
          isInPlace ? `${ids[2]} noop` : `${ids[2]} skipped ALREADY_LINKED`
        ])
        assert.deepStrictEqual(itemsOf(yield* transfer({ from: ref("w2"), to: ref(nobody), credentialIds: ids })), [
          `${ids[0]} skipped OWNER_MISMATCH`,
          `${ids[1]} skipped UNPROCESSABLE`,
          isInPlace ? `${ids[2]} noop` : `${ids[2]} skipped OWNER_MISMATCH`
        ])
      }
      assert.deepStrictEqual(yield* left, ["- a1", "w2 -", "wd -"])
    })
  )

  it.effect("SIL-16: a repeated id is an item each time, the later ones noop", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("- a1", "w2 -")
      const [one, two] = ids
      const linked = yield* link({ to: ref("w1"), credentialIds: [one, two, one, two, one] })
      assert.deepStrictEqual(itemsOf(linked), [
        `${one} linked`,
        `${two} skipped ALREADY_LINKED`,
        `${one} noop`,
        `${two} skipped ALREADY_LINKED`,
        `${one} noop`
      ])
      const moved = yield* transfer({ from: ref("w1"), to: ref("w3"), credentialIds: [one, one, two] })
      assert.deepStrictEqual(itemsOf(moved), [`${one} transferred`, `${one} noop`, `${two} skipped OWNER_MISMATCH`])
      assert.deepStrictEqual(yield* left, ["w3 a1", "w2 -"])
    })
  )

  it.effect("BLK-16: a bulk transfer with repeated ids is noop throughout, and counts them all", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("w1 -", "w1 a1", "w1 a2")
      const body = { from: ref("w1"), to: ref("w2"), credentialIds: ids }
      const first = yield* transfer(body)
      assert.deepStrictEqual(
        itemsOf(first),
        ids.map((id) => `${id} transferred`)
      )
      const before = yield* Effect.forEach(ids, (id) => get(`/credentials/${id}`))
      assert.deepStrictEqual(
        itemsOf(yield* transfer(body)),
        ids.map((id) => `${id} noop`)
      )
      assert.deepStrictEqual(yield* left, ["w2 -", "w2 a1", "w2 a2"])
      const after = yield* Effect.forEach(ids, (id) => get(`/credentials/${id}`))
      assert.deepStrictEqual(
        after.map((answer) => at(answer, "data")),
        before.map((answer) => at(answer, "data"))
      )
    })
  )

  it.effect("BLK-01: items are in the order of the given ids", () =>
    Effect.gen(function* () {
      const { ids, ref } = yield* scene("w1 -", "w2 -", "w1 a1", "w3 -", "w1 a2")
      for (const given of [ids, ids.toReversed(), ids.toSorted(), [...ids.slice(2), ...ids.slice(0, 2)]]) {
        const answer = yield* transfer({ from: ref("a3"), to: ref("w1"), credentialIds: given })
        assert.deepStrictEqual(
          dataOf(answer).map((item) => Object(item).credentialId),
          given
        )
      }
    })
  )

  it.effect("BLK-10: transfer without ids takes everything that `from` holds, in the order of ids", () =>
    Effect.gen(function* () {
      const { cast, ids, ref } = yield* scene("w1 -", "w1 a1", "w2 -", "- a1", "w1 a2", "w1 -")
      assertStatus(yield* remove(`/credentials/${ids[5]}`), 204)
      const held = [ids[0], ids[1], ids[4]].toSorted()
      const answer = yield* transfer({ from: ref("w1"), to: ref("w3") })
      assert.deepStrictEqual(
        itemsOf(answer),
        held.map((id) => `${id} transferred`)
      )
      assert.deepStrictEqual(yield* slotsOfAll(cast, ids.slice(0, 5)), ["w3 -", "w3 a1", "w2 -", "- a1", "w3 a2"])
      // Nothing is left to transfer.
      const again = yield* transfer({ from: ref("w1"), to: ref("w3") })
      assert.deepStrictEqual(itemsOf(again), [])
      assert.strictEqual(at(again, "meta.total"), 0)
    })
  )

  it.effect("BLK-10: transfers everything that a deleted worker holds", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("wd -", "wd a1")
      const answer = yield* transfer({ from: ref("wd"), to: ref("w1") })
      assert.deepStrictEqual(
        itemsOf(answer),
        ids.toSorted().map((id) => `${id} transferred`)
      )
      assert.deepStrictEqual(yield* left, ["w1 -", "w1 a1"])
    })
  )

  it.effect("BLK-10, SIL-08: an applicant's credentials become a worker's, except those that a third one holds", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("- a1", "w2 a1", "w1 a1", "- a2")
      const expected = [`${ids[0]} transferred`, `${ids[1]} skipped ALREADY_LINKED`, `${ids[2]} noop`].toSorted()
      assert.deepStrictEqual(itemsOf(yield* transfer({ from: ref("a1"), to: ref("w1") })), expected)
      assert.deepStrictEqual(yield* left, ["w1 -", "w2 a1", "w1 a1", "- a2"])
    })
  )

  it.effect("BLK-11: link without ids links everything that `from` holds, and removes nothing from it", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("- a1", "w2 a1", "w1 a1", "- a2", "w1 -")
      const expected = [`${ids[0]} linked`, `${ids[1]} skipped ALREADY_LINKED`, `${ids[2]} noop`].toSorted()
      assert.deepStrictEqual(itemsOf(yield* link({ from: ref("a1"), to: ref("w1") })), expected)
      assert.deepStrictEqual(yield* left, ["w1 a1", "w2 a1", "w1 a1", "- a2", "w1 -"])
    })
  )

  it.effect("BLK-11, SIL-27: link ignores `from` beside ids and says so; with neither it is 400", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("- a1", "- a2")
      const answer = yield* link({ from: ref("a1"), to: ref("w1"), credentialIds: [ids[1]] })
      assert.deepStrictEqual(itemsOf(answer), [`${ids[1]} linked`])
      assert.lengthOf(Object(at(answer, "meta.warnings")), 1)
      assert.include(textAt(answer, "meta.warnings.0"), "from")
      assert.deepStrictEqual(yield* left, ["- a1", "w1 a2"])
      const without = yield* link({ to: ref("w1"), credentialIds: [ids[1]] })
      assert.isUndefined(at(without, "meta.warnings"))
      assertRefused(yield* link({ to: ref("w1") }), "INVALID_ARGUMENT", "credentialIds")
      assert.deepStrictEqual(yield* left, ["- a1", "w1 a2"])
    })
  )

  // Threat 21.
  it.effect("SIL-16: an empty list of ids selects none, never all", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("w1 -", "w1 a1")
      const before = yield* Effect.forEach(ids, (id) => get(`/credentials/${id}`))
      for (const answer of [
        yield* transfer({ from: ref("w1"), to: ref("w2"), credentialIds: [] }),
        yield* link({ from: ref("w1"), to: ref("a2"), credentialIds: [] }),
        yield* link({ to: ref("a2"), credentialIds: [] })
      ]) {
        assert.deepStrictEqual(itemsOf(answer), [])
        const { failed, succeeded, total } = Object(at(answer, "meta"))
        assert.deepStrictEqual([total, succeeded, failed], [0, 0, 0])
      }
      const after = yield* Effect.forEach(ids, (id) => get(`/credentials/${id}`))
      assert.deepStrictEqual(
        after.map((answer) => at(answer, "data")),
        before.map((answer) => at(answer, "data"))
      )
      assert.deepStrictEqual(yield* left, ["w1 -", "w1 a1"])
    })
  )

  it.effect("BLK-09, OWN-16: a malformed batch is 400, and nothing changes", () =>
    Effect.gen(function* () {
      const { ids, left, ref } = yield* scene("w1 -", "- a1")
      const [from, to] = [ref("w1"), ref("w2")]
      const noIds = [null, {}, "", ids[0], 7, true, [null], [7], [[ids[0]]], [{ id: ids[0] }], [ids[0], null]]
      for (const credentialIds of noIds) {
        assertRefused(yield* link({ to, credentialIds }), "INVALID_ARGUMENT", "credentialIds")
        assertRefused(yield* transfer({ from, to, credentialIds }), "INVALID_ARGUMENT", "credentialIds")
      }
      for (const one of [
        undefined,
        null,
        {},
        [],
        "w1",
        { type: "worker" },
        { ...to, type: "applicant" },
        { ...to, id: "x" }
      ]) {
        assertRefused(yield* link({ to: one, credentialIds: ids }), "INVALID_ARGUMENT")
        assertRefused(yield* transfer({ from, to: one, credentialIds: ids }), "INVALID_ARGUMENT")
        assertRefused(yield* transfer({ from: one, to, credentialIds: ids }), "INVALID_ARGUMENT")
        if (one !== undefined) assertRefused(yield* link({ from: one, to }), "INVALID_ARGUMENT")
      }
      for (const body of [null, [], "text", {}]) {
        assertRefused(yield* link(body), "INVALID_ARGUMENT")
        assertRefused(yield* transfer(body), "INVALID_ARGUMENT")
      }
      assert.deepStrictEqual(yield* left, ["w1 -", "- a1"])
    })
  )

  it.effect("BLK-08, BLK-09: 500 ids are accepted; 501 are 400, and nothing changes", () =>
    Effect.gen(function* () {
      const [from, to] = [yield* worker(), yield* worker()]
      const ids = yield* times(501, credential({ worker: from }))
      const refs = { from: { type: "worker", id: from }, to: { type: "worker", id: to } }
      const heldBy = (id: string) =>
        Effect.map(get(`/credentials?ownerType=worker&ownerId=${id}&includeTotal=true`), (answer) =>
          at(answer, "meta.total")
        )

      assertRefused(yield* transfer({ ...refs, credentialIds: ids }), "INVALID_ARGUMENT", "500")
      assertRefused(yield* link({ to: refs.to, credentialIds: ids }), "INVALID_ARGUMENT", "500")
      const same = Array.from({ length: 501 }, () => ids[0])
      assertRefused(yield* transfer({ ...refs, credentialIds: same }), "INVALID_ARGUMENT", "500")
      // Without ids the limit applies to the found credentials.
      assertRefused(yield* transfer(refs), "UNPROCESSABLE", "500")
      assert.deepStrictEqual([yield* heldBy(from), yield* heldBy(to)], [501, 0])

      const done = yield* transfer({ ...refs, credentialIds: ids.slice(0, 500) })
      assert.deepStrictEqual(
        itemsOf(done),
        ids.slice(0, 500).map((id) => `${id} transferred`)
      )
      assert.deepStrictEqual([yield* heldBy(from), yield* heldBy(to)], [1, 500])
      const back = yield* transfer({ from: refs.to, to: refs.from })
      assert.deepStrictEqual(
        itemsOf(back),
        ids
          .slice(0, 500)
          .toSorted()
          .map((id) => `${id} transferred`)
      )
      assert.deepStrictEqual([yield* heldBy(from), yield* heldBy(to)], [501, 0])
    })
  )

  it.effect("BLK-18: counts each of 500 mixed items once, under its own name", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const begin: ReadonlyArray<Slots> = ["w1 -", "w2 -", "w3 -"]
      const ids = (yield* Effect.forEach(begin, (slots) => times(100, holding(cast, slots)))).flat()
      const given = [...ids, ...ids.slice(0, 100), ...Array.from({ length: 100 }, (_, index) => `nonsense ${index}`)]
      const from = reference(cast, "w1")
      const answer = yield* transfer({ from, to: reference(cast, "w2"), credentialIds: given })
      assertStatus(answer, 200)
      assert.deepStrictEqual(
        dataOf(answer).map((item) => Object(item).credentialId),
        given
      )
      const outcomes = dataOf(answer).map((item) => Object(item).error?.code ?? Object(item).status)
      const count = (outcome: string) => outcomes.filter((one) => one === outcome).length
      assert.deepStrictEqual([count("transferred"), count("noop")], [100, 200])
      assert.deepStrictEqual([count("OWNER_MISMATCH"), count("INVALID_ARGUMENT")], [100, 100])
      const { failed, succeeded, total } = Object(at(answer, "meta"))
      assert.deepStrictEqual([total, succeeded, failed], [500, 300, 200])
    })
  )

  it.effect("BLK-15: changed items change in lists and in updatedAt, skipped ones do not", () =>
    Effect.gen(function* () {
      const [from, to] = [
        yield* worker({ source: { externalId: "batch from" } }),
        yield* worker({ source: { externalId: "batch to" } })
      ]
      const [moved, stays] = [yield* credential({ worker: from }), yield* credential({ worker: from })]
      const before = at(yield* get(`/credentials/${stays}`), "data")
      yield* Service.use(({ advance }) => advance(5))
      const refs = { from: { type: "worker", id: from }, to: { type: "worker", id: to } }
      assert.deepStrictEqual(itemsOf(yield* transfer({ ...refs, credentialIds: [moved] })), [`${moved} transferred`])
      assert.deepStrictEqual([...idsOf(yield* get("/credentials?ownerExternalId=batch%20to"))], [moved])
      assert.deepStrictEqual([...idsOf(yield* get("/credentials?ownerExternalId=batch%20from"))], [stays])
      assert.deepStrictEqual(at(yield* get(`/credentials/${stays}`), "data"), before)
      const changed = Object(at(yield* get(`/credentials/${moved}`), "data"))
      assert.isAbove(Date.parse(changed.updatedAt), Date.parse(changed.createdAt))
    })
  )
})
