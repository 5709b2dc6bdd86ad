import { mkdirSync } from "node:fs"
import type { Bench } from "./Bench.ts"
import type { DeliverJob } from "./Deliver.ts"
import type { Row } from "./Row.ts"
import { interleaved, type Sample } from "./Series.ts"

/** How many webhooks there are, each with a receiver of its own. */
const webhooks = 64

/** How many deliveries wait for a receiver that never answers. */
const unanswered = 1000

/** One worker beside a bare loop of the same HTTP client: what claiming, signing, and writing outcomes durably costs. */
export const measureDelivering = async ({ place, plan, processes, say }: Bench): Promise<ReadonlyArray<Row>> => {
  say(`delivering: one worker and a bare loop, ${webhooks} webhooks`)
  const directory = place()
  mkdirSync(directory)
  const receivers = await processes.receivers(webhooks)
  const [silentPort = 0] = receivers.ports.slice(webhooks)
  const deliverer = await processes.deliverer(directory)
  const job: DeliverJob = { ports: receivers.ports.slice(0, webhooks), deliveries: plan.deliveries, silent: null }
  const besideSilence: DeliverJob = { ...job, silent: { port: silentPort, deliveries: unanswered } }
  const take = (side: "bare" | "worker", asked: DeliverJob) => async (): Promise<Sample> => {
    const millis = (await deliverer.ask(side, asked)) as number
    const { ids, requests } = await receivers.taken()
    const expected = side === "bare" ? 0 : plan.deliveries
    if (requests !== plan.deliveries || ids !== expected) throw new Error(`${requests} requests came, of ${ids} ids`)
    return { value: (plan.deliveries * 1000) / millis }
  }
  await take("bare", job)()
  await take("worker", job)()
  const series = await interleaved(plan.rounds, "/s", { worker: take("worker", job), bare: take("bare", job) })
  // Last: what nobody answers waits in the store from then on. Each round ends when its attempts have, after 15 s.
  const silence = await interleaved(plan.rounds, "/s", { silent: take("worker", besideSilence) })
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
    },
    {
      what: "the same beside a webhook whose receiver never answers",
      against: "the same without it",
      ours: silence("silent"),
      other: series("worker"),
      goal: null,
      note: `${unanswered} of its deliveries are due, before all others`
    }
  ]
}
