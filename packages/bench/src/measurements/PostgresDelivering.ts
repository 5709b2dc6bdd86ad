import { cpus } from "node:os"
import type { Bench } from "../Bench.ts"
import { databaseOf } from "../data/DatabaseUrl.ts"
import type { Dataset } from "../data/Dataset.ts"
import type { Answering } from "../load/Questions.ts"
import { medianOf } from "../load/Spread.ts"
import { connected } from "../Postgres.ts"
import type { Row } from "../Row.ts"
import { interleaved, type Sample, type Series } from "../Series.ts"
import type { AttemptsMax, SharedJob } from "./PostgresDeliver.ts"

/** The number of webhooks, each with its own receiver. */
const webhooks = 64

/** Attempts in flight per worker when processors must not be the limit. */
const fewAttempts = 16

const twofold: Row["goal"] = { direction: "at least", bar: 1.7, aim: 1.9 }

/** Resolves when the workers have together written this many outcomes. Rejects if one of them ends early. */
const allDelivered = (workers: ReadonlyArray<Answering>, wanted: number): Promise<void> => {
  const counts = new Map(workers.map((worker) => [worker, 0]))
  const isDone = () => [...counts.values()].reduce((sum, count) => sum + count, 0) >= wanted
  return new Promise((resolve, reject) => {
    const watch = async (worker: Answering): Promise<void> => {
      while (!isDone()) counts.set(worker, (await worker.ask("delivered", counts.get(worker))) as number)
      resolve()
    }
    for (const worker of workers) watch(worker).catch(reject)
  })
}

/** The busy and the total time of all processors, in milliseconds. */
const processorTimes = () =>
  cpus().reduce(
    ({ busy, all }, { times: { idle, irq, nice, sys, user } }) => ({
      busy: busy + irq + nice + sys + user,
      all: all + idle + irq + nice + sys + user
    }),
    { busy: 0, all: 0 }
  )

const countDelivered = (url: string): Promise<number> =>
  connected(url, async (client) => {
    const { rows } = await client.query("SELECT count(*) AS delivered FROM delivery WHERE state = 'DELIVERED'")
    return Number(rows[0].delivered)
  })

const busyText = ({ samples }: Series): string =>
  `${(medianOf(samples.map(({ busy = Number.NaN }) => busy)) * 100).toFixed(0)} %`

/** Compares two workers on one Postgres with one: whether throughput doubles, or they wait for each other. */
export const measurePostgresDelivering = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  const { plan, processes, say } = bench
  say(`delivering on Postgres: two workers and one, ${webhooks} webhooks`)
  const { directory } = await bench.copy(dataset)
  const url = databaseOf(directory)
  if (url === null) throw new Error("separate workers need a store on Postgres")
  const receivers = await processes.receivers(webhooks)
  const one = await processes.worker(directory)
  const other = await processes.worker(directory)
  const { answering: ports } = receivers.ports

  const take =
    (workers: ReadonlyArray<Answering>, deliveries: number, most: AttemptsMax) => async (): Promise<Sample> => {
      await one.ask("makeDue", { ports, deliveries } satisfies SharedJob)
      const before = processorTimes()
      const begun = performance.now()
      await Promise.all(workers.map((worker) => worker.ask("begin", most)))
      await allDelivered(workers, deliveries)
      const millis = performance.now() - begun
      const after = processorTimes()
      await Promise.all(workers.map((worker) => worker.ask("end")))
      const { ids, requests } = await receivers.taken()
      const written = await countDelivered(url)
      if (ids !== deliveries || requests < ids || written !== deliveries) {
        throw new Error(
          `of ${deliveries} deliveries ${ids} arrived, in ${requests} requests, and ${written} are recorded`
        )
      }
      return { value: (deliveries * 1000) / millis, busy: (after.busy - before.busy) / (after.all - before.all) }
    }
  const compare = async (deliveries: number, most: AttemptsMax) => {
    const [alone, together] = [take([one], deliveries, most), take([one, other], deliveries, most)]
    await alone()
    await together()
    const series = await interleaved(plan.rounds, "/s", { "two workers": together, "one worker": alone })
    const [ours, theirs] = [series("two workers"), series("one worker")]
    const busy = `all processors ${busyText(ours)} busy, with one worker ${busyText(theirs)}`
    return { against: "one worker, the same deliveries", ours, other: theirs, busy }
  }
  const { busy, ...whole } = await compare(plan.sharedDeliveries, null)
  const { busy: lessBusy, ...few } = await compare(plan.fewSharedDeliveries, fewAttempts)
  for (const worker of [one, other]) await worker.stop()
  await receivers.stop()
  const what = `deliveries, two workers on one Postgres, ${webhooks} webhooks`
  return [
    { what, ...whole, goal: null, note: `receivers answer after 20 ms; ${busy}` },
    { what: `${what}, ${fewAttempts} attempts in flight of each`, ...few, goal: twofold, note: lessBusy }
  ]
}
