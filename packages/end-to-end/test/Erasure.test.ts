import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { codeAt } from "@wcs/end-to-end/Totp"
import { visitor } from "@wcs/end-to-end/Visitor"
import * as MasterKey from "@wcs/keys/MasterKey"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { listKeysOf } from "@wcs/wcs/backup/ErasuresFile"
import { Effect, Redacted, Schedule, type Scope } from "effect"
import { call, dataOf, done, stopped } from "./Calls.ts"
import { inProcess } from "./InProcess.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory } from "./Process.ts"

type Engine = "SQLite" | "Postgres"
const engines: ReadonlyArray<Engine> = ["SQLite", "Postgres"]

const email = "root@example.com"
const password = "correct horse battery staple"

/** A value that only the planted person has. */
const planted = "Plantedvalue"

/** An empty place with a database for Postgres, and the master key of another place if there is one. */
const place = Effect.fnUntraced(function* (
  engine: Engine,
  { WCS_DATA: from }: Environment = {}
): Effect.fn.Return<Environment, never, Scope.Scope> {
  const data = join(yield* temporaryDirectory, "data")
  mkdirSync(data, { mode: 0o700 })
  if (from !== undefined) copyFileSync(join(from, "master.key"), join(data, "master.key"))
  const environment = { WCS_DATA: data, WCS_AUDIT_SEAL_SECONDS: "1", WCS_LOG_LEVEL: "debug", WCS_LOG_FORMAT: "json" }
  return engine === "SQLite" ? environment : { ...environment, DATABASE_URL: Redacted.value(yield* freshDatabase) }
})

/** A Super Admin's token, and a browser in which the user has just logged in. */
const administrator = Effect.fnUntraced(function* (environment: Environment, server: Server) {
  const file = join(yield* temporaryDirectory, "password")
  writeFileSync(file, password)
  yield* done(environment, "admin", "create-user", "--email", email, "--role", "Super Admin")
  yield* done(environment, "admin", "set-password", "--email", email, "--password-file", file)
  const { token } = yield* done(environment, "admin", "create-token", "--email", email, "--name", "laptop")
  const browser = visitor(`https://localhost:${server.port}`, readFileSync(server.certificateFile, "utf8"))
  yield* Effect.promise(async () => {
    await browser.post("/login", { email, password })
    const { seed } = await browser.post("/login/enrol", {})
    await browser.post("/login/confirm", { code: codeAt(String(seed), Date.now()) })
  })
  return { token: String(token), browser }
})

const pdfOf = (text: string) => `%PDF-1.7\n${text}\nstartxref\n0\n%%EOF\n`

/** Uploads a document of a card. Returns its id. */
const upload = Effect.fnUntraced(function* (server: Server, token: string, card: string, body: string) {
  const headers = { ...bearer(token), "content-type": "application/octet-stream" }
  const answer = yield* ask(server, `/openapi/v1/credentials/${card}/documents`, { method: "POST", headers, body })
  assert.strictEqual(answer.status, 201, answer.text)
  return String(JSON.parse(answer.text).data.id)
})

/** The longer values of a backup that are base64, decoded. */
const decodedIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[A-Za-z0-9+/]{40,}={0,2}/g) ?? []).map((value) => Buffer.from(value, "base64").toString("latin1"))

/** Plants a person in every kind of row that calls can write. Returns the ids of the worker and a card. */
const plant = Effect.fnUntraced(function* (server: Server, token: string) {
  const { id } = yield* dataOf(server, token, "/workers", {
    identity: { displayName: `${planted} Name`, lastName: planted, otherNames: [`${planted} Other`] },
    contact: { workEmail: `${planted}@example.org` },
    employment: { jobTitle: planted },
    source: { externalId: planted }
  })
  const applicant = yield* dataOf(server, token, "/applicants", { emailAddress: `${planted}@example.com` })
  const card = yield* dataOf(server, token, "/credentials", {
    attributes: {
      credentialType: "WWCC_VIC",
      identifier: `${planted} 12`,
      holder: { firstName: planted, lastName: planted, birthDate: "1987-06-05" },
      owners: { worker: id, applicant: applicant.id }
    }
  })
  const notice = { statusDetail: "VALID", issuedOn: "2026-01-31", reference: `${planted} letter` }
  yield* dataOf(server, token, `/credentials/${card.id}/notices`, notice)
  const reason = `${planted} is exempt`
  yield* dataOf(server, token, "/exemptions", { exemptionType: "MEDICAL", worker: { id }, reason })
  const message = `Dear ${planted}`
  const requestedCredentialTypes = ["FIRST_AID"]
  yield* dataOf(server, token, "/fetch-requests", { worker: { id }, requestedCredentialTypes, message })
  yield* upload(server, token, card.id, pdfOf(planted))
  assert.lengthOf(yield* dataOf(server, token, `/workers?query=${planted}`), 1)
  return { worker: String(id), card: String(card.id) }
})

/** A card of somebody else with two documents, one of which is deleted later, as is a note. */
const plantFiles = Effect.fnUntraced(function* (server: Server, token: string) {
  const { id: about } = yield* dataOf(server, token, "/workers", { identity: { displayName: "Bo Lee" } })
  const attributes = { credentialType: "WWCC_VIC", identifier: "00000000A-01", owners: { worker: about } }
  const { id: card } = yield* dataOf(server, token, "/credentials", { attributes })
  const kept = yield* upload(server, token, card, pdfOf("the card of Bo"))
  const gone = yield* upload(server, token, card, pdfOf("of another person"))
  const { id: note } = yield* dataOf(server, token, "/notes", { about, text: "A rumour" })
  return { about, card, kept, gone, note }
})

type Files = Effect.Success<ReturnType<typeof plantFiles>>

/** Deletes a document and a note for good. */
const deleteFiles = Effect.fnUntraced(function* (server: Server, token: string, { card, gone, note }: Files) {
  for (const path of [`/credentials/${card}/documents/${gone}?reason=PERSON_ASKED`, `/notes/${note}`]) {
    const answer = yield* ask(server, `/openapi/v1${path}`, { method: "DELETE", headers: bearer(token) })
    assert.strictEqual(answer.status, 204, answer.text)
  }
})

/** The files of another person in a restored store: one opens, and what was deleted since the backup stays deleted. */
const requireFiles = Effect.fnUntraced(function* (server: Server, token: string, files: Files) {
  const { about, card, gone, kept } = files
  const path = `/credentials/${card}/documents`
  assert.strictEqual((yield* call(server, token, `${path}/${kept}`)).text, pdfOf("the card of Bo"))
  assert.strictEqual((yield* call(server, token, `${path}/${gone}`)).status, 404)
  const { deleted, documents } = yield* dataOf(server, token, path)
  assert.lengthOf(documents, 1)
  assert.deepInclude(deleted[0], { id: gone, reason: "PERSON_ASKED" })
  const [[ofDocument], [ofCard]] = yield* Effect.all([
    dataOf(server, token, `/audit-events?entityId=${gone}&action=delete`),
    dataOf(server, token, `/audit-events?entityId=${card}&action=deleteDocument`)
  ])
  assert.strictEqual(ofCard.requestId, ofDocument.requestId)
  assert.strictEqual(ofDocument.bearer.kind, "personal")
  assert.deepStrictEqual(yield* dataOf(server, token, `/notes?about=${about}`), [])
})

const has = (text: string): boolean => text.toLowerCase().includes(planted.toLowerCase())

/** The whole log of a store, sealed and verified. */
const verified = (environment: Environment) =>
  Effect.repeat(
    Effect.map(
      done(environment, "audit", "verify"),
      ({ tenants }): ReadonlyArray<{ readonly unsealed: number }> => tenants
    ),
    { schedule: Schedule.spaced("100 millis"), until: (tenants) => tenants.every(({ unsealed }) => unsealed === 0) }
  )

const backup = Effect.fnUntraced(function* (environment: Environment) {
  const file = join(yield* temporaryDirectory, "backup")
  yield* done(environment, "backup", file)
  return { file, text: gunzipSync(readFileSync(file)).toString("utf8") }
})

describe("threats 61 and 89: after an erasure and a deletion", () => {
  for (const engine of engines) {
    it.live(
      `the store, a new backup and the logs have nothing of the person, also after an old backup is restored, on ${engine}`,
      () =>
        Effect.gen(function* () {
          const environment = yield* place(engine)
          const server = yield* serving(environment)
          const { browser, token } = yield* administrator(environment, server)
          const { card, worker } = yield* plant(server, token)
          const files = yield* plantFiles(server, token)
          const old = yield* backup(environment)
          assert.isTrue(has(old.text), "the planted values are in a backup")
          const contents = decodedIn(old.text)
          assert.isTrue(
            contents.some(({ length }) => length === pdfOf(planted).length + 16),
            "a document with its authentication code is in a backup"
          )
          assert.isFalse(
            contents.some((content) => content.includes("%PDF")),
            "but not without the master key"
          )
          yield* deleteFiles(server, token, files)
          const { data } = yield* Effect.promise(() =>
            browser.call("POST", `/workers/${worker}/erase`, { reason: "PERSON_ASKED" })
          )
          assert.include(data, { id: worker, status: "ERASED" })
          assert.strictEqual((yield* call(server, token, `/workers/${worker}`)).status, 404)
          assert.isFalse(has((yield* backup(environment)).text), "a backup has every row of the store")
          yield* verified(environment)
          const list = join(yield* temporaryDirectory, "erasures")
          const later = yield* done(environment, "erasures", `${list}.later`, "--since", "2099-01-01")
          assert.deepInclude(later, { erasures: 1, deletions: 0 })
          assert.deepInclude(yield* done(environment, "erasures", list), { erasures: 1, deletions: 2 })
          assert.isFalse(has(readFileSync(list, "utf8")))
          const { stderr } = yield* stopped(server)
          assert.include(stderr, "serving")
          assert.isFalse(has(stderr), "the log")
          if (engine === "SQLite") {
            const data = environment["WCS_DATA"] ?? ""
            for (const name of readdirSync(data).filter((file) => file.startsWith("wcs.sqlite"))) {
              assert.isFalse(has(readFileSync(join(data, name), "latin1")), `the bytes of ${name}`)
            }
          }

          const restored = yield* place(engine, environment)
          const repeated = { erasures: 1, deletions: 2 }
          assert.include(yield* done(restored, "restore", old.file, "--erasures", list), repeated)
          const again = yield* serving(restored)
          yield* requireFiles(again, token, files)
          const status = Effect.map(dataOf(again, token, "/erasures"), ([erasure]): unknown => erasure?.status)
          yield* Effect.repeat(status, { schedule: Schedule.spaced("1 second"), until: (one) => one === "ERASED" })
          assert.isFalse(has((yield* backup(restored)).text), "a backup of the restored store")
          const { attributes } = yield* dataOf(again, token, `/credentials/${card}?includeDeleted=true`)
          assert.strictEqual(attributes.credentialType, "WWCC_VIC")
          yield* verified(restored)
          yield* stopped(again)
        })
    )
  }

  it.live(
    "threat 62: a list that was altered, or that has another master key, is refused and nothing is restored",
    () =>
      Effect.gen(function* () {
        const environment = yield* place("SQLite")
        yield* stopped(yield* serving(environment))
        const { file } = yield* backup(environment)
        const list = join(yield* temporaryDirectory, "erasures")
        yield* done(environment, "erasures", list)
        const text = readFileSync(list, "utf8")

        // control: a list of the first form, which has no deletions, is accepted
        const { deletions: _, ...first } = { ...JSON.parse(text), form: "wcs erasures 1" }
        const keyText = readFileSync(join(environment["WCS_DATA"] ?? "", "master.key"), "utf8")
        const [key] = listKeysOf(yield* Effect.fromResult(MasterKey.fromText(keyText)))
        const code = key.begin()
        code.add(JSON.stringify([first.writtenAt, first.erasures]))
        writeFileSync(list, JSON.stringify({ ...first, code: code.end() }))
        const old = yield* place("SQLite", environment)
        assert.include(yield* done(old, "restore", file, "--erasures", list), { erasures: 0, deletions: 0 })

        const erasure = '{"tenantId":"t","workerId":"w","reason":"OTHER","account":"a","requestId":"r","requestedAt":1}'
        const deletion =
          '{"tenantId":"t","auditId":"a","account":"a","bearer":null,"requestId":"r","deletedAt":1,"action":"delete",' +
          '"entityType":"note","entityId":"n","reason":null}'
        for (const [name, row] of [
          ["erasures", erasure],
          ["deletions", deletion]
        ]) {
          const forged = text.replace(`"${name}":[]`, `"${name}":[${row}]`)
          assert.notStrictEqual(forged, text)
          writeFileSync(list, forged)
          const refused = yield* inProcess(
            ["restore", file, "--erasures", list, "--json"],
            yield* place("SQLite", environment)
          )
          assert.strictEqual(refused.code, 2, refused.stderr)
          assert.include(refused.stderr, "was altered")
        }
      })
  )
})
