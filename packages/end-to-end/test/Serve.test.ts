import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { connect } from "node:net"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  ask,
  askPlainly,
  bearer,
  type Ended,
  type Reply,
  replyOf,
  type Server,
  serving,
  temporaryDirectory,
  wcs
} from "./Process.ts"

/** A data directory that does not exist yet. */
const newDirectory = Effect.map(temporaryDirectory, (path) => join(path, "data"))

const modeOf = (path: string) => statSync(path).mode & 0o777

/** Asserts exit code 2, one sentence on standard error and nothing on standard output. */
const assertRefused = ({ code, stderr, stdout }: Ended, sentence: RegExp) => {
  assert.deepStrictEqual([code, stdout], [2, ""])
  assert.match(stderr, /^wcs: [^\n]+\.\n$/)
  assert.match(stderr, sentence)
}

const serve = (environment: Readonly<Record<string, string>>) =>
  wcs(["serve"], { WCS_PORT: "0", WCS_ADMIN_PORT: "0", ...environment })

/** A server whose first run wrote an admin token. */
const withAdmin = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>> = {}) {
  const directory = yield* newDirectory
  const file = `${directory}.token`
  const bootstrap = { WCS_DATA: directory, WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: file }
  const server = yield* serving({ ...bootstrap, ...environment })
  return { directory, server, environment: { ...bootstrap, ...environment }, token: readFileSync(file, "utf8").trim() }
})

const workersPath = "/openapi/v1/workers"
const worker = (externalId: string) => JSON.stringify({ identity: { displayName: "Ann" }, source: { externalId } })

const createWorker = (server: Server, token: string, externalId: string) =>
  ask(server, workersPath, {
    method: "POST",
    headers: { ...bearer(token), "content-type": "application/json" },
    body: worker(externalId)
  })

const found = (server: Server, token: string, externalId: string) =>
  Effect.map(
    ask(server, `${workersPath}?externalId=${externalId}`, { headers: bearer(token) }),
    ({ text }): number => JSON.parse(text).data.length
  )

const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

/** Whether the port accepts connections. */
const accepts = (port: number) =>
  Effect.promise(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, "127.0.0.1")
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
        socket.once("connect", () => socket.destroy())
      })
  )

/** A request that waits to send its body. `send` sends the body and waits for the response. */
const inFlight = ({ certificateFile, port }: Server, token: string, body: string) =>
  Effect.promise(
    () =>
      new Promise<{ readonly send: Effect.Effect<Reply> }>((resolve, reject) => {
        const headers = { ...bearer(token), expect: "100-continue", "content-type": "application/json" }
        const length = { "content-length": String(Buffer.byteLength(body)) }
        const url = `https://localhost:${port}${workersPath}`
        const options = { method: "POST", headers: { ...headers, ...length }, ca: readFileSync(certificateFile) }
        const asking = request(url, options)
        const answered = new Promise<Reply>((answer, fail) => {
          asking.once("response", (response) => replyOf(response).then(answer, fail)).once("error", fail)
        })
        answered.catch(reject)
        asking.once("continue", () =>
          resolve({
            send: Effect.promise(() => {
              asking.end(body)
              return answered
            })
          })
        )
        asking.flushHeaders()
      })
  )

describe("wcs serve", () => {
  it.live("creates the directory with mode 0700 and files with mode 0600 in a first run, and prints no secret", () =>
    Effect.gen(function* () {
      const directory = yield* newDirectory
      const clientFile = `${directory}.client.json`
      const { server, token } = yield* withAdmin({ WCS_DATA: directory, WCS_CLIENT_FILE: clientFile })
      assert.strictEqual(modeOf(directory), 0o700)
      const names = readdirSync(directory)
      assert.includeMembers(names, ["admin.sock", "master.key", "tls-cert.pem", "tls-key.pem", "wcs.sqlite"])
      for (const name of names) assert.strictEqual(modeOf(join(directory, name)), 0o600, name)
      assert.strictEqual(modeOf(clientFile), 0o600)
      const { clientSecret } = JSON.parse(readFileSync(clientFile, "utf8"))
      assert.isNull(server.setUpUrl)
      assert.strictEqual((yield* ask(server, workersPath, { headers: bearer(token) })).status, 200)
      server.signal("SIGTERM")
      const { code, stderr, stdout } = yield* server.ended
      assert.strictEqual(code, 0)
      for (const secret of [token, clientSecret]) assert.notInclude(stdout + stderr, secret)
    })
  )

  it.live("threat 33: prints a set-up address for one admin, and never another one", () =>
    Effect.gen(function* () {
      const directory = yield* newDirectory
      const server = yield* serving({ WCS_DATA: directory })
      const path = new URL(server.setUpUrl ?? "").pathname
      const post = { method: "POST", body: "email=ann@example.com" }
      const made = yield* ask(server, path, post)
      assert.strictEqual(made.status, 201)
      const { token } = JSON.parse(made.text)
      assert.strictEqual((yield* ask(server, workersPath, { headers: bearer(token) })).status, 200)
      assert.strictEqual((yield* ask(server, path, post)).status, 404)
      server.signal("SIGTERM")
      assert.strictEqual((yield* server.ended).code, 0)
      const again = yield* serving({ WCS_DATA: directory })
      assert.isNull(again.setUpUrl)
      assert.strictEqual((yield* ask(again, path, post)).status, 404)
      assert.strictEqual((yield* ask(again, workersPath, { headers: bearer(token) })).status, 200)
    })
  )

  it.live("threat 35: refuses a second server on the same data directory in one sentence; the first continues", () =>
    Effect.gen(function* () {
      const { directory, server, token } = yield* withAdmin()
      assertRefused(
        yield* serve({ WCS_DATA: directory }),
        /is in use by another process: stop that process, or set WCS_DATA/
      )
      assert.strictEqual((yield* createWorker(server, token, "first")).status, 201)
    })
  )

  it.live(
    "accepts nothing more after SIGTERM, finishes requests in flight, exits with 0 and loses no acknowledged write",
    () =>
      Effect.gen(function* () {
        const { environment, server, token } = yield* withAdmin()
        // Connections without bytes or requests do not delay the stop.
        const silent = connect(server.port, "127.0.0.1").on("error", () => {})
        const idle = connectTls({ port: server.port, host: "127.0.0.1", ca: readFileSync(server.certificateFile) })
        yield* Effect.promise(() => new Promise((resolve) => idle.on("error", () => {}).once("secureConnect", resolve)))
        const { send } = yield* inFlight(server, token, worker("in-flight"))
        server.signal("SIGTERM")
        yield* Effect.repeat(accepts(server.port), { while: (isOpen) => isOpen })
        assert.strictEqual((yield* askPlainly(server.adminPort, "/readyz")).status, 503)
        assert.strictEqual((yield* askPlainly(server.adminPort, "/livez")).status, 200)
        const reply = yield* send
        assert.strictEqual(reply.status, 201)
        assert.strictEqual(reply.headers.connection, "close")
        const { code, stdout } = yield* server.ended
        assert.strictEqual(code, 0)
        assert.lengthOf(stdout.trim().split("\n"), 1)
        silent.destroy()
        const again = yield* serving(environment)
        assert.strictEqual(yield* found(again, token, "in-flight"), 1)
      })
  )

  it.live("keeps acknowledged writes after kill -9, and starts again despite leftover files", () =>
    Effect.gen(function* () {
      const { directory, environment, server, token } = yield* withAdmin()
      assert.strictEqual((yield* createWorker(server, token, "kept")).status, 201)
      server.signal("SIGKILL")
      yield* server.ended
      assert.isTrue(existsSync(join(directory, "admin.sock")))
      const again = yield* serving(environment)
      assert.strictEqual(yield* found(again, token, "kept"), 1)
      assert.strictEqual((yield* wcs(["admin", "list-tenants", "--json"], environment)).code, 0)
    })
  )

  it.live("threat 34: refuses another master key in one sentence and changes nothing", () =>
    Effect.gen(function* () {
      const { directory, environment, server, token } = yield* withAdmin()
      assert.strictEqual((yield* createWorker(server, token, "kept")).status, 201)
      server.signal("SIGINT")
      assert.strictEqual((yield* server.ended).code, 0)
      const keyFile = join(directory, "master.key")
      const key = readFileSync(keyFile)
      const before = digest(join(directory, "wcs.sqlite"))
      writeFileSync(keyFile, randomBytes(32).toString("hex"))
      assertRefused(yield* serve(environment), /master key/)
      assert.strictEqual(digest(join(directory, "wcs.sqlite")), before)
      writeFileSync(keyFile, key)
      const again = yield* serving(environment)
      assert.strictEqual(yield* found(again, token, "kept"), 1)
    })
  )

  it.live("refuses a damaged or invalid store in one sentence and changes nothing", () =>
    Effect.gen(function* () {
      const { directory, environment, server } = yield* withAdmin()
      server.signal("SIGTERM")
      yield* server.ended
      const store = join(directory, "wcs.sqlite")
      writeFileSync(
        store,
        "this is no database, and it is longer than a header of one hundred bytes would be".repeat(9)
      )
      const before = digest(store)
      assertRefused(yield* serve(environment), /wcs\.sqlite/)
      assert.strictEqual(digest(store), before)
    })
  )

  it.live("refuses an invalid setting in one sentence or JSON and creates nothing", () =>
    Effect.gen(function* () {
      const directory = yield* newDirectory
      const table: ReadonlyArray<readonly [environment: Readonly<Record<string, string>>, sentence: RegExp]> = [
        [{ WCS_PORT: "eighty" }, /WCS_PORT must be a port number from 0 to 65535, but is "eighty"\.$/m],
        [{ WCS_TLS: "proxy" }, /WCS_TRUSTED_PROXIES must be set/],
        [{ WCS_LOG_LEVEL: "loud" }, /WCS_LOG_LEVEL must be debug, info, warn or error/]
      ]
      for (const [environment, sentence] of table) {
        assertRefused(yield* serve({ WCS_DATA: directory, ...environment }), sentence)
      }
      const { code, stderr, stdout } = yield* wcs(["serve", "--json"], { WCS_DATA: directory, WCS_RATE_STANDARD: "0" })
      assert.deepStrictEqual([code, stdout, JSON.parse(stderr).error.code], [2, "", "REFUSED"])
      assert.isFalse(existsSync(directory))
    })
  )

  it.live("refuses an accessible directory and conflicting files in one sentence", () =>
    Effect.gen(function* () {
      const directory = yield* newDirectory
      mkdirSync(directory, { mode: 0o755 })
      writeFileSync(join(directory, "letter"), "mine")
      assertRefused(
        yield* serve({ WCS_DATA: directory }),
        /is accessible to other users of this machine \(mode 0755, .*; run chmod 700/
      )
      assert.deepStrictEqual(readdirSync(directory), ["letter"])
      const other = yield* newDirectory
      const taken = `${other}.client.json`
      writeFileSync(taken, "mine")
      const { code, stderr } = yield* serve({ WCS_DATA: other, WCS_CLIENT_FILE: taken })
      assert.strictEqual(code, 2)
      assert.match(
        stderr,
        /^wcs: WCS_CLIENT_FILE must be the path of a file that does not exist yet, but \S+ exists\.$/m
      )
      assert.strictEqual(readFileSync(taken, "utf8"), "mine")
    })
  )
})
