import { mkdirSync } from "node:fs"
import type { Bench } from "../Bench.ts"
import type { Row } from "../Row.ts"
import { interleaved, type Sample, type Series } from "../Series.ts"
import type { Delivered, DeliverJob, Held } from "./Deliver.ts"

/** How many webhooks there are, each with a receiver of its own. */
const webhooks = 64

/** How many deliveries wait for a receiver that never answers. */
const unanswered = 1000

/** How many wait for each of those that answer more than anybody reads, or drip. */
const troublesome = 100

/** How often a worker is measured beside them, which takes the 15 s of a drip each time, and weighed. */
const troubledRounds = 3

/** One worker beside a bare loop of the same HTTP client: what claiming, signing, and writing outcomes durably costs. */
export const measureDelivering = async ({ place, plan, processes, say }: Bench): Promise<ReadonlyArray<Row>> => {
  say(`delivering: one worker and a bare loop, ${webhooks} webhooks`)
  const directory = place()
  mkdirSync(directory)
  const receivers = await processes.receivers(webhooks)
  const { answering, dripping, endless, long, silent } = receivers.ports
  const deliverer = await processes.deliverer(directory)
  const job: DeliverJob = { ports: answering, deliveries: plan.deliveries, beside: [], weighs: false }
  const besideSilence: DeliverJob = { ...job, beside: [{ port: silent, deliveries: unanswered }] }
  const besideTrouble: DeliverJob = {
    ...job,
    beside: [endless, long, dripping].map((port) => ({ port, deliveries: troublesome }))
  }

  const bare = async (): Promise<Sample> => sampleOf((await deliverer.ask("bare", job)) as number, 0)
  const worker = (asked: DeliverJob) => async (): Promise<Sample> =>
    sampleOf(((await deliverer.ask("worker", asked)) as Delivered).millis, plan.deliveries)
  const sampleOf = async (millis: number, expected: number): Promise<Sample> => {
    const { ids, requests } = await receivers.taken()
    if (requests !== plan.deliveries || ids !== expected) throw new Error(`${requests} requests came, of ${ids} ids`)
    return { value: (plan.deliveries * 1000) / millis }
  }

  await bare()
  await worker(job)()
  const series = await interleaved(plan.rounds, "/s", { worker: worker(job), bare })
  say("delivering to receivers that answer endlessly, 10 MB, in drips, or not at all")
  const heavy: DeliverJob = { ports: [endless, long], deliveries: plan.deliveries / 8, beside: [], weighs: true }
  const weighed: Array<ReadonlyArray<Held>> = []
  for (let round = 0; round < troubledRounds; round++) {
    weighed.push(((await deliverer.ask("worker", heavy)) as Delivered).held)
  }
  // What drips or is never answered waits in the store from then on. Each round ends when its attempts have, after 15 s.
  const trouble = await interleaved(troubledRounds, "/s", { trouble: worker(besideTrouble) })
  const silence = await interleaved(plan.rounds, "/s", { silent: worker(besideSilence) })
  await deliverer.stop()
  await receivers.stop()

  const heldAt = (side: string, place: number, of: keyof Held): Series => ({
    side,
    unit: "MB",
    samples: weighed.map((round) => ({ value: round[place]?.[of] ?? Number.NaN }))
  })
  const weight = (what: string, of: keyof Held, goal: Row["goal"]): Row => ({
    what: `${what} of a worker after ${heavy.deliveries} answers that are endless or of 10 MB`,
    against: "after a tenth of them",
    ours: heldAt("late", 1, of),
    other: heldAt("early", 0, of),
    goal
  })
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
    },
    {
      what: "the same beside webhooks whose receivers answer endlessly, 10 MB, and in drips",
      against: "the same without them",
      ours: trouble("trouble"),
      other: series("worker"),
      goal: null,
      note: `${troublesome} deliveries of each are due, before all others`
    },
    weight("heap and buffers", "heap", { direction: "at most", bar: 1.2, aim: 1.1 }),
    weight("resident memory", "resident", null)
  ]
}
