import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory, wcs } from "./Process.ts"

const newData = Effect.map(temporaryDirectory, (path): Environment => ({ WCS_DATA: join(path, "data") }))

/** A command that works: its one JSON object. */
const admin = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* wcs(["admin", ...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  assert.match(stdout, /^\{[^\n]*\}\n$/)
  const result: Readonly<Record<string, unknown>> = JSON.parse(stdout)
  return result
})

const text = (result: Readonly<Record<string, unknown>>, key: string) => String(result[key])

const statusOf = (server: Server, token: string) =>
  Effect.map(ask(server, "/openapi/v1/workers", { headers: bearer(token) }), ({ status }) => status)

const exchange = (server: Server, client: Readonly<Record<string, unknown>>) =>
  ask(server, "/openapi/v1/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: text(client, "clientId"),
      client_secret: text(client, "clientSecret")
    }).toString()
  })

describe("wcs admin", () => {
  it.live(
    "AUT-12, OAU-13: while the server runs, what is made works and what is revoked is refused on the next call",
    () =>
      Effect.gen(function* () {
        const environment = yield* newData
        const server = yield* serving(environment)
        const email = "ann@example.com"
        yield* admin(environment, "create-user", "--email", email, "--role", "Super Admin")
        const issued = yield* admin(environment, "create-token", "--email", email, "--name", "laptop")
        const kept = yield* admin(environment, "create-token", "--email", email, "--name", "server")
        const client = yield* admin(environment, "create-client", "--name", "nightly")
        const accessToken: string = JSON.parse((yield* exchange(server, client)).text).access_token
        for (const token of [text(issued, "token"), accessToken])
          assert.strictEqual(yield* statusOf(server, token), 200)

        yield* admin(environment, "revoke-token", text(issued, "id"))
        assert.strictEqual(yield* statusOf(server, text(issued, "token")), 401)
        assert.strictEqual(yield* statusOf(server, text(kept, "token")), 200)
        yield* admin(environment, "revoke-client", text(client, "clientId"))
        assert.strictEqual(yield* statusOf(server, accessToken), 401)
        const refused = yield* exchange(server, client)
        assert.deepStrictEqual([refused.status, JSON.parse(refused.text).error], [401, "invalid_client"])
      })
  )

  it.live("without a server it works on the store, which a server then serves; a revocation holds there too", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      yield* admin(environment, "create-user", "--email", "ann@example.com", "--privilege", "worker:READ")
      const [kept, revoked] = [
        yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "a", "--expires-in", "2h"),
        yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "b")
      ]
      assert.isString(kept["expiresAt"])
      assert.isNull(revoked["expiresAt"])
      yield* admin(environment, "revoke-token", text(revoked, "id"))
      const server = yield* serving(environment)
      assert.isNull(server.setUpUrl) // somebody can call
      assert.strictEqual(yield* statusOf(server, text(kept, "token")), 200)
      assert.strictEqual(yield* statusOf(server, text(revoked, "token")), 401)
      const refused = yield* ask(server, "/openapi/v1/workers", {
        method: "POST",
        headers: { ...bearer(text(kept, "token")), "content-type": "application/json" },
        body: "{}"
      })
      assert.strictEqual(refused.status, 403)
    })
  )

  it.live("makes tenants, and has to be told which where there are several", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      const made = yield* admin(
        environment,
        "create-tenant",
        "--name",
        "acme",
        "--host",
        "acme.example",
        "--host",
        "b.example"
      )
      assert.deepStrictEqual(made["hosts"], ["acme.example", "b.example"])
      const { code, stderr, stdout } = yield* wcs(["admin", "create-client", "--name", "x"], environment)
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(stderr, /^wcs: say which tenant with --tenant: default \(tnt_\w+\), acme \(tnt_\w+\)\n$/)
      const client = yield* admin(environment, "create-client", "--name", "x", "--tenant", "acme")
      const listed = yield* admin(environment, "list-clients", "--tenant", text(made, "id"))
      assert.include(JSON.stringify(listed), text(client, "clientId"))
      assert.deepStrictEqual(yield* admin(environment, "list-tokens", "--tenant", "acme"), { tokens: [] })
    })
  )

  it.live("says what it did in text that people read", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      const made = yield* wcs(["admin", "create-client", "--name", "tour"], environment)
      assert.match(made.stdout, /^clientId +wcs_oauth_\w{16}\nclientSecret +wcs_secret_\w{41}\nname +tour\n$/)
      const listed = yield* wcs(["admin", "list-clients"], environment)
      assert.match(listed.stdout, /^clientId +name +secretLastFour +createdAt +revokedAt\nwcs_oauth_\w{16} +tour /)
      assert.strictEqual((yield* wcs(["admin", "list-tokens"], environment)).stdout, "(none)\n")
    })
  )

  it.live("ends with 1 and one sentence where it could not be done, and with 2 for a wrong command line", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      for (const [args, code] of [
        [["revoke-client", "wcs_oauth_none"], 1],
        [["revoke-client"], 2]
      ] as const) {
        const ended = yield* wcs(["admin", ...args], environment)
        assert.deepStrictEqual([ended.code, ended.stdout], [code, ""])
        assert.match(ended.stderr, /^wcs: [^\n]+\n$/)
      }
    })
  )

  it.live("does nothing at all for a wrong setting, and shows help without a store", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      const refused = yield* wcs(["admin", "list-tenants"], { ...environment, WCS_PORT: "x" })
      assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
      assert.match(refused.stderr, /^wcs: WCS_PORT must be [^\n]+\.\n$/)
      const help = yield* wcs(["admin", "--help"], environment)
      assert.strictEqual(help.code, 0)
      for (const name of [
        "create-tenant",
        "create-user",
        "create-token",
        "revoke-token",
        "create-client",
        "revoke-client"
      ]) {
        assert.include(help.stdout, name)
      }
      assert.isFalse(existsSync(environment["WCS_DATA"] ?? ""))
    })
  )
})
