import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleProgram } from "@wcs/wcs/bundle/ProgramBundle"
import type { Bench } from "../Bench.ts"
import type { Answering } from "../load/Questions.ts"
import { fixedLimit, type Row } from "../Row.ts"
import { interleaved, type Sample, type Series } from "../Series.ts"
import type { Delivered, DeliverJob, Held } from "./Deliver.ts"

/** The number of webhooks, each with its own receiver. */
const webhooks = 64

/** How often the memory of a worker is measured. */
const memoryRounds = 3

/** Deliveries to receivers that answer endlessly or with 10 MB, half of them each, while memory is measured. */
const hostile = 1000

/** The memory of a worker, with the goals. `held` is its memory early and late in each round. */
const weightRows = (held: ReadonlyArray<ReadonlyArray<Held>>): ReadonlyArray<Row> => {
  const heldAt = (side: string, place: number, of: keyof Held): Series => ({
    side,
    unit: "MB",
    samples: held.map((round) => ({ value: round[place]?.[of] ?? Number.NaN }))
  })
  const after = `of a worker after ${hostile} responses that are endless or of 10 MB`
  return [
    {
      what: `heap and buffers ${after}`,
      against: "after a tenth of them",
      ours: heldAt("late", 1, "heap"),
      other: heldAt("early", 0, "heap"),
      goal: { direction: "at most", bar: 1.2, aim: 1.1 }
    },
    {
      what: `resident memory ${after}`,
      against: fixedLimit,
      ours: heldAt("late", 1, "resident"),
      goal: { direction: "at most", bar: 250, aim: 180 }
    }
  ]
}

/**
 * Bundles the delivering process, as the packed program is bundled. From the sources it would need 90 MB more, for Node
 * to strip their types.
 */
const bundleDeliverer = async (folder: string): Promise<string> => {
  const outfile = join(folder, "deliver.mjs")
  const contents = 'import { deliver } from "./Deliverer.ts"\nawait deliver(process.argv[3] ?? "")'
  const resolveDir = fileURLToPath(new URL(".", import.meta.url))
  await bundleProgram({ stdin: { contents, loader: "ts", resolveDir }, outfile, external: ["esbuild"] })
  return outfile
}

/**
 * Compares one worker with a bare loop of the same HTTP client: the cost of claiming, signing, and writing outcomes
 * durably.
 */
export const measureDelivering = async ({ place, plan, processes, say }: Bench): Promise<ReadonlyArray<Row>> => {
  say(`delivering: one worker and a bare loop, ${webhooks} webhooks`)
  const newDeliverer = (program?: string): Promise<Answering> => {
    const directory = place()
    mkdirSync(directory)
    return processes.deliverer(directory, program)
  }
  const receivers = await processes.receivers(webhooks)
  const { answering, endless, long } = receivers.ports
  const deliverer = await newDeliverer()
  const job: DeliverJob = { ports: answering, deliveries: plan.deliveries, weighs: false }

  const bare = async (): Promise<Sample> => sampleOf((await deliverer.ask("bare", job)) as number, 0)
  const worker = async (): Promise<Sample> =>
    sampleOf(((await deliverer.ask("worker", job)) as Delivered).millis, plan.deliveries)
  const sampleOf = async (millis: number, expected: number): Promise<Sample> => {
    const { ids, requests } = await receivers.taken()
    if (requests !== plan.deliveries || ids !== expected)
      throw new Error(`the receivers got ${requests} requests with ${ids} ids`)
    return { value: (plan.deliveries * 1000) / millis }
  }

  await bare()
  await worker()
  const series = await interleaved(plan.rounds, "/s", { worker, bare })
  await deliverer.stop()
  say("delivering to receivers that answer endlessly, or with 10 MB")
  const heavy: DeliverJob = { ports: [endless, long], deliveries: hostile, weighs: true }
  const held: Array<ReadonlyArray<Held>> = []
  const packed = await bundleDeliverer(place())
  for (let round = 0; round < memoryRounds; round++) {
    // A new process each, because the allocator keeps memory of earlier rounds.
    const fresh = await newDeliverer(packed)
    held.push(((await fresh.ask("worker", heavy)) as Delivered).held)
    await fresh.stop()
  }
  await receivers.stop()

  return [
    {
      what: `deliveries, one worker, ${webhooks} webhooks`,
      against: "a bare loop of the same HTTP client",
      ours: series("worker"),
      other: series("bare"),
      goal: { direction: "at least", bar: 0.5, aim: 0.7 },
      note: "receivers answer after 20 ms"
    },
    ...weightRows(held)
  ]
}
