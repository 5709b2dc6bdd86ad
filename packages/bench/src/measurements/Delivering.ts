import { mkdirSync } from "node:fs"
import type { Bench } from "../Bench.ts"
import type { Row } from "../Row.ts"
import { interleaved, type Sample, type Series } from "../Series.ts"
import type { Delivered, DeliverJob, Held } from "./Deliver.ts"

/** The number of webhooks, each with its own receiver. */
const webhooks = 64

/** Deliveries to a receiver that never answers. */
const unanswered = 1000

/** Deliveries to each of the receivers that answer endlessly, with 10 MB, or in drips. */
const troublesome = 100

/** Deliveries to the endless and the long responses when memory is measured. */
const hostile = 1000

/** How often a worker is measured with faulty receivers, 15 s each time for the drips. */
const troubledRounds = 3

/** The memory of a worker, with the goals. `held` is its memory early and late in each round. */
const weightRows = ({ deliveries }: DeliverJob, held: ReadonlyArray<ReadonlyArray<Held>>): ReadonlyArray<Row> => {
  const heldAt = (side: string, place: number, of: keyof Held): Series => ({
    side,
    unit: "MB",
    samples: held.map((round) => ({ value: round[place]?.[of] ?? Number.NaN }))
  })
  const what = `of a worker after ${deliveries} responses that are endless or of 10 MB`
  return [
    {
      what: `heap and buffers ${what}`,
      against: "after a tenth of them",
      ours: heldAt("late", 1, "heap"),
      other: heldAt("early", 0, "heap"),
      goal: { direction: "at most", bar: 1.2, aim: 1.1 }
    },
    {
      what: `resident memory ${what}`,
      against: "in MB",
      ours: heldAt("late", 1, "resident"),
      goal: { direction: "at most", bar: 250, aim: 180 }
    }
  ]
}

/** Deliveries per second, alone and beside faulty receivers. */
const rowsOf = (
  series: (side: "worker" | "bare") => Series,
  silence: (side: "silent") => Series,
  trouble: (side: "trouble") => Series
): ReadonlyArray<Row> => [
  {
    what: `deliveries, one worker, ${webhooks} webhooks`,
    against: "a bare loop of the same HTTP client",
    ours: series("worker"),
    other: series("bare"),
    goal: { direction: "at least", bar: 0.6, aim: 0.8 },
    note: "receivers answer after 20 ms"
  },
  {
    what: "the same with a webhook whose receiver never answers",
    against: "the same without that webhook",
    ours: silence("silent"),
    other: series("worker"),
    goal: null,
    note: `${unanswered} of its deliveries are due, before all others`
  },
  {
    what: "the same with webhooks whose receivers answer endlessly, 10 MB, and in drips",
    against: "the same without those webhooks",
    ours: trouble("trouble"),
    other: series("worker"),
    goal: null,
    note: `${troublesome} deliveries of each are due, before all others`
  }
]

/**
 * Compares one worker with a bare loop of the same HTTP client: the cost of claiming, signing, and writing outcomes
 * durably.
 */
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
    if (requests !== plan.deliveries || ids !== expected)
      throw new Error(`the receivers got ${requests} requests with ${ids} ids`)
    return { value: (plan.deliveries * 1000) / millis }
  }

  say("delivering to receivers that answer endlessly or 10 MB, in a process for each round")
  const heavy: DeliverJob = { ports: [endless, long], deliveries: hostile, beside: [], weighs: true }
  const held: Array<ReadonlyArray<Held>> = []
  for (let round = 0; round < troubledRounds; round++) {
    const fresh = place()
    mkdirSync(fresh)
    const weighed = await processes.deliverer(fresh)
    held.push(((await weighed.ask("worker", heavy)) as Delivered).held)
    await weighed.stop()
  }
  await bare()
  await worker(job)()
  const series = await interleaved(plan.rounds, "/s", { worker: worker(job), bare })
  say("delivering to receivers that answer endlessly, 10 MB, in drips, or not at all")
  // Deliveries to dripping and silent receivers stay in the store. Each round ends after their attempts, 15 s.
  const trouble = await interleaved(troubledRounds, "/s", { trouble: worker(besideTrouble) })
  const silence = await interleaved(plan.rounds, "/s", { silent: worker(besideSilence) })
  await deliverer.stop()
  await receivers.stop()

  return [...rowsOf(series, silence, trouble), ...weightRows(heavy, held)]
}
