import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, Service, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { goodCall, goodStatus, routes, subjects } from "../EveryRoute.ts"
import { assertRefused, assertStatus, dataOf, get, patch, root } from "../NewerSurface.ts"

const send = (call: Parameters<Service["Service"]["call"]>[0], headers: Readonly<Record<string, string>>) =>
  Service.use((service) => service.call({ ...call, headers: { ...call.headers, ...headers } }))

const tagOf = ({ headers }: Answer): string => headers["etag"] ?? "no tag"

/** The path of the resource that a call changes: `/workers/{id}` for all calls below it. */
const resourceAt = (path: string): string => path.slice(root.length).split("/").slice(0, 3).join("/")

const comparing = routes.filter(({ tags }) => tags.isCompared)

/** What a read shows of the resource, without the health of deliveries. */
const shown = (answer: Answer): string => JSON.stringify(at(answer, "data"))

layer(layerService(), { excludeTestServices: true })("If-Match", (it) => {
  it.effect(
    "a stale or weak tag is 412 on every change of one resource and changes nothing; the present one passes",
    () =>
      Effect.gen(function* () {
        assert.isAtLeast(comparing.length, 40)
        const of = yield* subjects
        for (const route of comparing) {
          const call = goodCall(route, route.method === "DELETE" ? yield* subjects : of)
          const path = resourceAt(call.path)
          const before = yield* get(path)
          const tag = tagOf(before)
          for (const match of ['"1-a"', `W/${tag}`, `"0", ${tag.replace('"', '"0')}`]) {
            const answer = yield* send(call, { "if-match": match })
            assertRefused(answer, "PRECONDITION_FAILED", tag)
          }
          assertRefused(yield* send(call, { "if-match": "1-a" }), "INVALID_ARGUMENT", "If-Match")
          const after = yield* get(path)
          assert.strictEqual(shown(after), shown(before), route.name)
          assert.strictEqual(tagOf(after), tag, route.name)
          const changed = yield* send(call, { "if-match": `"0-a", ${tag}` })
          assertStatus(changed, goodStatus(route))
          if (route.method !== "DELETE") assert.strictEqual(tagOf(changed), tagOf(yield* get(path)), route.name)
        }
      })
  )

  it.effect("every answer with one resource has the tag of GET, but none that includes other resources", () =>
    Effect.gen(function* () {
      const of = yield* subjects
      const owned = `/credentials/${of.shared}`
      assert.match(tagOf(yield* get(owned)), /^"\d+-[0-9a-z]+"$/)
      assert.strictEqual(tagOf(yield* get(`${owned}?include=owners`)), "no tag")
      assert.strictEqual(tagOf(yield* get(`/workers/${of.worker}?include=credentials`)), "no tag")
      for (const route of routes.filter(({ tags }) => tags.isShown)) {
        const call = goodCall(route, yield* subjects)
        const answer = yield* send(call, {})
        assertStatus(answer, goodStatus(route))
        const path = answer.headers["location"] ?? call.path
        assert.strictEqual(tagOf(answer), tagOf(yield* get(resourceAt(path))), route.name)
      }
    })
  )

  it.effect("a read is 412 for a stale or weak tag, before 304, and 200 for the present one or *", () =>
    Effect.gen(function* () {
      const of = yield* subjects
      const reads = routes.filter(({ method, tags }) => method === "GET" && tags.isShown)
      assert.isAtLeast(reads.length, 10)
      for (const route of reads) {
        const call = goodCall(route, of)
        const tag = tagOf(yield* send(call, {}))
        for (const match of ['"1-a"', `W/${tag}`]) {
          const answer = yield* send(call, { "if-match": match, "if-none-match": tag })
          assertRefused(answer, "PRECONDITION_FAILED", tag)
        }
        assertRefused(yield* send(call, { "if-match": "1-a" }), "INVALID_ARGUMENT", "If-Match")
        for (const match of [tag, `"1-a", ${tag}`, "*"]) assertStatus(yield* send(call, { "if-match": match }), 200)
      }
      const call = { method: "GET", path: `${root}/credentials/${of.shared}?include=owners` }
      assertRefused(
        yield* send(call, { "if-match": tagOf(yield* get(`/credentials/${of.shared}`)) }),
        "INVALID_ARGUMENT"
      )
      assertStatus(yield* send(call, { "if-match": "*" }), 200)
    })
  )

  it.effect("a tag is 400 on calls whose resource has none, and * is ignored there", () =>
    Effect.gen(function* () {
      const of = yield* subjects
      const others = routes.filter(({ method, tags }) => !tags.isCompared && !(method === "GET" && tags.isShown))
      assert.isAtLeast(others.length, 40)
      for (const route of others) {
        const call = goodCall(route, of)
        assertRefused(yield* send(call, { "if-match": '"1-a"' }), "INVALID_ARGUMENT", "no ETag")
        assertStatus(yield* send(call, { "if-match": "*" }), goodStatus(route))
      }
    })
  )

  it.effect(
    "ENV-17: a repeated DELETE with the same tag is 204 again; other changes of a deleted resource are 404",
    () =>
      Effect.gen(function* () {
        const path = `/workers/${yield* worker()}`
        const headers = { "if-match": tagOf(yield* get(path)) }
        const call = { method: "DELETE", path: root + path }
        assertStatus(yield* send(call, headers), 204)
        assertStatus(yield* send(call, headers), 204)
        assertRefused(yield* send({ ...call, method: "PATCH", body: {} }, headers), "NOT_FOUND")
        assertRefused(yield* send({ ...call, method: "PATCH", body: {} }, { "if-match": "*" }), "NOT_FOUND")
      })
  )

  it.effect("If-None-Match: GET answers 304 without a body for the same document, and 200 for another", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker()}`
      const call = { method: "GET", path: root + path }
      const tag = tagOf(yield* get(path))
      for (const same of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
        const answer = yield* send(call, { "if-none-match": same })
        assert.deepStrictEqual([answer.status, answer.text, tagOf(answer)], [304, "", tag])
      }
      assertStatus(yield* send(call, { "if-none-match": '"x"' }), 200)
      assertStatus(yield* send(call, { "if-none-match": "x" }), 200)
      assertStatus(yield* patch(path, { employment: { jobTitle: "Nurse" } }), 200)
      assertStatus(yield* send(call, { "if-none-match": tag }), 200)
      const change = { ...call, method: "PATCH", body: { employment: { jobTitle: "Doctor" } } }
      assertRefused(yield* send(change, { "if-none-match": "*" }), "PRECONDITION_FAILED")
    })
  )

  it.effect("of 16 concurrent changes of all kinds with one tag, exactly one succeeds", () =>
    Effect.gen(function* () {
      const other = { type: "worker", id: yield* worker() }
      for (let round = 0; round < 20; round += 1) {
        const id = yield* credential({ worker: yield* worker() })
        const path = `/credentials/${id}`
        const before = yield* get(path)
        const from = { type: "worker", id: Object(at(before, "data.attributes.owners")).worker }
        const { category: _c, ...attributes } = Object(at(before, "data.attributes"))
        const call = (method: string, below: string, body: unknown) => ({ method, path: root + path + below, body })
        const changes = Array.from({ length: 4 }, (_, index) => [
          call("PATCH", "", { attributes: { category: `by patch ${index}` } }),
          call("PUT", "", { attributes: { ...attributes, category: `by put ${index}` } }),
          call("POST", "/transfer", { from, to: other }),
          round % 2 === 0 ? call("DELETE", "", undefined) : call("PATCH", "", { attributes: { category: "x" } })
        ]).flat()
        const answers = yield* Effect.forEach(changes, (change) => send(change, { "if-match": tagOf(before) }), {
          concurrency: "unbounded"
        })
        const statuses = answers.map(({ status }) => status)
        const isDeleted = statuses.includes(204)
        // A repeated delete is 204 too, and other changes then find nothing.
        const expected = isDeleted ? [204, 404, 412] : [200, 412]
        assert.deepStrictEqual([...new Set([...statuses, ...expected])].sort(), expected)
        assert.strictEqual(statuses.filter((status) => status === 200).length, isDeleted ? 0 : 1)
        const audited = yield* get(`/audit-events?entityId=${id}`)
        assert.lengthOf(dataOf(audited), 2) // the create and one change
      }
    })
  )
})
