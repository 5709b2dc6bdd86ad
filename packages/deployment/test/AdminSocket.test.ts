import { writeFileSync } from "node:fs"
import { type RequestOptions, request as requestOver } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it, layer } from "@effect/vitest"
import * as AdminClient from "@wcs/admin/AdminClient"
import { commandBytesMax } from "@wcs/admin/CommandSize"
import { Serving } from "@wcs/deployment/Serving"
import { DataDirectory } from "@wcs/deployment/stores/DataDirectory"
import { Effect } from "effect"
import { temporaryDirectory } from "./Temporary.ts"
import { server } from "./TestServer.ts"

type Work<A, E> = (client: AdminClient.AdminClient) => Effect.Effect<A, E>

/** Runs an administrator's command through a socket. */
const through = <A, E>(socketPath: string, work: Work<A, E>) =>
  AdminClient.make.pipe(
    Effect.flatMap(work),
    Effect.provide(NodeHttpClient.layerNodeHttpOptions({ socketPath }), { local: true })
  )

/** Runs an administrator's command on the server. */
const admin = <A, E>(work: Work<A, E>) => DataDirectory.use(({ socketFile }) => through(socketFile, work))

type Refusal = Effect.Error<ReturnType<AdminClient.AdminClient["listTenants"]>>

const told = (error: Refusal) => (error._tag === "AdminRefused" ? `${error.code}: ${error.message}` : error._tag)

const refusal = (work: Work<unknown, Refusal>) => Effect.map(Effect.flip(admin(work)), told)

/** Sends a request to the socket. */
const request = (options: RequestOptions, body = "") =>
  Effect.promise(
    () =>
      new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
        const sent = requestOver(options, async (response) =>
          resolve({ status: response.statusCode, body: await text(response) })
        )
        sent.on("error", reject).end(body)
      })
  )

const post = (socketPath: string, path: string, body: string, type = "application/json") =>
  request({ socketPath, method: "POST", path, headers: { "content-type": type } }, body)

/** Sends raw bytes to the socket. Returns the response when the socket closes. */
const send = (path: string, bytes: string, staysOpen = false) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const socket = connect(path)
        let answer = ""
        socket.setEncoding("utf8").on("data", (chunk: string) => {
          answer += chunk
        })
        socket.on("error", () => {}).on("close", () => resolve(answer))
        if (staysOpen) socket.write(bytes)
        else socket.end(bytes)
      })
  )

const user = (email: string) =>
  admin((client) => client.createUser({ payload: { tenant: null, email, role: "Super Admin" } }))
const token = (email: string, lifetimeSeconds: number | null = null) =>
  admin((client) => client.createToken({ payload: { tenant: null, email, name: "test", lifetimeSeconds } }))

layer(server({}), { excludeTestServices: true })("the administrator's socket", (it) => {
  it.effect("describes the running server: its addresses and its effective settings", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const { path } = yield* DataDirectory
      const described = yield* admin((client) => client.describeServer())
      assert.notStrictEqual(port, 0)
      assert.deepStrictEqual(described, {
        host: "127.0.0.1",
        port,
        plainPort: null,
        tls: "SelfSigned",
        certificateFile: join(path, "tls-cert.pem"),
        tokenLifetimeSeconds: 3600,
        legacyTokenLifetimeSeconds: 30 * 24 * 3600,
        deliversToLoopback: false
      })
    })
  )

  // Values that the command line refuses before it sends them.
  it.effect("refuses a rate limit, a lifetime and hosts that are out of range", () =>
    Effect.gen(function* () {
      yield* user("there@example.com")
      const slow = { tenant: null, email: "new@example.com", role: "Viewer" } as const
      const range = "rateLimit must be 1 to 1000000 calls in a window of 1 to 3600 seconds, or null"
      for (const rateLimit of [
        { calls: 0, windowSeconds: 1 },
        { calls: 1, windowSeconds: 3601 }
      ]) {
        const sent = refusal((client) => client.createUser({ payload: { ...slow, rateLimit } }))
        assert.strictEqual(yield* sent, `INVALID_ARGUMENT: ${range}`)
      }
      for (const seconds of [0, -1, 1.5, 86_399_913_600]) {
        const sent = Effect.map(Effect.flip(token("there@example.com", seconds)), told)
        assert.match(yield* sent, /^INVALID_ARGUMENT: lifetimeSeconds must be a whole number of seconds from 1 to/)
      }
      const empty = refusal((client) => client.createTenant({ payload: { name: "b", hosts: [] } }))
      assert.match(yield* empty, /^INVALID_ARGUMENT: hosts must be/)
    })
  )

  it.effect("refuses requests that are not commands, and still works", () =>
    Effect.gen(function* () {
      const { socketFile } = yield* DataDirectory
      const invalid = [400, "INVALID_ARGUMENT"]
      const unknown = [404, "NOT_FOUND"]
      const table: ReadonlyArray<readonly [ReturnType<typeof request>, ReadonlyArray<unknown>]> = [
        ...["nonsense", "", "{}", "null", '{"tenant":null,"id":5}'].map(
          (body) => [post(socketFile, "/revokeToken", body), invalid] as const
        ),
        [post(socketFile, "/dropEverything", "{}"), unknown],
        [request({ socketPath: socketFile, path: "/revokeToken" }), unknown],
        [post(socketFile, "/listTenants", "{}"), unknown],
        [post(socketFile, "/createClient", `"${"x".repeat(commandBytesMax)}"`), [413, "PAYLOAD_TOO_LARGE"]]
      ]
      for (const [sent, expected] of table) {
        const { body, status } = yield* sent
        const { _tag, code } = JSON.parse(body)
        assert.deepStrictEqual([_tag, status, code], ["AdminRefused", ...expected])
      }
      const form = yield* post(socketFile, "/listTokens", "tenant=", "application/x-www-form-urlencoded")
      assert.strictEqual(form.status, 415)
      assert.match(yield* send(socketFile, "nonsense\n"), /^HTTP\/1.1 400 /)
      assert.match(yield* send(socketFile, `GET /${"x".repeat(100_000)} HTTP/1.1\r\n`), /^HTTP\/1.1 431 /)
      yield* admin((client) => client.listTenants())
    })
  )

  it.effect("ends a connection that sends its request too slowly", () =>
    Effect.gen(function* () {
      const { socketFile } = yield* DataDirectory
      assert.match(yield* send(socketFile, "POST /createTenant HTTP/1.1\r\nhost: admin\r\n", true), /^HTTP\/1.1 408 /)
    })
  )
})

describe("a command without a server", () => {
  it.live("finds nobody, whether the socket is missing or left by a dead server", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "admin.sock")
      const failure = Effect.flip(through(path, (client) => client.listTenants()))
      assert.isTrue(AdminClient.isNobody(yield* failure))
      writeFileSync(path, "no socket")
      assert.isTrue(AdminClient.isNobody(yield* failure))
    })
  )
})
