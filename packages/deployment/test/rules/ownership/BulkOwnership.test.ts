import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, post } from "../NewerSurface.ts"
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
  it.effect("SIL-16, threat 21: an empty list of ids selects none, never all", () =>
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
})
