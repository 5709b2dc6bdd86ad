import { assert, describe, it } from "@effect/vitest"
import * as AdminClient from "@wcs/admin/AdminClient"
import { DescribedServer } from "@wcs/admin/ServerDescription"
import * as CommandHandler from "@wcs/deployment/admin/CommandHandler"
import { describedBy } from "@wcs/deployment/admin/Description"
import { connect, notice } from "@wcs/deployment/cells/CellConnections"
import { staleMillis } from "@wcs/deployment/cells/CellDirectory"
import { Serving } from "@wcs/deployment/Serving"
import { Settings } from "@wcs/deployment/Settings"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import { finish, type Moving, move } from "@wcs/store-sql/cells/Move"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Option, Redacted } from "effect"
import { ask } from "../listening/Wire.ts"
import { keyFile, type Server, start, until } from "../SharedDatabase.ts"
import { bearer, certificateFile } from "../TestServer.ts"

const host = "acme.localhost"

const twoDatabases = Effect.gen(function* () {
  const [url, second] = [yield* freshDatabase, yield* freshDatabase]
  const shared = { WCS_MASTER_KEY_FILE: yield* keyFile, WCS_CELLS: `second=${Redacted.value(second)}` }
  return { url, second, shared, server: yield* start(url, shared) }
})

/** A call to the second tenant's host. */
const callAt = Effect.fnUntraced(function* (server: Server, path: string, token: string, body?: string) {
  const run = Effect.gen(function* () {
    const { port } = yield* Serving
    const ca = yield* certificateFile
    const json = body === undefined ? {} : { "content-type": "application/json" }
    const headers = { host: `${host}:${port}`, ...bearer(token), ...json }
    const method = body === undefined ? "GET" : "POST"
    const url = `https://localhost:${port}${path}`
    return yield* ask({ url, ca, method, headers, ...(body === undefined ? {} : { body }) })
  })
  return yield* Effect.provideContext(run, server)
})

/** A second tenant with a Super Admin's token. */
const secondTenant = (server: Server) =>
  Effect.gen(function* () {
    const { createTenant, createToken, createUser } = yield* Administration
    const actor = yield* operator
    const { id } = yield* createTenant("acme", [host], actor)
    yield* createUser(id, "root@acme.example", "Super Admin", actor)
    const { secret } = yield* createToken(id, "root@acme.example", "test", null, actor)
    return { id, token: Redacted.value(secret) }
  }).pipe(Effect.provideContext(server))

const movingOf = Effect.fnUntraced(function* (server: Server, tenantId: string, from: string, to: string) {
  const connected = (name: string) => Effect.provideContext(connect(name), server)
  const [first, source, target] = [yield* connected(firstCell), yield* connected(from), yield* connected(to)]
  const moving: Moving = {
    tenantId,
    first,
    source,
    target,
    notice,
    staleMillis,
    leaseMillis: 60_000,
    drainMillis: 0,
    frozenMillis: 60_000,
    announce: () => Effect.void
  }
  return moving
})

const worker = (name: string) => JSON.stringify({ identity: { displayName: name } })

describe("a deployment of two databases", () => {
  it.live("threat 93: serves a tenant where its rows are, and refuses its requests with 503 while it is frozen", () =>
    Effect.gen(function* () {
      const { server } = yield* twoDatabases
      const { id, token } = yield* secondTenant(server)
      const made = yield* callAt(server, "/openapi/v1/workers", token, worker("Ann Example"))
      assert.strictEqual(made.status, 201)
      const { data } = JSON.parse(made.text)
      const there = yield* movingOf(server, id, firstCell, "second")
      const frozen: Array<readonly [number, string | undefined]> = []
      yield* move({
        ...there,
        announce: (part) =>
          part === "take"
            ? Effect.map(callAt(server, "/openapi/v1/workers", token), ({ headers, status }) => {
                frozen.push([status, headers["retry-after"]])
              })
            : Effect.void
      })
      assert.deepStrictEqual(frozen, [[503, "2"]])
      const read = yield* until(callAt(server, `/openapi/v1/workers/${data.id}`, token), ({ status }) => status !== 503)
      assert.deepStrictEqual([read.status, JSON.parse(read.text).data], [200, data])
      const [left] = yield* there.source.sql`SELECT count(*) AS count FROM worker WHERE tenant_id = ${id}`
      assert.strictEqual(Number(left?.["count"]), 0)

      // commands reach it there, and the directory gives its hosts out
      const commands = yield* AdminClient.make.pipe(
        Effect.provide(CommandHandler.layerHere),
        Effect.provideServiceEffect(
          DescribedServer,
          Settings.use((settings) => describedBy(Effect.succeed(settings)))
        ),
        Effect.provideContext(server)
      )
      const { email } = yield* commands.createUser({
        payload: { tenant: "acme", email: "ben@acme.example", role: "Viewer" }
      })
      assert.strictEqual(email, "ben@acme.example")
      const [user] = yield* there.target.sql`SELECT tenant_id FROM account WHERE email = 'ben@acme.example'`
      assert.strictEqual(user?.["tenant_id"], id)
      yield* commands.addHost({ payload: { tenant: "acme", host: "other.acme.localhost" } })
      const taken = yield* Effect.flip(
        commands.addHost({ payload: { tenant: "default", host: "other.acme.localhost" } })
      )
      assert.include(JSON.stringify(taken), "belongs to another tenant")
      const refused = yield* Effect.flip(commands.addHost({ payload: { tenant: "acme", host: "localhost" } }))
      assert.include(JSON.stringify(refused), "belongs to another tenant")

      yield* finish(there)
      const back = yield* movingOf(server, id, "second", firstCell)
      yield* move(back)
      yield* finish(back)
      const again = yield* until(
        callAt(server, `/openapi/v1/workers/${data.id}`, token),
        ({ status }) => status !== 503
      )
      assert.deepStrictEqual([again.status, JSON.parse(again.text).data], [200, data])
      const hosts = yield* Effect.provideContext(
        AccessStore.use((store) => store.findTenantByHost("other.acme.localhost")),
        server
      )
      assert.strictEqual(Option.getOrThrow(hosts).id, id)
    })
  )

  it.live("threat 33: offers no set-up while the first tenant is in another database", () =>
    Effect.gen(function* () {
      const { server, shared, url } = yield* twoDatabases
      const [first] = yield* Effect.provideContext(
        AccessStore.use((store) => store.listTenants),
        server
      )
      yield* move(yield* movingOf(server, first?.id ?? "", firstCell, "second"))
      const { setUpToken } = yield* Effect.provideContext(Serving, yield* start(url, shared))
      assert.isTrue(Option.isNone(setUpToken))
    })
  )

  it.live("does not start without a database that has tenants", () =>
    Effect.gen(function* () {
      const { server, shared, url } = yield* twoDatabases
      const { id } = yield* secondTenant(server)
      yield* move(yield* movingOf(server, id, firstCell, "second"))
      const missing = yield* Effect.flip(
        start(url, { ...shared, WCS_CELLS: `third=${Redacted.value(yield* freshDatabase)}` })
      )
      assert.match(missing.message, /^WCS_CELLS must name the database second:/)
      const { WCS_CELLS: _, ...single } = shared
      const forgotten = yield* Effect.flip(start(url, single))
      assert.match(forgotten.message, /^WCS_CELLS must name the database second:/)
    })
  )
})
