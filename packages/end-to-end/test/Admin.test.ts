import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inProcess, migrated } from "./InProcess.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory } from "./Process.ts"

const newData = Effect.map(temporaryDirectory, (path): Environment => ({ WCS_DATA: join(path, "data") }))

/** Runs a command successfully and returns its JSON object. */
const admin = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* inProcess(["admin", ...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  assert.match(stdout, /^\{[^\n]*\}$/)
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
    "AUT-12, OAU-13: creates working credentials through the server and refuses revoked ones on the next call",
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

  it.live(
    "threat 44: shows the descendants of a token, revokes them with --cascade, and revokes clients at a demotion",
    () =>
      Effect.gen(function* () {
        const environment = yield* newData
        const server = yield* serving(environment)
        const email = "ann@example.com"
        const user = yield* admin(environment, "create-user", "--email", email, "--role", "Super Admin")
        const root = yield* admin(environment, "create-token", "--email", email, "--name", "laptop")
        const make = Effect.fnUntraced(function* (path: string) {
          const headers = { ...bearer(text(root, "token")), "content-type": "application/json" }
          const made = yield* ask(server, path, { method: "POST", headers, body: JSON.stringify({ name: "made" }) })
          return JSON.parse(made.text).data
        })
        const [token, client] = [yield* make("/openapi/v1/access-tokens"), yield* make("/openapi/v1/api-clients")]
        const byRoot = { account: user["account"], bearer: { kind: "personal", id: root["id"] } }
        const [tokens, clients] = [yield* admin(environment, "list-tokens"), yield* admin(environment, "list-clients")]
        const listed = [...Object(tokens["tokens"]), ...Object(clients["clients"])]
        assert.deepStrictEqual(
          listed.map(({ createdBy }) => createdBy),
          [{ account: "urn:wcs:operator", bearer: null }, byRoot, byRoot]
        )
        const ended = yield* admin(environment, "revoke-token", "--cascade", text(root, "id"))
        assert.deepStrictEqual([ended["id"], ended["revoked"]], [root["id"], true])
        assert.sameMembers(Object(ended["ended"]), [root["id"], token.id, client.id])
        for (const one of [text(root, "token"), token.token]) assert.strictEqual(yield* statusOf(server, one), 401)
        assert.strictEqual((yield* exchange(server, { ...client, clientId: client.id })).status, 401)

        const again = yield* admin(environment, "create-token", "--email", email, "--name", "laptop")
        const headers = { ...bearer(text(again, "token")), "content-type": "application/json" }
        const other = JSON.parse(
          (yield* ask(server, "/openapi/v1/api-clients", { method: "POST", headers, body: '{"name":"other"}' })).text
        ).data
        assert.strictEqual((yield* exchange(server, { ...other, clientId: other.id })).status, 200)
        yield* admin(environment, "update-user", "--email", email, "--role", "Admin")
        assert.strictEqual((yield* exchange(server, { ...other, clientId: other.id })).status, 401)
        assert.strictEqual(yield* statusOf(server, text(again, "token")), 200)
        const gone = yield* admin(environment, "revoke-client", "--cascade", other.id)
        assert.deepStrictEqual(gone, { clientId: other.id, revoked: true, ended: [] })
      })
  )

  it.live("works on the store without a server; a later server serves it and refuses revoked credentials", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      yield* migrated(environment)
      yield* admin(environment, "create-user", "--email", "ann@example.com", "--privilege", "worker:READ")
      const [kept, revoked] = [
        yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "a", "--expires-in", "2h"),
        yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "b")
      ]
      assert.isString(kept["expiresAt"])
      assert.isNull(revoked["expiresAt"])
      yield* admin(environment, "revoke-token", text(revoked, "id"))
      const server = yield* serving(environment)
      assert.isNull(server.setUpUrl) // there is a token already
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

  it.live("PRV-12: imports the bans of a register through the server, and changes nothing when repeated", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      const server = yield* serving(environment)
      yield* admin(environment, "create-user", "--email", "ann@example.com", "--role", "Super Admin")
      const made = yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "a")
      const headers = { ...bearer(text(made, "token")), "content-type": "application/json" }
      const body = JSON.stringify({ identity: { displayName: "Ann" }, source: { externalId: "HR 1" } })
      yield* ask(server, "/openapi/v1/workers", { method: "POST", headers, body })

      const file = join(yield* temporaryDirectory, "bans.jsonl")
      const line = (key: string, more: object) =>
        JSON.stringify({
          register: "ndis",
          key,
          worker: { externalId: "HR 1" },
          checkedAt: "2026-01-31T09:30:00Z",
          ...more
        })
      const [one, two] = [line("1", { eligibility: "MAY_ENGAGE" }), line("2", { eligibility: "MAY_NOT_ENGAGE" })]
      const counted = Effect.fnUntraced(function* (content: string) {
        writeFileSync(file, content)
        return yield* admin(environment, "import-bans", file)
      })
      assert.deepStrictEqual(yield* counted(`\uFEFF${one}\r\n\n${two}\n`), { created: 2, updated: 0, unchanged: 0 })
      const changed = line("2", { eligibility: "REVIEW_REQUIRED" })
      assert.deepStrictEqual(yield* counted(`${one}\n${changed}`), { created: 0, updated: 1, unchanged: 1 })
      const listed = JSON.parse((yield* ask(server, "/openapi/v1/bans?ownerExternalId=HR%201", { headers })).text)
      assert.deepStrictEqual(
        Array.from(listed.data, ({ eligibility, id }) => [id, eligibility]),
        [
          ["urn:wcs:ban:ndis:1", "MAY_ENGAGE"],
          ["urn:wcs:ban:ndis:2", "REVIEW_REQUIRED"]
        ]
      )

      const many = Array.from({ length: 1_100 }, (_, n) => line(`m${n}`, { eligibility: "MAY_ENGAGE" }))
      const [first = ""] = many
      const twice = [...many, line("m0", { eligibility: "ERROR" }), first]
      assert.deepStrictEqual(yield* counted(twice.join("\n")), { created: 1_100, updated: 2, unchanged: 0 })
      assert.deepStrictEqual(yield* counted(many.join("\n")), { created: 0, updated: 0, unchanged: 1_100 })

      const other = Array.from({ length: 700 }, (_, n) => line(`o${n}`, { eligibility: "MAY_ENGAGE" }))
      const broken = other.with(599, "{}").with(649, "[]")
      writeFileSync(file, broken.join("\n"))
      const stopped = yield* inProcess(["admin", "import-bans", file], environment)
      assert.deepStrictEqual([stopped.code, stopped.stdout], [1, ""])
      assert.match(stopped.stderr, /^wcs: line 600: /)
      const kept = yield* counted(other.slice(0, 599).join("\n"))
      assert.deepStrictEqual(kept, { created: 0, updated: 0, unchanged: 599 }, "those before it")

      for (const [content, code, sentence] of [
        [`${one}\n${line("3", { eligibility: "BANNED" })}`, 1, /^wcs: line 2: eligibility /],
        [`\n${line("3", { eligibility: "MAY_ENGAGE", worker: { externalId: "HR 2" } })}`, 1, /^wcs: line 2: .*worker/],
        [`${one}\nnonsense`, 2, /^wcs: line 2 /]
      ] as const) {
        writeFileSync(file, content)
        const ended = yield* inProcess(["admin", "import-bans", file], environment)
        assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
        assert.match(ended.stderr, sentence)
      }
      const missing = yield* inProcess(["admin", "import-bans", join(file, "none")], environment)
      assert.strictEqual(missing.code, 2)
    })
  )

  it.live("adds a host to a tenant and removes it, with effect on the next call; each change is in the audit log", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      const server = yield* serving(environment)
      yield* admin(environment, "create-user", "--email", "ann@example.com", "--role", "Super Admin")
      const made = yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "a")
      const at = (host: string, path = "/openapi/v1/workers") =>
        ask(server, path, { headers: { ...bearer(text(made, "token")), host } })
      const status = (host: string) => Effect.map(at(host), ({ status }) => status)
      assert.strictEqual(yield* status("other.localhost"), 404)
      const added = yield* admin(environment, "add-host", "Other.localhost")
      assert.deepStrictEqual(added["hosts"], ["localhost", "127.0.0.1", "[::1]", "other.localhost"])
      assert.strictEqual(yield* status("other.localhost"), 200)
      assert.deepStrictEqual(yield* admin(environment, "add-host", "other.localhost"), added)

      yield* admin(environment, "create-tenant", "--name", "other", "--host", "other.example")
      const { hosts } = yield* admin(environment, "list-hosts")
      assert.deepInclude(hosts, { host: "other.example", tenant: "other", tenantId: Object(hosts)[4].tenantId })
      const own = yield* admin(environment, "list-hosts", "--tenant", "default")
      assert.lengthOf(Object(own["hosts"]), 4)

      yield* admin(environment, "remove-host", "--tenant", "default", "other.localhost")
      assert.strictEqual(yield* status("other.localhost"), 404)
      const history = yield* at("localhost", "/openapi/v1/audit-events?entityType=host&pageSize=100")
      const entries: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(history.text).data
      assert.deepStrictEqual(
        entries.map(({ account, action, entityId }) => [account, action, entityId]),
        ["removeHost", "addHost"].map((action) => ["urn:wcs:operator", action, "other.localhost"])
      )
    })
  )

  it.live("sets the time zone of a tenant, with effect on the next call and an entry in the audit log", () =>
    Effect.gen(function* () {
      const environment = { ...(yield* newData), WCS_TENANT_TIME_ZONE: "Australia/Darwin" }
      const server = yield* serving(environment)
      yield* admin(environment, "create-user", "--email", "ann@example.com", "--role", "Super Admin")
      const made = yield* admin(environment, "create-token", "--email", "ann@example.com", "--name", "a")
      const headers = bearer(text(made, "token"))
      const zone = Effect.map(
        ask(server, "/openapi/v1/me", { headers }),
        (me) => JSON.parse(me.text).data.tenant.timeZone
      )
      assert.strictEqual(yield* zone, "Australia/Darwin")
      const moved = yield* admin(environment, "set-time-zone", "Pacific/Kiritimati")
      assert.strictEqual(moved["timeZone"], "Pacific/Kiritimati")
      assert.strictEqual(yield* zone, "Pacific/Kiritimati")

      const given = ["--time-zone", "Australia/Lord_Howe"]
      const lordHowe = yield* admin(environment, "create-tenant", "--name", "b", "--host", "b.example", ...given)
      assert.strictEqual(lordHowe["timeZone"], "Australia/Lord_Howe")
      const plain = yield* admin(environment, "create-tenant", "--name", "c", "--host", "c.example")
      const { tenants } = yield* admin(environment, "list-tenants")
      assert.deepStrictEqual(tenants, [moved, lordHowe, plain])
      assert.strictEqual(plain["timeZone"], "Australia/Sydney")
      for (const wrong of ["Australia/Sidney", "+10:00"]) {
        const refused = yield* inProcess(["admin", "set-time-zone", "--tenant", "b", wrong], environment)
        assert.strictEqual(refused.code, 1)
        assert.include(refused.stderr, "timeZone must be an IANA name, such as Australia/Sydney")
      }
      const history = yield* ask(server, "/openapi/v1/audit-events?action=setTimeZone", { headers })
      const entries: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(history.text).data
      assert.deepStrictEqual(
        entries.map(({ account, entityId, operation }) => [account, entityId, operation]),
        [["urn:wcs:operator", moved["id"], "UPDATE"]]
      )
    })
  )

  it.live("exits with 1 and one sentence when a command fails, and with 2 for a wrong command line", () =>
    Effect.gen(function* () {
      const environment = yield* newData
      yield* migrated(environment)
      for (const [args, code] of [
        [["revoke-client", "wcs_oauth_none"], 1],
        [["revoke-client"], 2]
      ] as const) {
        const ended = yield* inProcess(["admin", ...args], environment)
        assert.deepStrictEqual([ended.code, ended.stdout], [code, ""])
        assert.match(ended.stderr, /^wcs: [^\n]+$/)
      }
    })
  )
})
