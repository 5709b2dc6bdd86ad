import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, applicant, at, credential, Service, textAt, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertRefused, assertStatus, get, idOfNothing, patch, post, put, root, statusOfCode } from "../NewerSurface.ts"
import * as Situations from "../Situations.ts"

/** Fails unless a response of the newer surface has the required envelope, with a code at its status. */
const assertEnveloped = (answer: Answer, what: string): void => {
  if (answer.status < 400 || answer.status === 401) return
  const code = String(at(answer, "error.code"))
  assert.strictEqual(statusOfCode[code], answer.status, `${what}: ${answer.text}`)
  assertRefused(answer, code)
}

const forms = [/^[a-z0-9][a-z0-9_-]{0,63}$/, /^urn:wcs:ban:[a-z0-9-]{1,32}:[\w.-]{1,64}$/]
const isSameForm = (one: string, two: string) => forms.some((form) => form.test(one) && form.test(two))

layer(layerService(), { excludeTestServices: true })("envelopes, statuses, codes", (it) => {
  it.effect("ENV-01: a success is { data, meta } with meta.requestId, on every route", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const route of EveryRoute.routes) {
        const answer = yield* call(EveryRoute.goodCall(route, yield* EveryRoute.subjects))
        assertStatus(answer, EveryRoute.goodStatus(route))
        if (answer.status === 204) continue
        const keys = Object.keys(Object(answer.json))
        // §2.2 also shows the fields of a verdict at the top level; they are in the envelope as well.
        if (route.name === "credentials.verify") assert.includeMembers(keys, ["data", "meta", "eligibility"])
        else assert.sameMembers(keys, ["data", "meta"], route.name)
        assert.strictEqual(at(answer, "meta.requestId"), answer.headers["x-request-id"], route.name)
      }
    })
  )

  it.effect("ENV-11: every create is 201 with a Location that leads to a new id", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const creates = EveryRoute.routes.filter(({ name }) => name.endsWith(".create"))
      assert.isNotEmpty(creates)
      for (const route of creates) {
        const create = Effect.flatMap(EveryRoute.subjects, (of) => call(EveryRoute.goodCall(route, of)))
        const [one, two] = [yield* create, yield* create]
        for (const made of [one, two]) {
          assertStatus(made, 201)
          const read = yield* call({ method: "GET", path: made.headers["location"] ?? "" })
          assertStatus(read, 200)
          // Secrets are shown only here (EVT-09, AUT-13, OAU-23).
          const { clientSecret: _client, signingSecret: _signing, token: _token, ...shown } = Object(at(made, "data"))
          assert.deepStrictEqual(at(read, "data"), shown)
        }
        assert.notStrictEqual(textAt(one, "data.id"), textAt(two, "data.id"))
      }
    })
  )

  it.effect("ENV-02, ENV-03: each situation has its status, in the envelope, with a code of that row", () =>
    Effect.gen(function* () {
      const all = [...(yield* Situations.onTenant), ...Situations.elsewhere]
      const seen = new Set<number>()
      for (const { answer, expected, shape, what } of yield* Situations.answers(all)) {
        assert.strictEqual(answer.status, expected, what)
        if (shape === "envelope") assertEnveloped(answer, what)
        if (shape === "envelope") seen.add(answer.status)
      }
      assert.includeMembers([...seen], [400, 403, 404, 405, 409, 413, 414, 415, 422])
    })
  )

  it.effect("ENV-02, ENV-03: on every route each error has its status and code", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf([])
      for (const route of EveryRoute.routes) {
        const of = yield* EveryRoute.subjects
        const good = EveryRoute.goodCall(route, of)
        const hasId = route.path.includes(":id")
        const idless = hasId ? route.path.replace(":id", "non%20sense") : `${root}/nonsense/nonsense`
        const expected: ReadonlyArray<readonly [string, Parameters<typeof call>[0]]> = [
          ...(EveryRoute.asking.includes(route) ? [["FORBIDDEN", { ...good, token }] as const] : []),
          [hasId ? EveryRoute.malformedCode(route) : "NOT_FOUND", { ...good, path: idless }],
          ...(hasId ? [["NOT_FOUND", { ...good, path: EveryRoute.pathOf(route, EveryRoute.missing) }] as const] : []),
          ["URI_TOO_LONG", { ...good, path: `${good.path}?q=${"a".repeat(8192)}` }],
          ["HEADERS_TOO_LARGE", { ...good, headers: { "x-large": "a".repeat(17_000) } }]
        ]
        for (const [code, one] of expected) {
          const answer = yield* call(one)
          if (code === "HEADERS_TOO_LARGE") assertStatus(answer, 431)
          else assertRefused(answer, code)
        }
        assertStatus(yield* call(good), EveryRoute.goodStatus(route))
      }
    })
  )

  it.effect(
    "ENV-08, ENV-09: malformed ids in paths are 400, unknown ones 404, on every route with an id",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        for (const route of EveryRoute.routes.filter(({ path }) => path.includes(":id"))) {
          const of = yield* EveryRoute.subjects
          const good = EveryRoute.goodCall(route, of)
          const id = EveryRoute.idOf(route.name, of)
          const path = (text: string) => good.path.replace(id, text)
          const exchanged = id.slice(0, -2) + (id.endsWith("00") ? "11" : "00")
          assertRefused(yield* call({ ...good, path: path(exchanged) }), "NOT_FOUND")
          const malformed = [
            "0",
            `${id}0`,
            id.slice(0, -1),
            id.toUpperCase(),
            id.replace("_", ""),
            `${id}%00`,
            `${id};includeDeleted=true`,
            `${id}#`,
            ";",
            "%ff",
            "%zz",
            "%e2%80%8b",
            `${id}%20`,
            "a".repeat(1000),
            "..%2f..",
            "null",
            "__proto__"
          ]
          // If ids are codes or URNs, some of these are well-formed ids of missing entities.
          for (const text of malformed.filter((each) => !isSameForm(id, each))) {
            assertRefused(yield* call({ ...good, path: path(text) }), EveryRoute.malformedCode(route), "id")
          }
          assertStatus(yield* call(good), EveryRoute.goodStatus(route))
        }
      }),
    120_000
  )

  it.effect("ENV-10: a broken business rule is 422: the last owner, an unknown owner", () =>
    Effect.gen(function* () {
      const w = yield* worker()
      const id = yield* credential({ worker: w })
      const nobody = { type: "applicant", id: idOfNothing(yield* applicant()) }
      assertRefused(yield* post(`/credentials/${id}/unlink`, { type: "worker", id: w }), "UNPROCESSABLE")
      assertRefused(yield* post(`/credentials/${id}/link`, nobody), "UNPROCESSABLE")
      const attributes = { credentialType: "FIRST_AID", owners: { applicant: nobody.id } }
      assertRefused(yield* post("/credentials", { attributes }), "UNPROCESSABLE")
      assertStatus(yield* post(`/credentials/${id}/link`, { ...nobody, id: yield* applicant() }), 200)
    })
  )

  it.effect("ENV-02, SIL-15: an unsupported method is 405 with the supported ones in Allow", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* EveryRoute.subjects
      const byPath = Map.groupBy(EveryRoute.endpoints, (route) => EveryRoute.pathOf(route, of))
      for (const [path, routes] of byPath) {
        const declared = routes.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
        // The paths of batches look like the path of an entity of their group, and the path of a list like that of a
        // webhook.
        const isPlaceOfOne = /\/(credentials\/(link|transfer)|fetch-requests\/bulk|webhooks\/events)$/.test(path)
        const allowed = isPlaceOfOne ? [...new Set([...declared, "GET", "HEAD", "PUT", "PATCH", "DELETE"])] : declared
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "SEARCH"]) {
          if (allowed.includes(method)) continue
          for (const spelling of [path, path.replace("/openapi", "/%6fpenapi"), path.replace(/s(?=\/|$)/, "%73")]) {
            const answer = yield* call({ method, path: spelling })
            assertRefused(answer, "METHOD_NOT_ALLOWED")
            assert.sameMembers((answer.headers["allow"] ?? "").split(", "), allowed, spelling)
          }
        }
      }
    })
  )

  it.effect("ENV-02, SIL-15: an unknown path is 404 NOT_FOUND; each resource has one path", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* worker()
      const nowhere = [
        root,
        `${root}/`,
        `${root}/nonsense`,
        `${root}/Workers`,
        `${root}/WORKERS/${id}`,
        `${root}//workers`,
        `${root}/workers//${id}`,
        `${root}/workers/${id}/nonsense`,
        `${root}/worker/${id}`,
        `${root}/workers/../workers`,
        `${root}/workers;pageSize=1`,
        `${root}/workers;?pageSize=1`,
        `${root}/workers#pageSize=1`,
        "/OPENAPI/v1/workers",
        "//openapi/v1/workers",
        "/openapi/v2/workers",
        "/openapi/workers",
        "/",
        "/nonsense"
      ]
      for (const path of nowhere) {
        for (const method of ["GET", "POST"]) assertRefused(yield* call({ method, path }), "NOT_FOUND")
      }
      for (const path of [`${root}/workers`, `${root}/workers/`, `${root}/workers/${id}`, `${root}/workers/${id}/`]) {
        assertStatus(yield* call({ method: "GET", path }), 200)
      }
    })
  )

  it.effect("ENV-02: accepts exactly 8 KiB of path and query", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const ofBytes = (size: number) => {
        const begin = `${root}/workers?externalId=`
        return call({ method: "GET", path: begin + "a".repeat(size - begin.length) })
      }
      assertStatus(yield* ofBytes(8 * 1024), 200)
      assertRefused(yield* ofBytes(8 * 1024 + 1), "URI_TOO_LONG")
    })
  )

  it.effect("ENV-17: HEAD answers as GET does, without a body", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const paths = [
        "/workers",
        `/workers/${yield* worker()}`,
        "/workers/nonsense",
        "/nonsense",
        "/workers?sort=nonsense"
      ]
      for (const path of paths) {
        const [read, head] = [yield* get(path), yield* call({ method: "HEAD", path: root + path })]
        assert.strictEqual(head.status, read.status)
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.headers["content-type"], read.headers["content-type"])
      }
    })
  )

  it.effect("ENV-03: a message never repeats the caller's long text", () =>
    Effect.gen(function* () {
      const long = "long".repeat(10_000)
      const w = yield* worker()
      const answers = [
        yield* post("/workers", { identity: { displayName: long } }),
        yield* post("/workers", { [long]: 1 }),
        yield* put(`/workers/${w}`, { identity: { displayName: "Ann Example" }, id: long }),
        yield* patch(`/workers/${w}`, { identity: { [long]: { [long]: 1 } } }),
        yield* get(`/workers?${long.slice(0, 7000)}=1`),
        yield* get(`/workers?sort=${long.slice(0, 7000)}`),
        yield* get(`/workers/${long.slice(0, 7000)}`),
        yield* post("/credentials/transfer", { from: { type: long, id: long }, to: { type: "worker", id: w } })
      ]
      for (const answer of answers) assert.isBelow(answer.text.length, 2000)
    })
  )
})
