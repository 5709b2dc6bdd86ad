import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { documentLimits } from "@wcs/domain/document/Document"
import { Effect } from "effect"
import { applicant, at, credential, Service, textAt, tokenOf, unit, worker } from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import * as Row from "../Row.ts"
import { pdf } from "../Subjects.ts"

const octets = { "content-type": "application/octet-stream" }
const pathOf = (credential: string) => `/openapi/v1/credentials/${credential}/documents`

const upload = (
  credential: string,
  rawBody: string | Uint8Array,
  { headers = octets, query = "", token }: { headers?: Record<string, string>; query?: string; token?: string } = {}
) =>
  Service.use(({ call }) =>
    call({
      ...{ method: "POST", path: pathOf(credential) + query, rawBody, headers },
      ...(token === undefined ? {} : { token })
    })
  )

const someCredential = Effect.flatMap(worker(), (id) => credential({ worker: id }))

/** A PDF of a size, of one letter. */
const pdfOf = (size: number): Uint8Array => {
  const file = Buffer.alloc(size, "a")
  file.write("%PDF-2.0\n")
  file.write("startxref\n0\n%%EOF", size - 17)
  return file
}

/** The actions of the audit log about a document, in their order, with their accounts. */
const auditOf = Effect.fnUntraced(function* (document: string) {
  const { call } = yield* Service
  const answer = yield* call({ method: "GET", path: `/openapi/v1/audit-events?entityId=${document}` })
  const entries = at(answer, "data") as ReadonlyArray<{ readonly action: string; readonly account: string }>
  return entries.map(({ account, action }) => `${action} ${account}`).toSorted()
})

layer(layerService(raisedLimits), { excludeTestServices: true })("a document of a credential", (it) => {
  it.effect("is uploaded, listed, downloaded and deleted, and each look at it is in the audit log", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* someCredential
      const name = 'Lee "Ann", card №1.exe'
      const uploaded = yield* upload(id, pdf, { query: `?name=${encodeURIComponent(name)}` })
      assert.strictEqual(uploaded.status, 201, uploaded.text)
      const document = textAt(uploaded, "data.id")
      assert.strictEqual(uploaded.headers["location"], `${pathOf(id)}/${document}`)
      const sha256 = createHash("sha256").update(pdf).digest("hex")
      const shown = { type: "document", name: "Lee _Ann_, card №1.exe.pdf", form: "PDF", bytes: pdf.length }
      assert.deepInclude(at(uploaded, "data"), { ...shown, sha256, activeContent: "NOT_FOUND" })
      yield* Row.run([
        {
          call: `GET /credentials/${id}/documents`,
          expect: {
            "data.documents": [at(uploaded, "data")],
            "data.deleted": [],
            "data.space.documentsOfRecord": documentLimits.ofRecord - 1
          }
        }
      ])
      const viewer = yield* tokenOf("Viewer")
      const read = yield* call({ method: "GET", path: `${pathOf(id)}/${document}`, token: viewer.token })
      assert.strictEqual(read.status, 200)
      assert.strictEqual(read.text, pdf)
      const { headers } = read
      assert.strictEqual(headers["content-type"], "application/octet-stream")
      assert.strictEqual(headers["content-length"], String(pdf.length))
      assert.match(headers["content-disposition"] ?? "", /^attachment; filename="Lee _Ann_, card _1\.exe\.pdf"; /)
      assert.include(headers["content-disposition"], "filename*=UTF-8''Lee%20_Ann_%2C%20card%20%E2%84%961.exe.pdf")
      assert.strictEqual(headers["content-security-policy"], "default-src 'none'; sandbox")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["cache-control"], "no-store")
      yield* Row.run([
        { call: `DELETE /credentials/${id}/documents/${document}`, expect: "INVALID_ARGUMENT: reason" },
        { call: `DELETE /credentials/${id}/documents/${document}?reason=REPLACED`, expect: 204 },
        { call: `DELETE /credentials/${id}/documents/${document}?reason=OTHER`, expect: 204 },
        { call: `GET /credentials/${id}/documents/${document}`, expect: "NOT_FOUND" },
        {
          call: `GET /credentials/${id}/documents`,
          expect: { "data.documents": [], "data.deleted.0.id": document, "data.deleted.0.reason": "REPLACED" }
        }
      ])
      const log = yield* auditOf(document)
      assert.deepStrictEqual(
        log.map((entry) => entry.split(" ")[0]),
        ["delete", "look", "upload"]
      )
      assert.include(log, `look ${viewer.urn}`)
      const looks = yield* auditOf(`${id}&action=lookDocument`)
      assert.deepStrictEqual(looks, [`lookDocument ${viewer.urn}`])
    })
  )

  it.effect("threat 88: cannot be reached through another credential, a deleted one, or without its privileges", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* someCredential, yield* someCredential]
      const document = textAt(yield* upload(id, pdf), "data.id")
      const viewer = yield* tokenOf("Viewer")
      const nobody = yield* tokenOf(["worker:READ", "credential:UPDATE"])
      assert.strictEqual((yield* upload(id, pdf, { token: viewer.token })).status, 403)
      yield* Row.run([
        { call: `GET /credentials/${other}/documents/${document}`, expect: "NOT_FOUND" },
        { call: `DELETE /credentials/${other}/documents/${document}?reason=OTHER`, expect: "NOT_FOUND" },
        { call: `GET /credentials/${id}/documents/no`, expect: "INVALID_ARGUMENT: documentId" },
        { call: `GET /credentials/${id}/documents/${document}`, as: nobody.token, expect: "FORBIDDEN" },
        { call: `DELETE /credentials/${id}/documents/${document}?reason=OTHER`, as: viewer.token, expect: "FORBIDDEN" },
        { call: `DELETE /credentials/${id}`, expect: 204 },
        { call: `GET /credentials/${id}/documents`, expect: "NOT_FOUND" },
        { call: `GET /credentials/${id}/documents/${document}`, expect: "NOT_FOUND" },
        { call: `POST /credentials/${id}/restore`, expect: 200 },
        { call: `GET /credentials/${id}/documents/${document}`, expect: 200 }
      ])
    })
  )

  it.effect("threat 88: is out of reach for a user of units who does not reach each owner of the card", () =>
    Effect.gen(function* () {
      const [inner, outer] = [yield* unit(), yield* unit()]
      const [ann, bo] = [yield* worker({ unit: { id: inner } }), yield* applicant({ unit: { id: outer } })]
      const { token } = yield* tokenOf({ role: "Data Manager", units: [inner] })
      const [own, shared] = [yield* credential({ worker: ann }), yield* credential({ worker: ann, applicant: bo })]
      const outside = yield* credential({ applicant: bo })
      const documents = yield* Effect.forEach([own, shared, outside], (id) =>
        Effect.map(upload(id, pdf), (answer) => textAt(answer, "data.id"))
      )
      yield* Row.run([
        { call: `GET /credentials/${own}/documents/${documents[0]}`, as: token, expect: 200 },
        { call: `GET /credentials/${shared}/documents`, as: token, expect: "UNPROCESSABLE" },
        { call: `GET /credentials/${shared}/documents/${documents[1]}`, as: token, expect: "UNPROCESSABLE" },
        {
          call: `DELETE /credentials/${shared}/documents/${documents[1]}?reason=OTHER`,
          as: token,
          expect: "UNPROCESSABLE"
        },
        { call: `GET /credentials/${outside}/documents`, as: token, expect: "NOT_FOUND" },
        { call: `GET /credentials/${outside}/documents/${documents[2]}`, as: token, expect: "NOT_FOUND" }
      ])
      assert.strictEqual((yield* upload(own, pdf, { token })).status, 201)
      assert.strictEqual((yield* upload(shared, pdf, { token })).status, 422)
    })
  )

  it.effect("threat 86: refuses hostile files, each with a sentence, and keeps nothing of them", () =>
    Effect.gen(function* () {
      const id = yield* someCredential
      const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
      const refused: ReadonlyArray<readonly [string | Uint8Array, Record<string, string>, number, string]> = [
        [svg, { "content-type": "image/png" }, 400, "PDF, JPEG, PNG or HEIC"],
        [`<script>alert(1)</script>${pdf}`, octets, 400, "PDF, JPEG, PNG or HEIC"],
        [pdf.slice(0, -8), octets, 400, "no whole PDF"],
        ["", octets, 400, "empty"],
        [pdf, { "content-type": "text/html" }, 415, "application/octet-stream"],
        [pdf, { "content-type": "multipart/form-data; boundary=x" }, 415, "application/octet-stream"],
        [pdf, { ...octets, "content-encoding": "gzip" }, 415, "compressed"],
        [pdfOf(documentLimits.bytes + 1), octets, 413, String(documentLimits.bytes)]
      ]
      for (const [file, headers, status, hint] of refused) {
        const answer = yield* upload(id, file, { headers })
        assert.strictEqual(answer.status, status, answer.text)
        assert.include(textAt(answer, "error.message"), hint)
      }
      assert.strictEqual((yield* upload(id, pdf, { query: "?name=a%0Ab" })).status, 400)
      yield* Row.run([
        { call: `GET /credentials/${id}/documents`, expect: { "data.documents": [], "data.deleted": [] } }
      ])
    })
  )

  it.effect("keeps a file of 10 MiB whole, and files that only a reader could be harmed by, without opening them", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const id = yield* someCredential
      const pages = Array.from({ length: 10_000 }, (_, n) => `${n + 1} 0 obj <</Type/Page>> endobj\n`).join("")
      const bomb = "<</Filter[/FlateDecode/FlateDecode/FlateDecode]/Length 9999999999>>stream\nendstream\n"
      const files = [
        pdfOf(documentLimits.bytes),
        Buffer.from(`%PDF-1.7\n${pages}startxref\n0\n%%EOF\n`),
        Buffer.from(`%PDF-1.7\n${bomb}<html><script>alert(1)</script></html>\nstartxref\n0\n%%EOF\n`),
        Buffer.from("%PDF-1.7\n<</OpenAction<</S/JavaScript/JS(app.alert)>>>>\nstartxref\n0\n%%EOF\n")
      ]
      const found: Array<string> = []
      for (const file of files) {
        const uploaded = yield* upload(id, file)
        assert.strictEqual(uploaded.status, 201, uploaded.text)
        const read = yield* call({ method: "GET", path: `${pathOf(id)}/${textAt(uploaded, "data.id")}` })
        assert.strictEqual(read.text.length, file.length)
        assert.strictEqual(textAt(uploaded, "data.sha256"), createHash("sha256").update(file).digest("hex"))
        found.push(textAt(uploaded, "data.activeContent"))
      }
      assert.deepStrictEqual(found, ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "FOUND"])
    })
  )

  it.effect("takes no more documents of a credential than it may have", () =>
    Effect.gen(function* () {
      const id = yield* someCredential
      for (let count = 0; count < documentLimits.ofRecord; count++) yield* upload(id, pdf)
      const refused = yield* upload(id, pdf)
      assert.strictEqual(refused.status, 422)
      assert.include(textAt(refused, "error.message"), `${documentLimits.ofRecord} documents`)
    })
  )
})
