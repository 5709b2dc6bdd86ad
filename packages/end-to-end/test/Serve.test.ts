import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { request } from "node:https"
import { connect } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, statusOf, stopped, withAdmin } from "./Calls.ts"
import {
  ask,
  askPlainly,
  bearer,
  type Reply,
  replyOf,
  run,
  type Server,
  serving,
  temporaryDirectory,
  wcs
} from "./Process.ts"

const modeOf = (path: string) => statSync(path).mode & 0o777

const workersPath = "/openapi/v1/workers"
const worker = JSON.stringify({ identity: { displayName: "Ann" }, source: { externalId: "in-flight" } })

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

/** Sends SIGTERM to the process when it starts to load its modules. */
const signalWhileLoading = `import { registerHooks } from "node:module"
registerHooks({ load: (url, context, next) => {
  if (url.endsWith("/Program.ts")) process.kill(process.pid, "SIGTERM")
  return next(url, context)
} })`

const program = fileURLToPath(new URL("../../../apps/wcs/src/main.ts", import.meta.url))

describe("wcs serve", () => {
  it.live("creates the directory with mode 0700 and files with mode 0600 in a first run, and prints no secret", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const [directory, clientFile] = [join(home, "data"), join(home, "client.json")]
      const { server, token } = yield* withAdmin({ WCS_DATA: directory, WCS_CLIENT_FILE: clientFile })
      assert.strictEqual(modeOf(directory), 0o700)
      const names = readdirSync(directory)
      assert.includeMembers(names, ["admin.sock", "master.key", "tls-cert.pem", "tls-key.pem", "wcs.sqlite"])
      for (const name of names) assert.strictEqual(modeOf(join(directory, name)), 0o600, name)
      assert.strictEqual(modeOf(clientFile), 0o600)
      const { clientSecret } = JSON.parse(readFileSync(clientFile, "utf8"))
      assert.isNull(server.setUpUrl)
      assert.strictEqual(yield* statusOf(server, token), 200)
      const { stderr, stdout } = yield* stopped(server)
      for (const secret of [token, clientSecret]) assert.notInclude(stdout + stderr, secret)
    })
  )

  it.live("threat 33: prints a set-up address for one admin, and never another one", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "data")
      const server = yield* serving({ WCS_DATA: directory })
      const path = new URL(server.setUpUrl ?? "").pathname
      const post = { method: "POST", body: "email=ann@example.com" }
      const made = yield* ask(server, path, post)
      assert.strictEqual(made.status, 201)
      const { token } = JSON.parse(made.text)
      assert.strictEqual(yield* statusOf(server, token), 200)
      assert.strictEqual((yield* ask(server, path, post)).status, 404)
      yield* stopped(server)
      const again = yield* serving({ WCS_DATA: directory })
      assert.isNull(again.setUpUrl)
      assert.strictEqual((yield* ask(again, path, post)).status, 404)
      assert.strictEqual(yield* statusOf(again, token), 200)
    })
  )

  it.live(
    "accepts nothing more after SIGTERM, finishes requests in flight, exits with 0 and loses no acknowledged write",
    () =>
      Effect.gen(function* () {
        const { environment, server, token } = yield* withAdmin()
        const { send } = yield* inFlight(server, token, worker)
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
        const again = yield* serving(environment)
        assert.lengthOf(yield* dataOf(again, token, "/workers?externalId=in-flight"), 1)
      })
  )

  it.live("shuts down cleanly after SIGTERM while it loads its modules, as required for process 1", () =>
    Effect.gen(function* () {
      // the sources, because the bundle has no Program.ts
      const { code } = yield* run(process.execPath, [program, "serve"], {
        WCS_DATA: join(yield* temporaryDirectory, "data"),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(signalWhileLoading)}`
      })
      assert.strictEqual(code, 0)
    })
  )

  it.live("refuses an invalid setting in one sentence or JSON and creates nothing", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "data")
      const invalid = { WCS_DATA: directory, WCS_PORT: "eighty" }
      const sentence = 'WCS_PORT must be a port number from 0 to 65535, but is "eighty".'
      assert.deepStrictEqual(yield* wcs(["serve"], invalid), { code: 2, stdout: "", stderr: `wcs: ${sentence}\n` })
      const { code, stderr, stdout } = yield* wcs(["serve", "--json"], invalid)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.deepStrictEqual(JSON.parse(stderr), { error: { code: "REFUSED", message: sentence } })
      assert.isFalse(existsSync(directory))
    })
  )
})
