import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stores } from "./Deployment.ts"
import { type KillPoint, type Orders, steps } from "./KillPoint.ts"
import { deliveriesOf, putCredential, seedWebhook, verify, webhookIdOf } from "./Seeds.ts"

const program = fileURLToPath(new URL("./DoomedWorker.ts", import.meta.url))

/** How often a worker is killed: once before and after each step in `npm test`, more often in `npm run faults`. */
const rounds = Number(process.env["WCS_FAULT_ROUNDS"] ?? 2 * steps.length)

const webhooks = [1, 2]
const callsPerRound = 10

/** Before and after each step in turn, on another visit in each round. The visits are few enough to occur. */
const pointOf = (round: number): KillPoint => {
  const step = steps[Math.floor(round / 2) % steps.length] ?? "readDue"
  const most = { conclude: 4, fanOut: 2, readDue: 4, send: 12, settle: 3 }[step]
  return { step, when: round % 2 === 0 ? "before" : "after", number: 1 + (Math.floor(round / 7) % most) }
}

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-delivery-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Arrival {
  readonly webhookId: string
  readonly deliveryId: string
  readonly correlationId: string
}

/** A receiver that records deliveries and signals new ones. */
const receiving = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly arrivals: Array<Arrival>
    readonly more: () => Promise<void>
    readonly close: () => void
  }>((resume) => {
    const arrivals: Array<Arrival> = []
    let tell: () => void = () => undefined
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk) => chunks.push(chunk))
      request.on("end", () => {
        const { correlationId, deliveryId } = JSON.parse(Buffer.concat(chunks).toString())
        assert.strictEqual(request.headers["x-service-delivery"], deliveryId)
        arrivals.push({ webhookId: String(request.headers["x-service-webhook"]), deliveryId, correlationId })
        response.writeHead(204).end()
        tell()
      })
    })
    const more = () =>
      new Promise<void>((resolve) => {
        tell = resolve
      })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}/hook`, arrivals, more, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const started = (orders: Orders) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, JSON.stringify(orders)], { stdio: ["ignore", "ignore", "inherit"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** How a process ended: the name of a signal, or its exit code. */
const ended = (child: ChildProcess) =>
  Effect.promise(
    () => new Promise<string>((resolve) => child.once("close", (code, signal) => resolve(signal ?? `${code}`)))
  )

describe("threat 17: kill -9 of a worker", () => {
  it.live(
    `${rounds} times, at each step in turn: every event arrives at every webhook, under one id each`,
    () =>
      Effect.gen(function* () {
        const database = join(yield* directory, "store.db")
        const { arrivals, more, url } = yield* receiving
        const asked: Array<string> = []
        for (let round = 0; round < rounds; round++) {
          yield* Effect.gen(function* () {
            if (round === 0) yield* Effect.forEach(webhooks, (n) => seedWebhook(n, url))
            for (let call = 0; call < callsPerRound; call++) {
              const correlationId = `round-${round}-call-${call}`
              const credential = round * callsPerRound + call // each needs its own verdict
              yield* putCredential(credential)
              yield* verify(credential, correlationId)
              asked.push(correlationId)
            }
          }).pipe(Effect.provide(stores(database)))
          const kill = pointOf(round)
          const signal = yield* Effect.scoped(Effect.flatMap(started({ database, kill }), ended))
          assert.strictEqual(signal, "SIGKILL", JSON.stringify(kill))
        }

        const expected = webhooks.flatMap((n) => asked.map((id) => `${webhookIdOf(n)} ${id}`)).sort()
        const arrived = () => new Set(arrivals.map(({ correlationId, webhookId }) => `${webhookId} ${correlationId}`))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const survivor = yield* started({ database, kill: null })
            while (arrived().size < expected.length) yield* Effect.promise(more)
            survivor.kill("SIGTERM")
            yield* ended(survivor)
          })
        )
        assert.deepStrictEqual([...arrived()].sort(), expected)
        const ids = new Set(
          arrivals.map((arrival) => `${arrival.webhookId} ${arrival.correlationId} ${arrival.deliveryId}`)
        )
        assert.strictEqual(ids.size, expected.length)
        const twice = arrivals.length - expected.length
        assert.isAbove(twice, 0) // a kill between the attempt and the write of its result repeats the attempt
        yield* Effect.logInfo(`${rounds} kills, ${expected.length} deliveries, ${twice} of them sent once more`)
        for (const n of webhooks) {
          const kept = yield* Effect.provide(deliveriesOf(n), stores(database))
          assert.deepStrictEqual([...new Set(kept.map(({ state }) => state))], ["DELIVERED"])
          assert.lengthOf(kept, asked.length)
        }
      }).pipe(Effect.scoped),
    60_000 + rounds * 10_000
  )
})
