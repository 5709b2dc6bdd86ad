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
import { Effect, Redacted } from "effect"
import { temporaryDirectory } from "./Temporary.ts"
import { bearer, call, server } from "./TestServer.ts"

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

const refusal = (work: Work<unknown, Refusal>) =>
  Effect.map(Effect.flip(admin(work)), (error) =>
    error._tag === "AdminRefused" ? `${error.code}: ${error.message}` : error._tag
  )

const statusWith = (token: Redacted.Redacted, host = "localhost") =>
  Effect.map(
    call("/openapi/v1/workers", { headers: { ...bearer(Redacted.value(token)), host } }),
    ({ status }) => status
  )

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
  it.effect("lists what exists, without secrets", () =>
    Effect.gen(function* () {
      yield* user("lists@example.com")
      const made = yield* token("lists@example.com", 60)
      const client = yield* admin((client) => client.createClient({ payload: { tenant: null, name: "lists" } }))
      const { socketFile } = yield* DataDirectory
      const tokens = yield* post(socketFile, "/listTokens", '{"tenant":null}')
      const clients = yield* post(socketFile, "/listClients", '{"tenant":null}')
      const lists = tokens.body + clients.body
      assert.include(lists, made.id)
      assert.include(lists, made.expiresAt ?? "none")
      assert.include(lists, client.clientId)
      assert.notInclude(lists, Redacted.value(made.token))
      assert.notInclude(lists, Redacted.value(client.clientSecret))
      assert.notInclude(lists, "Hash")
    })
  )

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

  it.effect("refuses invalid commands in one sentence", () =>
    Effect.gen(function* () {
      yield* user("there@example.com")
      const table: ReadonlyArray<readonly [Work<unknown, Refusal>, RegExp]> = [
        [
          (client) => client.createUser({ payload: { tenant: null, email: "nobody", role: "Viewer" } }),
          /^INVALID_ARGUMENT: email must be/
        ],
        [
          (client) => client.createUser({ payload: { tenant: null, email: "There@example.com", role: "Viewer" } }),
          /^DUPLICATE_ID: a/
        ],
        ...[
          { calls: 0, windowSeconds: 1 },
          { calls: 1, windowSeconds: 3601 }
        ].map((rateLimit): readonly [Work<unknown, Refusal>, RegExp] => [
          (client) =>
            client.createUser({ payload: { tenant: null, email: "new@example.com", role: "Viewer", rateLimit } }),
          /^INVALID_ARGUMENT: rateLimit must be 1 to 1000000 calls in a window of 1 to 3600 seconds, or null$/
        ]),
        [
          (client) => client.createClient({ payload: { tenant: null, name: " " } }),
          /^INVALID_ARGUMENT: name must not be empty/
        ],
        [
          (client) => client.createTenant({ payload: { name: "b", hosts: ["localhost"] } }),
          /^DUPLICATE_ID: the host localhost belongs to another tenant; list-hosts names it$/
        ],
        [(client) => client.createTenant({ payload: { name: "b", hosts: [] } }), /^INVALID_ARGUMENT: hosts must be/],
        [
          (client) => client.addHost({ payload: { tenant: null, host: "a b" } }),
          /^INVALID_ARGUMENT: host a b is not a valid host name$/
        ],
        [
          (client) => client.removeHost({ payload: { tenant: null, host: "none.example" } }),
          /^INVALID_ARGUMENT: host none\.example is not a host of the tenant; list-hosts shows the hosts of every tenant$/
        ],
        [
          (client) => client.createTenant({ payload: { name: "b", hosts: ["https://x"] } }),
          /^INVALID_ARGUMENT: hosts /
        ],
        ...[0, -1, 1.5, 86_399_913_600].map((lifetimeSeconds): readonly [Work<unknown, Refusal>, RegExp] => [
          (client) =>
            client.createToken({ payload: { tenant: null, email: "there@example.com", name: "x", lifetimeSeconds } }),
          /^INVALID_ARGUMENT: lifetimeSeconds must be a whole number of seconds from 1 to \d+, or none$/
        ]),
        [
          (client) => client.revokeToken({ payload: { tenant: null, id: "pat_none" } }),
          /^NOT_FOUND: there is no token pat_none$/
        ],
        [
          (client) => client.revokeClient({ payload: { tenant: null, clientId: "none" } }),
          /^NOT_FOUND: there is no client none$/
        ],
        [
          (client) => client.retryDeadLetters({ payload: { tenant: null, eventId: "evt_1" } }),
          /^NOT_FOUND: there is no retryable event evt_1$/
        ],
        ...[0, 1.5, 1001].map((limit): readonly [Work<unknown, Refusal>, RegExp] => [
          (client) => client.listDeadLetters({ payload: { tenant: null, limit } }),
          /^INVALID_ARGUMENT: limit must be a whole number from 1 to 1000$/
        ]),
        [
          (client) => client.listDeadLetters({ payload: { tenant: "other", limit: 1 } }),
          /^NOT_FOUND: there is no tenant other; the tenants are default/
        ],
        [
          (client) => client.listTokens({ payload: { tenant: "other" } }),
          /^NOT_FOUND: there is no tenant other; the tenants are default \(tnt_/
        ],
        [
          (client) =>
            client.createToken({
              payload: { tenant: null, email: "none@example.com", name: "x", lifetimeSeconds: null }
            }),
          /^NOT_FOUND: there is no user none@example\.com$/
        ]
      ]
      for (const [command, expected] of table) assert.match(yield* refusal(command), expected)
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

layer(server({}), { excludeTestServices: true })("the tenant of an administrator's command", (it) => {
  it.effect("need not be given if there is one tenant, and must be given by name or id if there are several", () =>
    Effect.gen(function* () {
      const first = yield* admin((client) => client.createClient({ payload: { tenant: null, name: "only" } }))
      const second = yield* admin((client) =>
        client.createTenant({ payload: { name: "second", hosts: ["second.example"] } })
      )
      assert.match(
        yield* refusal((client) => client.listClients({ payload: { tenant: null } })),
        /the deployment has 2 tenants: select one with --tenant NAME: default \(/
      )
      const clientsOf = (tenant: string) =>
        Effect.map(
          admin((client) => client.listClients({ payload: { tenant } })),
          (result) => JSON.stringify(result.clients)
        )
      assert.include(yield* clientsOf("default"), first.clientId)
      assert.strictEqual(yield* clientsOf("second"), "[]")
      assert.strictEqual(yield* clientsOf(second.id), "[]")
      yield* admin((client) => client.createTenant({ payload: { name: "second", hosts: ["third.example"] } }))
      assert.match(
        yield* refusal((client) => client.listClients({ payload: { tenant: "second" } })),
        /several tenants have the name second/
      )
    })
  )

  it.effect("issues tokens that only the hosts of this tenant accept", () =>
    Effect.gen(function* () {
      const made = yield* admin((client) => client.createTenant({ payload: { name: "acme", hosts: ["acme.example"] } }))
      const tenant = made.id
      yield* admin((client) =>
        client.createUser({ payload: { tenant, email: "ann@acme.example", role: ["worker:READ"] } })
      )
      const email = "ann@acme.example"
      const issued = yield* admin((client) =>
        client.createToken({ payload: { tenant, email, name: "x", lifetimeSeconds: null } })
      )
      assert.strictEqual(yield* statusWith(issued.token, "acme.example"), 200)
      assert.strictEqual(yield* statusWith(issued.token), 401)
      const another = { tenant, host: "acme.example.org" }
      assert.strictEqual(yield* statusWith(issued.token, another.host), 404)
      yield* admin((client) => client.addHost({ payload: another }))
      assert.strictEqual(yield* statusWith(issued.token, another.host), 200)
      assert.match(
        yield* refusal((client) => client.addHost({ payload: { tenant: "default", host: another.host } })),
        /^DUPLICATE_ID: the host acme\.example\.org belongs to another tenant; list-hosts names it$/
      )
      yield* admin((client) => client.removeHost({ payload: { tenant, host: "acme.example" } }))
      assert.strictEqual(yield* statusWith(issued.token, "acme.example"), 404)
      assert.match(
        yield* refusal((client) => client.removeHost({ payload: another })),
        /^INVALID_ARGUMENT: host cannot be removed: acme\.example\.org is the only host of the tenant; add another one first$/
      )
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

const caps = { WCS_CLIENTS_MAX: "1", WCS_TOKENS_MAX: "1", WCS_USERS_MAX: "1" }

layer(server(caps), { excludeTestServices: true })("the administrator's socket at the caps of a tenant", (it) => {
  it.effect("refuses one more client, token or user, and says how to make room", () =>
    Effect.gen(function* () {
      yield* user("first@example.com")
      yield* token("first@example.com")
      yield* admin((client) => client.createClient({ payload: { tenant: null, name: "first" } }))
      const advice = "is reached; revoke or deactivate one, or raise the limit"
      const another = { tenant: null, email: "second@example.com", role: "Viewer" } as const
      const more = { tenant: null, email: "first@example.com", name: "more", lifetimeSeconds: null }
      for (const [work, limit] of [
        [(client) => client.createUser({ payload: another }), "1 users"],
        [(client) => client.createToken({ payload: more }), "1 access tokens"],
        [(client) => client.createClient({ payload: { tenant: null, name: "more" } }), "1 API clients"]
      ] as ReadonlyArray<readonly [Work<unknown, Refusal>, string]>) {
        assert.strictEqual(yield* refusal(work), `UNPROCESSABLE: the limit of ${limit} ${advice}`)
      }
    })
  )
})
