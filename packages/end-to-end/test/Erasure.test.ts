import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { codeAt } from "@wcs/end-to-end/Totp"
import { visitor } from "@wcs/end-to-end/Visitor"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted, Schedule, type Scope } from "effect"
import { call, dataOf, done, stopped } from "./Calls.ts"
import { inProcess } from "./InProcess.ts"
import { type Environment, type Server, serving, temporaryDirectory } from "./Process.ts"

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
  assert.lengthOf(yield* dataOf(server, token, `/workers?query=${planted}`), 1)
  return { worker: String(id), card: String(card.id) }
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

describe("threat 61: after an erasure", () => {
  for (const engine of engines) {
    it.live(
      `the store, a new backup and the logs have nothing of the person, also after an old backup is restored, on ${engine}`,
      () =>
        Effect.gen(function* () {
          const environment = yield* place(engine)
          const server = yield* serving(environment)
          const { browser, token } = yield* administrator(environment, server)
          const { card, worker } = yield* plant(server, token)
          const old = yield* backup(environment)
          assert.isTrue(has(old.text), "the planted values are in a backup")
          const { data } = yield* Effect.promise(() =>
            browser.call("POST", `/workers/${worker}/erase`, { reason: "PERSON_ASKED" })
          )
          assert.include(data, { id: worker, status: "ERASED" })
          assert.strictEqual((yield* call(server, token, `/workers/${worker}`)).status, 404)
          assert.isFalse(has((yield* backup(environment)).text), "a backup has every row of the store")
          yield* verified(environment)
          const list = join(yield* temporaryDirectory, "erasures")
          assert.deepInclude(yield* done(environment, "erasures", list), { erasures: 1 })
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
          assert.include(yield* done(restored, "restore", old.file, "--erasures", list), { erasures: 1 })
          const again = yield* serving(restored)
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
        const reason = '"reason":"OTHER","account":"a","requestId":"r","requestedAt":1'
        const forged = text.replace("[]", `[{"tenantId":"t","workerId":"w",${reason}}]`)
        assert.notStrictEqual(forged, text)
        writeFileSync(list, forged)
        const refused = yield* inProcess(
          ["restore", file, "--erasures", list, "--json"],
          yield* place("SQLite", environment)
        )
        assert.strictEqual(refused.code, 2, refused.stderr)
        assert.include(refused.stderr, "was altered")
      })
  )
})
