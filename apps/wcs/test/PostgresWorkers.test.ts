import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { deliveryDue, Notices, verificationDue } from "@wcs/domain/Notices"
import * as PostgresStores from "@wcs/http-node/PostgresStores"
import * as Settings from "@wcs/http-node/Settings"
import { freshDatabase } from "@wcs/postgres-engine/FreshDatabase"
import { ConfigProvider, Context, Effect, Layer, Redacted, Schedule } from "effect"
import {
  ask,
  askPlainly,
  bearer,
  type Environment,
  type Running,
  type Server,
  serving,
  temporaryDirectory,
  wcs,
  working
} from "./Process.ts"

/** Takes whatever comes, for as long as the scope is open, and keeps the headers. */
const receiver = Effect.gen(function* () {
  const received: Array<IncomingHttpHeaders> = []
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      received.push(request.headers)
      response.writeHead(204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, received }
})

/** What machines share: a database and a master key. Only what webhooks may lead to is the test's own. */
const shared = Effect.gen(function* () {
  const url = Redacted.value(yield* freshDatabase)
  const directory = yield* temporaryDirectory
  const keyFile = join(directory, "master.key")
  writeFileSync(keyFile, randomBytes(32).toString("hex"), { mode: 0o600 })
  const environment: Environment = {
    DATABASE_URL: url,
    WCS_MASTER_KEY_FILE: keyFile,
    WCS_WORKER: "apart",
    WCS_WEBHOOK_HTTP: "allow",
    WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1"
  }
  return { environment, tokenFile: join(directory, "token") }
})

/** Each has a data directory of its own. */
const onOneMachine = Effect.fnUntraced(function* <A, E, R>(
  start: (environment: Environment) => Effect.Effect<A, E, R>,
  environment: Environment
) {
  return yield* start({ ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") })
})

/** Two servers and two workers, started at once on an empty database, and the token that one of them wrote. */
const deployment = Effect.fnUntraced(function* (environment: Environment, tokenFile: string) {
  const first = { ...environment, WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: tokenFile }
  const [here, there, ...workers] = yield* Effect.all(
    [
      onOneMachine(serving, first),
      onOneMachine(serving, environment),
      onOneMachine(working, environment),
      onOneMachine(working, environment)
    ],
    { concurrency: "unbounded" }
  )
  return { here, there, workers, token: readFileSync(tokenFile, "utf8").trim() }
})

/** One that listens to what the processes of a database tell each other, and tells nothing. */
const listener = Effect.fnUntraced(function* (environment: Environment) {
  const settings = Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
  return Context.get(yield* Layer.build(Layer.provide(PostgresStores.notices, settings)), Notices)
})

/** How often something happened, as the processes count it themselves. */
const counted = Effect.fnUntraced(function* (processes: ReadonlyArray<Running>, counter: string) {
  const texts = yield* Effect.forEach(processes, ({ adminPort }) => askPlainly(adminPort, "/metrics"))
  const counts = texts.flatMap(({ text }) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(`wcs_${counter}`))
      .map((line) => Number(line.split(" ").at(-1)))
  )
  return counts.reduce((sum, count) => sum + count, 0)
})

/** Asks again until the answer is the one that is waited for. */
const until = <A, E, R>(what: Effect.Effect<A, E, R>, isIt: (answer: A) => boolean) =>
  Effect.repeat(what, { schedule: Schedule.spaced("20 millis"), until: isIt })

/** Calls of one who may do everything. */
const caller = (token: string) => {
  const call = Effect.fnUntraced(function* (server: Server, path: string, body?: unknown) {
    const headers = { ...bearer(token), ...(body === undefined ? {} : { "content-type": "application/json" }) }
    const sent = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) }
    const { status, text } = yield* ask(server, `/openapi/v1${path}`, sent)
    return { status, data: JSON.parse(text).data }
  })
  return call
}

const isVerified = ({ data }: { readonly data: { readonly attributes: Readonly<Record<string, unknown>> } }) =>
  data.attributes["statusDetail"] === "VALID"

describe("servers and workers apart on one database", () => {
  it.live("VER-01, EVT-01: what is asked of one server the other reads, and a worker does the work once", () =>
    Effect.gen(function* () {
      const { environment, tokenFile } = yield* shared
      const { listen } = yield* listener(environment)
      const { here, there, token, workers } = yield* deployment(environment, tokenFile)
      const { received, url } = yield* receiver
      const call = caller(token)

      const made = yield* call(here, "/workers", { identity: { displayName: "Ann Example" } })
      assert.strictEqual(made.status, 201)
      const read = yield* call(there, `/workers/${made.data.id}`)
      assert.deepStrictEqual([read.status, read.data], [200, made.data])

      const attributes = {
        credentialType: "WWCC_NSW",
        identifier: "WWC0000000E",
        owners: { worker: made.data.id }
      }
      const { data } = yield* call(there, "/credentials", { attributes })
      yield* until(call(here, `/credentials/${data.id}`), isVerified)
      const events = ["credential.verified"]
      const webhook = yield* call(here, "/webhooks", { name: "HR", url, events })
      assert.strictEqual(webhook.status, 201)

      // The server tells of the one and a worker of the other; nobody else does, and no other word comes here.
      const toldByServer = yield* listen(verificationDue)
      const toldByWorker = yield* listen(deliveryDue)
      const verified = yield* call(there, `/credentials/${data.id}/verify`, { forceRefresh: true })
      assert.deepStrictEqual([verified.status, verified.data.statusDetail], [200, "VALID"])
      yield* toldByServer
      yield* toldByWorker
      const log = yield* until(call(here, `/webhooks/${webhook.data.id}/deliveries`), ({ data }) =>
        data.some(({ state }: { readonly state: string }) => state === "DELIVERED")
      )

      const questions = "verification_questions_total"
      const attempts = "delivery_attempts_total"
      yield* until(counted(workers, attempts), (count) => count > 0)
      assert.strictEqual(yield* counted(workers, questions), 2) // of the create, and of verify
      assert.strictEqual(yield* counted(workers, attempts), 1)
      for (const counter of [questions, attempts]) assert.strictEqual(yield* counted([here, there], counter), 0)

      for (const worker of workers) worker.signal("SIGTERM")
      for (const worker of workers) assert.strictEqual((yield* worker.ended).code, 0)
      // Nobody is left who could send it again.
      assert.deepStrictEqual(
        received.map((headers) => headers["x-service-delivery"]),
        log.data.map(({ id }: { readonly id: string }) => id)
      )
      assert.lengthOf(received, 1)
    })
  )

  it.live("a worker without a database to share is refused", () =>
    Effect.gen(function* () {
      const data = join(yield* temporaryDirectory, "data")
      const { code, stderr, stdout } = yield* wcs(["worker"], { WCS_DATA: data, WCS_ADMIN_PORT: "0" })
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^wcs: wcs worker needs DATABASE_URL: [^\n]*\.\n$/)
    })
  )
})
