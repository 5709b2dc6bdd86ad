import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, Service, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertRefused, assertStatus, get, root } from "../NewerSurface.ts"
import { pdf, subjects } from "../Subjects.ts"

layer(layerService(), { excludeTestServices: true })("envelopes, statuses, codes", (it) => {
  it.effect("ENV-11, SIL-29: the Location of every create leads to the new resource, with its tag", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const creates = EveryRoute.routes.filter(({ name }) => name.endsWith(".create"))
      assert.isNotEmpty(creates)
      const of = yield* subjects
      for (const route of creates) {
        const [one, two] = [yield* call(EveryRoute.goodCall(route, of)), yield* call(EveryRoute.goodCall(route, of))]
        for (const made of [one, two]) {
          assertStatus(made, 201)
          const read = yield* call({ method: "GET", path: made.headers["location"] ?? "" })
          assertStatus(read, 200)
          if (route.name === "documents.create") {
            assert.strictEqual(read.text, pdf) // the file itself
            continue
          }
          // Secrets are shown only here (EVT-09, AUT-13, OAU-23).
          const { clientSecret: _client, signingSecret: _signing, token: _token, ...shown } = Object(at(made, "data"))
          assert.deepStrictEqual(at(read, "data"), shown)
          assert.strictEqual(made.headers["etag"], read.headers["etag"])
        }
        assert.notStrictEqual(textAt(one, "data.id"), textAt(two, "data.id"))
      }
    })
  )

  it.effect("ENV-08, ENV-09: malformed ids in paths are 400, unknown ones 404, on every route with an id", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* subjects
      for (const route of EveryRoute.routes.filter(({ path }) => path.includes(":id"))) {
        const good = EveryRoute.goodCall(route, of)
        const id = EveryRoute.idOf(route.name, of)
        const path = (text: string) => good.path.replace(id, text)
        // The test of the audit log makes the good call of every route.
        const exchanged = id.slice(0, -2) + (id.endsWith("00") ? "11" : "00")
        assertRefused(yield* call({ ...good, path: path(exchanged) }), "NOT_FOUND")
        for (const text of [`${id}%00`, "..%2f..", `${id};includeDeleted=true`, "a".repeat(300), `${id}%zz`]) {
          assertRefused(yield* call({ ...good, path: path(text) }), EveryRoute.malformedCode(route), "id")
        }
      }
    })
  )

  it.effect("ENV-02, SIL-15: an unsupported method is 405 with the supported ones in Allow", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* subjects
      const byPath = Map.groupBy(EveryRoute.endpoints, (route) => EveryRoute.pathOf(route, of))
      for (const [path, routes] of byPath) {
        const declared = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
        // The paths of batches and of some lists look like the path of an entity of their group.
        const isPlaceOfOne =
          /\/(credentials\/(link|transfer)|fetch-requests\/bulk|webhooks\/events|verification-sources\/registers)$/.test(
            path
          )
        const allowed = isPlaceOfOne ? [...new Set([...declared, "GET", "HEAD", "PUT", "PATCH", "DELETE"])] : declared
        const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"]
        const spellings = [path.replace("/openapi", "/%6fpenapi"), path.replace(/s(?=\/|$)/, "%73")]
        for (const one of [
          ...methods.filter((method) => !allowed.includes(method)).map((method) => ({ method, path })),
          ...spellings.map((spelling) => ({ method: "OPTIONS", path: spelling }))
        ]) {
          const answer = yield* call(one)
          assertRefused(answer, "METHOD_NOT_ALLOWED")
          assert.sameMembers((answer.headers["allow"] ?? "").split(", "), allowed, one.path)
        }
      }
    })
  )

  it.effect("ENV-17: HEAD answers as GET does, without a body", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const path of ["/workers", `/workers/${yield* worker()}`, "/workers/nonsense", "/nonsense"]) {
        const [read, head] = [yield* get(path), yield* call({ method: "HEAD", path: root + path })]
        assert.strictEqual(head.status, read.status)
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.headers["content-type"], read.headers["content-type"])
      }
    })
  )
})
