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

/** The outcomes of deliveries by id. A latency counts from the scheduled time to the response. */
class Outcomes {
  readonly #begun = new Map<string, number>()
  #latencies: Array<number> = []
  #refused = 0

  begin(id: string, at: number): void {
    this.#begun.set(id, at)
  }

  end(id: string, isTaken: boolean): void {
    const at = this.#begun.get(id)
    if (at === undefined) return
    this.#begun.delete(id)
    if (isTaken) this.#latencies.push(performance.now() - at)
    else this.#refused += 1
  }

  get ended(): number {
    return this.#latencies.length + this.#refused
  }

  clear(): void {
    this.#begun.clear()
    this.#latencies = []
    this.#refused = 0
  }

  result(published: number): OpenResult {
    const account = { published, answered: this.#latencies.length, refused: this.#refused, cutOff: this.#begun.size }
    return resultOf(account, this.#latencies)
  }
}

/**
 * Publishes deliveries by a schedule and awaits their outcomes. Before, one delivery to each receiver opens the
 * connections, and shows that a new worker has its leases.
 */
const measure = async (
  outcomes: Outcomes,
  { count, perSecond, ports }: OpenDelivery,
  deliver: (at: number, port: number) => void
): Promise<OpenDelivered> => {
  const publish = (schedule: Schedule) =>
    follow(schedule, (at, n) => deliver(at, ports[n % ports.length] ?? 0), rest).then(() =>
      settled(() => outcomes.ended === schedule.count, graceMillis)
    )
  await publish({ count: ports.length, perSecond: 1e9 })
  outcomes.clear()
  const begun = performance.now()
  await publish({ count, perSecond })
  const millis = performance.now() - begun
  const result = outcomes.result(count)
  return { ...result, perSecond: (result.answered * 1000) / millis }
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
export const openByHand = async (directory: string, job: OpenDelivery): Promise<OpenDelivered> => {
  const { close, post } = openBare()
  const store = openStore(directory)
  const outcomes = new Outcomes()
  const deliver = async (at: number, port: number): Promise<void> => {
    const id = randomUUID()
    outcomes.begin(id, at)
    store.begin(id)
    await post(port)
    outcomes.end(id, true)
    store.end(id)
  }
  const result = await measure(outcomes, job, (at, port) => void deliver(at, port).catch(() => undefined))
  await close()
  store.close()
  return result
}

/** Stores deliveries by a schedule, while the worker delivers. */
export const openDelivering = Effect.fnUntraced(function* (job: OpenDelivery) {
  yield* Effect.forEach(job.ports, (port) => putWebhook(port, port), { concurrency: 16, discard: true })
  const notifications = yield* Notifications.Notifications
  const runFork = Effect.runForkWith(yield* Effect.context<Effect.Services<ReturnType<typeof beginDelivery>>>())
  const outcomes = new Outcomes()
  const timing = Layer.effect(
    Sender,
    Effect.map(Sender, ({ send }) =>
      Sender.of({
        send: (outgoing) =>
          Effect.tap(send(outgoing), (result) =>
            Effect.sync(() => outcomes.end(outgoing.headers["webhook-id"] ?? "", isTaken(result)))
          )
      })
    )
  ).pipe(Layer.provide(sender))
  const deliver = (at: number, port: number): void => {
    const begun = beginDelivery(webhookAt(port), (id) => outcomes.begin(id, at))
    runFork(Effect.andThen(begun, notifications.notify(Notifications.deliveryDue)))
  }
  return yield* Effect.provide(
    Effect.promise(() => measure(outcomes, job, deliver)),
    Layer.provide(worker, timing)
  )
})
