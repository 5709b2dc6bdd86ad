import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Sender } from "@wcs/delivery/Sender"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { isTaken } from "@wcs/domain/webhook/Delivery"
import { Effect, Layer } from "effect"
import { follow, graceMillis, type OpenResult, rest, resultOf, type Schedule, settled } from "../load/OpenLoop.ts"
import { openBare, sender, webhookAt, worker } from "./Deliver.ts"
import { beginDelivery, body, putWebhook } from "./Due.ts"

/** The result of a schedule, and the responses per second. */
export interface OpenDelivered extends OpenResult {
  readonly perSecond: number
}

/** Deliveries to one webhook per port in turn, by a schedule. */
export interface OpenDelivery extends Schedule {
  readonly ports: ReadonlyArray<number>
}

/** A store of deliveries with one COMMIT per write, as a team would write it. */
const openStore = (directory: string) => {
  const database = new DatabaseSync(join(directory, "by-hand.db"))
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec("CREATE TABLE IF NOT EXISTS delivery (id TEXT PRIMARY KEY, state TEXT NOT NULL, body TEXT NOT NULL)")
  const insert = database.prepare("INSERT INTO delivery VALUES (?, 'PENDING', ?)")
  const update = database.prepare("UPDATE delivery SET state = 'DELIVERED' WHERE id = ?")
  return {
    begin: (id: string) => insert.run(id, body),
    end: (id: string) => update.run(id),
    close: () => database.close()
  }
}

/** The same by hand: stores each delivery, posts it, and stores its outcome. */
export const openByHand = async (directory: string, { ports, ...schedule }: OpenDelivery): Promise<OpenDelivered> => {
  const { close, post } = openBare()
  const store = openStore(directory)
  const latencies: Array<number> = []
  let sent = 0
  let ended = 0
  const deliver = async (at: number, n: number): Promise<void> => {
    const id = randomUUID()
    store.begin(id)
    sent += 1
    await post(ports[n % ports.length] ?? 0)
    latencies.push(performance.now() - at)
    store.end(id)
    ended += 1
  }
  const publish = (at: number, n: number): void => void deliver(at, n).catch(() => undefined)
  const begun = performance.now()
  await follow(schedule, publish, rest)
  await settled(() => ended === schedule.count, graceMillis)
  const millis = performance.now() - begun
  const answered = latencies.length
  await close()
  store.close()
  return {
    ...resultOf({ published: schedule.count, answered, refused: 0, cutOff: sent - answered }, latencies),
    perSecond: (answered * 1000) / millis
  }
}

/** Stores deliveries by a schedule, while the worker delivers. Measures from the scheduled time to the response. */
export const openDelivering = Effect.fnUntraced(function* ({ ports, ...schedule }: OpenDelivery) {
  yield* Effect.forEach(ports, (port) => putWebhook(port, port), { concurrency: 16, discard: true })
  const notifications = yield* Notifications.Notifications
  const runFork = Effect.runForkWith(yield* Effect.context<Effect.Services<ReturnType<typeof beginDelivery>>>())
  /** The scheduled times of deliveries without a response, by id. */
  const open = new Map<string, number>()
  const latencies: Array<number> = []
  let refused = 0
  const timing = Layer.effect(
    Sender,
    Effect.map(Sender, ({ send }) =>
      Sender.of({
        send: (outgoing) =>
          Effect.tap(send(outgoing), (result) =>
            Effect.sync(() => {
              const id = outgoing.headers["webhook-id"] ?? ""
              const at = open.get(id)
              if (at === undefined) return
              open.delete(id)
              if (isTaken(result)) latencies.push(performance.now() - at)
              else refused += 1
            })
          )
      })
    )
  ).pipe(Layer.provide(sender))
  const publish = (at: number, n: number): void => {
    const stored = Effect.gen(function* () {
      yield* beginDelivery(webhookAt(ports[n % ports.length] ?? 0), (id) => open.set(id, at))
      yield* notifications.notify(Notifications.deliveryDue)
    })
    runFork(stored)
  }
  const working = Effect.promise(async () => {
    const begun = performance.now()
    await follow(schedule, publish, rest)
    await settled(() => latencies.length + refused === schedule.count, graceMillis)
    const millis = performance.now() - begun
    const account = { published: schedule.count, answered: latencies.length, refused, cutOff: open.size }
    return { ...resultOf(account, latencies), perSecond: (latencies.length * 1000) / millis }
  })
  return yield* Effect.provide(working, Layer.provide(worker, timing))
})
