import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, Service, textAt, tokenOf, unit, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import * as Row from "../Row.ts"

const root = "/openapi/v1/imports"
const csv = { "content-type": "text/csv" }

/** Uploads a file. */
const upload = (rawBody: string | Uint8Array, headers: Readonly<Record<string, string>> = csv, query = "") =>
  Service.use(({ call }) => call({ method: "POST", path: `${root}${query}`, rawBody, headers }))

const post = (path: string, body?: unknown) =>
  Service.use(({ call }) => call({ method: "POST", path: `${root}/${path}`, ...(body === undefined ? {} : { body }) }))

/** Reads an import until the worker program has ended its work. */
const ended = Effect.fnUntraced(function* (id: string) {
  const { call } = yield* Service
  for (;;) {
    const answer = yield* call({ method: "GET", path: `${root}/${id}` })
    if (!["CHECKING", "RUNNING", "UNDOING"].includes(textAt(answer, "data.status"))) return answer
  }
})

const countsOf = (answer: Answer) =>
  Object.fromEntries(Object.entries(at(answer, "data.counts") as object).filter(([, count]) => count > 0))

const file = [
  "\uFEFFStaff ID;Name;Born;Team",
  'I1;"Lee; Ann";31/12/1990;x',
  "I2;Björn;1990-12-31;",
  "I3;;1.1.1990;",
  "I4;=1+1;;",
  "I5;Bob;32/12/1990;",
  ";;;",
  ""
].join("\r\n")

layer(layerService(raisedLimits), { excludeTestServices: true })("an import over HTTP", (it) => {
  it.effect("finds a merged worker by its external id, and does not create the person again", () =>
    Effect.gen(function* () {
      const [ann, anne] = [yield* worker(), yield* worker({ source: { externalId: "M1" } })]
      yield* Row.run([{ call: `POST /workers/${ann}/merge`, body: { from: anne }, expect: 200 }])
      const id = textAt(yield* upload("Staff ID;Name\r\nM1;Anne Lee\r\n"), "data.id")
      yield* post(`${id}/check`)
      assert.deepStrictEqual(countsOf(yield* ended(id)), { DUPLICATE: 1 })
      yield* Row.run([{ call: `GET /imports/${id}/rows`, expect: { "data.0.workerId": ann } }])
    })
  )

  it.effect("is uploaded with a proposal, checked, run and undone, and lists its rows by outcome", () =>
    Effect.gen(function* () {
      const known = yield* worker({ identity: { displayName: "Björn" }, source: { externalId: "I2" } })
      const uploaded = yield* upload(file, csv, "?name=staff.csv")
      assert.strictEqual(uploaded.status, 201, uploaded.text)
      const id = textAt(uploaded, "data.id")
      assert.strictEqual(uploaded.headers["location"], `${root}/${id}`)
      const mapping = [
        { column: "Staff ID", field: "source.externalId" },
        { column: "Name", field: "identity.displayName" },
        { column: "Born", field: "identity.birthDate" }
      ]
      const { columns, ...shown } = at(uploaded, "data") as Readonly<Record<string, unknown>>
      assert.deepInclude(shown, { status: "UPLOADED", name: "staff.csv", rows: 5, mapping, dateOrder: "DMY" })
      assert.deepInclude(columns, { name: "Team", samples: ["x"], proposal: null })
      yield* Row.run([
        { call: `POST /imports/${id}/run`, expect: "UNPROCESSABLE" },
        { call: `POST /imports/${id}/check`, body: { mapping: [] }, expect: "INVALID_ARGUMENT: mapping" },
        { call: `POST /imports/${id}/check`, expect: { "data.status": "CHECKING" } }
      ])
      const checked = yield* ended(id)
      assert.strictEqual(at(checked, "data.status"), "CHECKED")
      assert.deepStrictEqual(countsOf(checked), { CREATE: 2, UPDATE: 1, FAULTY: 2 })
      yield* Row.run([
        {
          call: `GET /imports/${id}/rows?outcome=FAULTY&pageSize=1`,
          expect: { "data.0.row": 4, "data.0.fault.column": "Name" }
        },
        { call: `GET /imports/${id}/rows?outcome=UPDATE`, expect: { "data.0.row": 3, "data.0.workerId": known } },
        { call: `GET /imports/${id}/rows?outcome=no`, expect: "INVALID_ARGUMENT: outcome" },
        { call: `POST /imports/${id}/run`, body: { withDuplicates: true }, expect: { "data.status": "RUNNING" } }
      ])
      const done = yield* ended(id)
      assert.strictEqual(at(done, "data.status"), "DONE")
      assert.deepStrictEqual(countsOf(done), { CREATED: 2, UPDATED: 1, FAULTY: 2 })
      yield* Row.run([
        { call: `GET /workers/${known}`, expect: { "data.identity.birthDate": "1990-12-31" } },
        { call: "GET /workers?externalId=I1", expect: { "data.0.identity.displayName": "Lee; Ann" } },
        { call: "GET /workers?externalId=I4", expect: { "data.0.identity.displayName": "=1+1" } },
        { call: `POST /imports/${id}/undo`, expect: { "data.status": "UNDOING" } }
      ])
      assert.strictEqual(at(yield* ended(id), "data.status"), "UNDONE")
      yield* Row.run([
        { call: `GET /workers/${known}`, expect: { "data.identity.birthDate": undefined } },
        { call: "GET /workers?externalId=I1", expect: { data: [] } },
        { call: `DELETE /imports/${id}`, expect: 204 },
        { call: `DELETE /imports/${id}`, expect: 204 },
        { call: `GET /imports/${id}`, expect: "NOT_FOUND" },
        { call: `GET /imports/${id}/rows`, expect: "NOT_FOUND" }
      ])
    })
  )

  it.effect("leaves a worker without a unit whose undo names a unit that was deleted meanwhile", () =>
    Effect.gen(function* () {
      const [old, next] = [yield* unit(), yield* unit({ externalId: "undo-next" })]
      const known = yield* worker({ source: { externalId: "UNDO-1" }, unit: { id: old } })
      const id = textAt(yield* upload("Staff ID;Name;Unit\r\nUNDO-1;Una Undone;undo-next\r\n"), "data.id")
      yield* post(`${id}/check`)
      yield* ended(id)
      yield* post(`${id}/run`)
      yield* ended(id)
      yield* Row.run([
        { call: `GET /workers/${known}`, expect: { "data.unit": { id: next } } },
        { call: `DELETE /units/${old}`, expect: 204 },
        { call: `POST /imports/${id}/undo`, expect: 200 }
      ])
      yield* ended(id)
      yield* Row.run([{ call: `GET /workers/${known}`, expect: { "data.unit": undefined } }])
    })
  )

  it.effect("checks dates that fit two orders only in a chosen order", () =>
    Effect.gen(function* () {
      const uploaded = yield* upload("Name,Born\nDee,3/12/1990\n")
      assert.isNull(at(uploaded, "data.dateOrder"))
      const id = textAt(uploaded, "data.id")
      yield* Row.run([
        { call: `POST /imports/${id}/check`, expect: "INVALID_ARGUMENT: dateOrder" },
        { call: `POST /imports/${id}/check`, body: { dateOrder: "MDY" }, expect: { "data.dateOrder": "MDY" } }
      ])
      assert.deepStrictEqual(countsOf(yield* ended(id)), { CREATE: 1 })
    })
  )

  it.effect("threat 65: refuses files that are no CSV in UTF-8, or too large, each with a sentence", () =>
    Effect.gen(function* () {
      const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from([...values, ...Array<number>(64).fill(7)])
      const cases: ReadonlyArray<readonly [string | Uint8Array, string]> = [
        [bytes(0x50, 0x4b, 3, 4), "is a workbook"],
        [bytes(0xd0, 0xcf, 0x11, 0xe0), "is an old Excel workbook"],
        [bytes(0xff, 0xfe, 0x41, 0), "is encoded in UTF-16"],
        [Buffer.from("Name\nBj\xf6rn\n", "latin1"), "is not encoded in UTF-8"],
        [Buffer.from([0x4e, 0x0a, 0xc3]), "is not encoded in UTF-8"],
        ["Name\nAn\0n\n", "is not a text file"],
        ['Name\n"Ann\n', "line 2"],
        ["", "is empty"],
        ["Name\n", "has no rows"],
        [",,\nAnn", "has no header"],
        [`${Array.from({ length: 10_000 }, (_, n) => `c${n}`).join()}\n`, "at most 100 columns"],
        [`Name\n${"x".repeat(70_000)}\n`, "at most 65536 characters in a row"],
        ["Name,Name\nAnn,Lee\n", "two columns named"],
        [`Name\n${"A\n".repeat(100_001)}`, "at most 100000 rows"]
      ]
      const { call } = yield* Service
      const stored = Effect.map(call({ method: "GET", path: root }), ({ json }) => Object(json).data)
      const before = yield* stored
      for (const [body, sentence] of cases) {
        const answer = yield* upload(body)
        assert.strictEqual(at(answer, "error.code"), "INVALID_ARGUMENT", answer.text)
        assert.include(textAt(answer, "error.message"), sentence)
      }
      const many = yield* upload(file, { "content-type": "text/csv", "content-encoding": "gzip" })
      assert.strictEqual(at(many, "error.code"), "UNSUPPORTED_MEDIA_TYPE")
      const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
      assert.strictEqual(at(yield* upload(file, { "content-type": sheet }), "error.code"), "UNSUPPORTED_MEDIA_TYPE")
      assert.strictEqual(at(yield* upload(file, csv, "?name="), "error.code"), "INVALID_ARGUMENT")
      assert.deepStrictEqual(yield* stored, before)
    })
  )

  it.effect("threat 4: needs the privileges for imports and for workers, and is hidden from other tenants", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = textAt(yield* upload(file), "data.id")
      const { token: viewer } = yield* tokenOf("Viewer")
      const { token: half } = yield* tokenOf(["import:READ", "import:CREATE", "import:UPDATE", "worker:READ"])
      const { token: other } = yield* tokenOf("Super Admin", true)
      const denied = yield* call({ method: "POST", path: root, rawBody: file, headers: csv, token: half })
      assert.include(denied.text, "CREATE workers")
      yield* Row.run([
        { call: `GET /imports/${id}`, as: viewer, expect: { "data.columns.0.samples": [] } },
        { call: "GET /imports", as: viewer, expect: { "data.0.columns.0.samples": [] } },
        { call: `GET /imports/${id}/rows`, as: viewer, expect: "FORBIDDEN: UPDATE imports" },
        { call: `GET /imports/${id}/rows`, as: half, expect: { "data.0.cells.0": "I1" } },
        { call: `GET /imports/${id}`, as: half, expect: { "data.columns.0.samples.0": "I1" } },
        { call: `POST /imports/${id}/check`, as: viewer, expect: "FORBIDDEN: UPDATE imports" },
        { call: `POST /imports/${id}/check`, as: half, expect: 200 },
        { call: `POST /imports/${id}/undo`, as: half, expect: "FORBIDDEN: UPDATE workers" },
        { call: `GET /imports/${id}`, as: other, host: "other.localhost", expect: "NOT_FOUND" },
        { call: `GET /imports/${id}/rows`, as: other, host: "other.localhost", expect: "NOT_FOUND" },
        { call: `POST /imports/${id}/check`, as: other, host: "other.localhost", expect: "NOT_FOUND" },
        { call: `DELETE /imports/${id}`, as: other, host: "other.localhost", expect: "NOT_FOUND" }
      ])
      assert.strictEqual((yield* ended(id)).status, 200)
      assert.strictEqual((yield* post(`${id}/undo`)).status, 422)
      yield* call({ method: "DELETE", path: `${root}/${id}` })
    })
  )
})
