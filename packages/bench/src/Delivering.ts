import { mkdirSync } from "node:fs"
import type { Bench } from "./Bench.ts"
import type { DeliverJob } from "./Deliver.ts"
import type { Row } from "./Row.ts"
import { interleaved, type Sample } from "./Series.ts"

/** How many webhooks there are, each with a receiver of its own. */
const webhooks = 64

/** One worker beside a bare loop of the same HTTP client: what claiming, signing, and writing outcomes durably costs. */
export const measureDelivering = async ({ place, plan, processes, say }: Bench): Promise<ReadonlyArray<Row>> => {
  say(`delivering: one worker and a bare loop, ${webhooks} webhooks`)
  const directory = place()
  mkdirSync(directory)
  const receivers = await processes.receivers(webhooks)
  const deliverer = await processes.deliverer(directory)
  const job: DeliverJob = { ports: receivers.ports, deliveries: plan.deliveries }
  const take = (side: "bare" | "worker") => async (): Promise<Sample> => {
    const millis = (await deliverer.ask(side, job)) as number
    const { ids, requests } = await receivers.taken()
    const expected = side === "bare" ? 0 : plan.deliveries
    if (requests !== plan.deliveries || ids !== expected) throw new Error(`${requests} requests came, of ${ids} ids`)
    return { value: (plan.deliveries * 1000) / millis }
  }
  await take("bare")()
  await take("worker")()
  const series = await interleaved(plan.rounds, "/s", { worker: take("worker"), bare: take("bare") })
  await deliverer.stop()
  await receivers.stop()
  return [
    {
      what: `deliveries, one worker, ${webhooks} webhooks`,
      against: "a bare loop of the same HTTP client",
      ours: series("worker"),
      other: series("bare"),
      goal: { direction: "at least", bar: 0.6, aim: 0.8 },
      note: "receivers answer after 20 ms"
    }
  ]
}
