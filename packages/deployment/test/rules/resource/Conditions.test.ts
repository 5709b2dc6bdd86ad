import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, Service, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { goodCall, goodStatus, routes } from "../EveryRoute.ts"
import { assertRefused, assertStatus, dataOf, get, root } from "../NewerSurface.ts"
import { run } from "../Row.ts"
import { subjects } from "../Subjects.ts"

const send = (call: Parameters<Service["Service"]["call"]>[0], headers: Readonly<Record<string, string>>) =>
  Service.use((service) => service.call({ ...call, headers: { ...call.headers, ...headers } }))

const tagOf = ({ headers }: Answer): string => headers["etag"] ?? "no tag"

/** The path of the resource that a call changes: `/workers/{id}` for all calls below it. */
const resourceAt = (path: string): string => path.slice(root.length).split("/").slice(0, 3).join("/")

/** Waits for the end of an import, because the next one is refused until then. */
const imported = Effect.fnUntraced(function* (id: string) {
  for (;;) {
    const answer = yield* get(`/imports/${id}`)
    if (!["RUNNING", "UNDOING"].includes(String(at(answer, "data.status")))) return
  }
})

const comparing = routes.filter(({ tags }) => tags.isCompared)

/** What a read shows of the resource, without the health of deliveries. */
const shown = (answer: Answer): string => JSON.stringify(at(answer, "data"))

layer(layerService(), { excludeTestServices: true })("If-Match", (it) => {
  it.effect(
    "a stale or weak tag is 412 on every change of one resource and changes nothing; the present one passes",
    () =>
      Effect.gen(function* () {
        assert.isAtLeast(comparing.length, 40)
        const [of, doomed] = [yield* subjects, yield* subjects]
        for (const route of comparing) {
          const call = goodCall(route, route.method === "DELETE" ? doomed : of)
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
      // An answer that includes other resources has no tag.
      const tag = tagOf(yield* get(`/credentials/${of.shared}`))
      assert.match(tag, /^"\d+-[0-9a-z]+"$/)
      for (const path of [`/credentials/${of.shared}?include=owners`, `/workers/${of.worker}?include=credentials`]) {
        const call = { method: "GET", path: root + path }
        assert.strictEqual(tagOf(yield* send(call, { "if-match": "*" })), "no tag")
        assertRefused(yield* send(call, { "if-match": tag }), "INVALID_ARGUMENT")
      }
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
        if (route.name === "imports.run") yield* imported(of.checkedImport)
        if (route.name === "imports.undo") yield* imported(of.doneImport)
      }
    })
  )

  it.effect("ENV-17: If-None-Match gets 304 for the same document; a repeated DELETE with a tag is 204 again", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker()}`
      const tag = tagOf(yield* get(path))
      const unlessNamed = (same: string) => ({ call: `GET ${path}`, headers: { "if-none-match": same } })
      const ifNamed = (match: string) => ({ headers: { "if-match": match }, body: {} })
      const change = { employment: { jobTitle: "Nurse" } }
      const [same] = yield* run([
        { ...unlessNamed(`W/${tag}`), expect: 304 },
        { ...unlessNamed("*"), expect: 304 },
        { ...unlessNamed("x"), expect: 200 },
        { call: `PATCH ${path}`, body: change, headers: { "if-none-match": "*" }, expect: "PRECONDITION_FAILED" },
        { call: `PATCH ${path}`, body: change, expect: 200 },
        { ...unlessNamed(tag), expect: 200 }
      ])
      assert.deepStrictEqual([same.text, tagOf(same)], ["", tag])
      const changed = tagOf(yield* get(path))
      yield* run([
        { call: `DELETE ${path}`, ...ifNamed(changed), expect: 204 },
        { call: `DELETE ${path}`, ...ifNamed(changed), expect: 204 },
        { call: `PATCH ${path}`, ...ifNamed(changed), expect: "NOT_FOUND" },
        { call: `PATCH ${path}`, ...ifNamed("*"), expect: "NOT_FOUND" }
      ])
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
