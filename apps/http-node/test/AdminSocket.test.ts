import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import type { AdminCommand } from "@wcs/http-node/admin/AdminCommand"
import { ask, lineLimit } from "@wcs/http-node/admin/AdminSocket"
import { Serving } from "@wcs/http-node/Serve"
import { DataDirectory } from "@wcs/http-node/stores/DataDirectory"
import { Effect } from "effect"
import { temporaryDirectory } from "./Temporary.ts"
import { bearer, call, server } from "./TestServer.ts"

/** Runs an administrator's command on the server. */
const admin = Effect.fnUntraced(function* (command: AdminCommand) {
  const { socketFile } = yield* DataDirectory
  return yield* ask(socketFile, command)
})

const refusal = (command: AdminCommand) =>
  Effect.map(Effect.flip(admin(command)), (error) =>
    error._tag === "AdminRefused" ? `${error.code}: ${error.message}` : error._tag
  )

const text = (result: Readonly<Record<string, unknown>>, key: string) => String(result[key])

const statusWith = (token: string, host = "localhost") =>
  Effect.map(call("/openapi/v1/workers", { headers: { ...bearer(token), host } }), ({ status }) => status)

const exchangeToken = (clientId: string, clientSecret: string) =>
  call("/openapi/v1/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret
    }).toString()
  })

/** Sends raw bytes to the socket. Returns the response when the socket closes. */
const send = (path: string, bytes: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const socket = connect(path)
        let answer = ""
        socket.setEncoding("utf8").on("data", (chunk: string) => {
          answer += chunk
        })
        socket.on("error", () => {}).on("close", () => resolve(answer))
        socket.end(bytes)
      })
  )

const user = (email: string) => admin({ _tag: "CreateUser", tenant: null, email, role: "Super Admin" })
const token = (email: string, lifetimeSeconds: number | null = null) =>
  admin({ _tag: "CreateToken", tenant: null, email, name: "test", lifetimeSeconds })

layer(server({}), { excludeTestServices: true })("the administrator's socket", (it) => {
  it.effect(
    "AUT-12: a new personal token works, and is 401 on the next call after its revocation; others still work",
    () =>
      Effect.gen(function* () {
        yield* user("aut-12@example.com")
        const [one, two] = [yield* token("aut-12@example.com"), yield* token("aut-12@example.com")]
        for (const made of [one, two]) assert.strictEqual(yield* statusWith(text(made, "token")), 200)
        yield* admin({ _tag: "RevokeToken", tenant: null, id: text(one, "id") })
        assert.strictEqual(yield* statusWith(text(one, "token")), 401)
        assert.strictEqual(yield* statusWith(text(two, "token")), 200)
      })
  )

  it.effect("OAU-13, threat 7: a revoked client is 401 invalid_client immediately, and so are its tokens", () =>
    Effect.gen(function* () {
      const made = yield* admin({ _tag: "CreateClient", tenant: null, name: "OAU-13" })
      const exchange = exchangeToken(text(made, "clientId"), text(made, "clientSecret"))
      const issued = yield* exchange
      assert.strictEqual(issued.status, 200)
      const accessToken: string = JSON.parse(issued.text).access_token
      assert.strictEqual(yield* statusWith(accessToken), 200)
      yield* admin({ _tag: "RevokeClient", tenant: null, clientId: text(made, "clientId") })
      assert.strictEqual(yield* statusWith(accessToken), 401)
      const refused = yield* exchange
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(JSON.parse(refused.text).error, "invalid_client")
    })
  )

  it.effect("lists what exists, without secrets", () =>
    Effect.gen(function* () {
      yield* user("lists@example.com")
      const made = yield* token("lists@example.com", 60)
      const client = yield* admin({ _tag: "CreateClient", tenant: null, name: "lists" })
      const lists = JSON.stringify([
        yield* admin({ _tag: "ListTokens", tenant: null }),
        yield* admin({ _tag: "ListClients", tenant: null })
      ])
      assert.include(lists, text(made, "id"))
      assert.include(lists, text(made, "expiresAt"))
      assert.include(lists, text(client, "clientId"))
      assert.notInclude(lists, text(made, "token"))
      assert.notInclude(lists, text(client, "clientSecret"))
      assert.notInclude(lists, "Hash")
    })
  )

  it.effect("describes the running server: its addresses and its effective settings", () =>
    Effect.gen(function* () {
      const { port } = yield* Serving
      const { path } = yield* DataDirectory
      const described = yield* admin({ _tag: "DescribeServer" })
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
      const table: ReadonlyArray<readonly [AdminCommand, RegExp]> = [
        [{ _tag: "CreateUser", tenant: null, email: "nobody", role: "Viewer" }, /^INVALID_ARGUMENT: email must be/],
        [{ _tag: "CreateUser", tenant: null, email: "There@example.com", role: "Viewer" }, /^DUPLICATE_ID: a/],
        ...[
          { calls: 0, windowSeconds: 1 },
          { calls: 1, windowSeconds: 3601 }
        ].map((rateLimit): readonly [AdminCommand, RegExp] => [
          { _tag: "CreateUser", tenant: null, email: "new@example.com", role: "Viewer", rateLimit },
          /^INVALID_ARGUMENT: rateLimit must be 1 to 1000000 calls in a window of 1 to 3600 seconds, or none$/
        ]),
        [{ _tag: "CreateClient", tenant: null, name: " " }, /^INVALID_ARGUMENT: name must not be empty/],
        [
          { _tag: "CreateTenant", name: "b", hosts: ["localhost"] },
          /^DUPLICATE_ID: the host localhost belongs to another tenant$/
        ],
        [{ _tag: "CreateTenant", name: "b", hosts: [] }, /^INVALID_ARGUMENT: hosts must be/],
        [{ _tag: "CreateTenant", name: "b", hosts: ["https://x"] }, /^INVALID_ARGUMENT: hosts /],
        ...[0, -1, 1.5, 86_399_913_600].map((lifetimeSeconds): readonly [AdminCommand, RegExp] => [
          { _tag: "CreateToken", tenant: null, email: "there@example.com", name: "x", lifetimeSeconds },
          /^INVALID_ARGUMENT: lifetimeSeconds must be a whole number of seconds from 1 to \d+, or none$/
        ]),
        [{ _tag: "RevokeToken", tenant: null, id: "pat_none" }, /^NOT_FOUND: there is no token pat_none$/],
        [{ _tag: "RevokeClient", tenant: null, clientId: "none" }, /^NOT_FOUND: there is no client none$/],
        [{ _tag: "RetrySetAside", tenant: null, eventId: "evt_1" }, /^NOT_FOUND: there is no retryable event evt_1$/],
        ...[0, 1.5, 1001].map((limit): readonly [AdminCommand, RegExp] => [
          { _tag: "ListSetAside", tenant: null, limit },
          /^INVALID_ARGUMENT: limit must be a whole number from 1 to 1000$/
        ]),
        [
          { _tag: "ListSetAside", tenant: "other", limit: 1 },
          /^NOT_FOUND: there is no tenant other; the tenants are default/
        ],
        [
          { _tag: "ListTokens", tenant: "other" },
          /^NOT_FOUND: there is no tenant other; the tenants are default \(tnt_/
        ],
        [
          { _tag: "CreateToken", tenant: null, email: "none@example.com", name: "x", lifetimeSeconds: null },
          /^NOT_FOUND: there is no user none@example\.com$/
        ]
      ]
      for (const [command, expected] of table) assert.match(yield* refusal(command), expected)
    })
  )

  it.effect("answers a line that is not a command, and ends a line that is too long", () =>
    Effect.gen(function* () {
      const { socketFile } = yield* DataDirectory
      const lines = ["nonsense", "{}", '{"_tag":"DropEverything"}', '{"_tag":"RevokeToken","tenant":null,"id":5}', ""]
      for (const line of lines) {
        const answer = JSON.parse(yield* send(socketFile, `${line}\n`))
        assert.deepStrictEqual([answer._tag, answer.code], ["Refused", "INVALID_ARGUMENT"])
      }
      assert.strictEqual(yield* send(socketFile, `${"x".repeat(lineLimit + 1)}\n`), "")
      yield* admin({ _tag: "ListTenants" }) // still works
    })
  )
})

layer(server({}), { excludeTestServices: true })("the tenant of an administrator's command", (it) => {
  it.effect("is the only one, or must be given by name or id", () =>
    Effect.gen(function* () {
      const first = yield* admin({ _tag: "CreateClient", tenant: null, name: "only" })
      const second = yield* admin({ _tag: "CreateTenant", name: "second", hosts: ["second.example"] })
      assert.match(yield* refusal({ _tag: "ListClients", tenant: null }), /select a tenant with --tenant: default \(/)
      const clientsOf = (tenant: string) =>
        Effect.map(admin({ _tag: "ListClients", tenant }), (result) => JSON.stringify(result["clients"]))
      assert.include(yield* clientsOf("default"), text(first, "clientId"))
      assert.strictEqual(yield* clientsOf("second"), "[]")
      assert.strictEqual(yield* clientsOf(text(second, "id")), "[]")
      yield* admin({ _tag: "CreateTenant", name: "second", hosts: ["third.example"] })
      assert.match(yield* refusal({ _tag: "ListClients", tenant: "second" }), /several tenants have the name second/)
    })
  )

  it.effect("is the only one whose hosts accept its tokens", () =>
    Effect.gen(function* () {
      const made = yield* admin({ _tag: "CreateTenant", name: "acme", hosts: ["acme.example"] })
      const tenant = text(made, "id")
      yield* admin({ _tag: "CreateUser", tenant, email: "ann@acme.example", role: ["worker:READ"] })
      const email = "ann@acme.example"
      const issued = yield* admin({ _tag: "CreateToken", tenant, email, name: "x", lifetimeSeconds: null })
      assert.strictEqual(yield* statusWith(text(issued, "token"), "acme.example"), 200)
      assert.strictEqual(yield* statusWith(text(issued, "token")), 401)
    })
  )
})

describe("a command without a server", () => {
  const list: AdminCommand = { _tag: "ListTenants" }

  it.live("fails with a message, whether the socket is missing or left by a dead server", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "admin.sock")
      assert.strictEqual((yield* Effect.flip(ask(path, list)))._tag, "NobodyListens")
      writeFileSync(path, "no socket")
      assert.strictEqual((yield* Effect.flip(ask(path, list)))._tag, "NobodyListens")
    })
  )
})
