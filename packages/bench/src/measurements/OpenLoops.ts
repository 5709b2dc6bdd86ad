import { mkdirSync } from "node:fs"
import { type Bench, serverOn } from "../Bench.ts"
import type { Dataset } from "../data/Dataset.ts"
import { type Account, isComplete, type OpenResult, totalOf } from "../load/OpenLoop.ts"
import { medianOf } from "../load/Spread.ts"
import type { Row } from "../Row.ts"
import { interleaved, type Sample, type Series } from "../Series.ts"
import { Linker } from "./Linking.ts"
import type { OpenDelivered, OpenDelivery } from "./OpenDeliver.ts"
import { readingOf } from "./Reading.ts"

/** The rate of an open loop, as a share of the side's own capacity. */
const share = 0.7

/** Closed rounds that measure the capacity of a side. */
const capacityRounds = 3

/** Webhooks, each with its own receiver, as in `Delivering.ts`. */
const webhooks = 64

/** A side: a closed round returns its calls per second, and an open round sends at a rate. */
interface OpenSide {
  readonly closed: () => Promise<number>
  readonly open: (rate: number) => Promise<OpenResult>
}

/** The rounds of a side in an open loop. */
export interface OpenSeries {
  readonly series: Series
  readonly account: Account
  readonly rate: number
}

const accountText = ({ answered, cutOff, published, refused }: Account): string =>
  `${published} published, ${answered} answered, ${refused} refused, ${cutOff} cut off`

/** A row of an open loop. It is void if the outcome of a request is unknown. */
export const openRow = (what: string, against: string, ours: OpenSeries, other: OpenSeries): Row => {
  const unknown = [ours, other].find(({ account }) => !isComplete(account))
  return {
    what: `p99 of ${what}, open loop`,
    against,
    ours: ours.series,
    other: other.series,
    goal: { direction: "at most", bar: 1.5, aim: 1.2 },
    note: `${Math.round(ours.rate)}/s and ${Math.round(other.rate)}/s; ${accountText(ours.account)}; theirs ${accountText(other.account)}`,
    ...(unknown === undefined ? {} : { voidReason: accountText(unknown.account) })
  }
}

/** Measures two sides in turn, each at its share of its own capacity. */
const openRowOf = async ({ plan }: Bench, what: string, against: string, ours: OpenSide, other: OpenSide) => {
  const rateOf = async ({ closed }: OpenSide): Promise<number> => {
    const rates: Array<number> = []
    for (let round = 0; round < capacityRounds; round++) rates.push(await closed())
    return share * medianOf(rates)
  }
  const rates = { ours: await rateOf(ours), other: await rateOf(other) }
  const results: Record<"ours" | "other", Array<OpenResult>> = { ours: [], other: [] }
  const round =
    (name: "ours" | "other", { open }: OpenSide) =>
    async (): Promise<Sample> => {
      const result = await open(rates[name])
      results[name].push(result)
      return { value: result.p99 }
    }
  const series = await interleaved(plan.rounds, "ms", { ours: round("ours", ours), other: round("other", other) })
  const taken = (name: "ours" | "other"): OpenSeries => ({
    series: series(name),
    account: totalOf(results[name]),
    rate: rates[name]
  })
  return openRow(what, against, taken("ours"), taken("other"))
}

const measureOpenReading = async (bench: Bench, dataset: Dataset): Promise<Row> => {
  const { readAt, round, warmUp } = readingOf(bench, dataset)
  const { server: ours } = await serverOn(bench, dataset, "ours")
  const { server: fastify } = await serverOn(bench, dataset, "fastify")
  const sideOf = (server: typeof ours): OpenSide => ({
    closed: async () => (await round(server)()).value,
    open: (rate) => readAt(server, rate)
  })
  for (const server of [ours, fastify]) await warmUp(server)
  const row = await openRowOf(bench, "GET /credentials/{id}", "Fastify", sideOf(ours), sideOf(fastify))
  for (const server of [ours, fastify]) await server.stop()
  return row
}

const measureOpenLinking = async (bench: Bench, dataset: Dataset): Promise<Row> => {
  const { plan } = bench
  const turns = plan.rounds + capacityRounds + 1
  const ours = new Linker(bench, await serverOn(bench, dataset, "ours"), turns)
  const fastify = new Linker(bench, await serverOn(bench, dataset, "fastify"), turns)
  const sideOf = (linker: Linker): OpenSide => ({
    closed: async () => (await linker.link(plan.roundMillis)).value,
    open: (rate) => linker.linkAt(rate, plan.roundMillis)
  })
  for (const side of [ours, fastify]) await side.link(plan.warmUpMillis)
  const row = await openRowOf(
    bench,
    "POST /credentials/{id}/link, durable",
    "Fastify, one link per COMMIT",
    sideOf(ours),
    sideOf(fastify)
  )
  for (const side of [ours, fastify]) await side.finish()
  return row
}

/** Both sides store each delivery before they send it, and its outcome afterwards. The capacity includes both. */
const measureOpenDelivering = async (bench: Bench): Promise<Row> => {
  const { place, plan, processes } = bench
  const directory = place()
  mkdirSync(directory)
  const receivers = await processes.receivers(webhooks)
  const deliverer = await processes.deliverer(directory)
  const { answering: ports } = receivers.ports
  const ask = async (name: "openWorker" | "openByHand", job: Omit<OpenDelivery, "ports">) =>
    (await deliverer.ask(name, { ...job, ports })) as OpenDelivered
  const sideOf = (name: "openWorker" | "openByHand"): OpenSide => ({
    closed: async () => (await ask(name, { count: plan.deliveries / 16, perSecond: 1e9 })).perSecond,
    open: (rate) => ask(name, { count: Math.floor((rate * plan.roundMillis) / 1000), perSecond: rate })
  })
  const row = await openRowOf(
    bench,
    "a delivery, receivers answer after 20 ms",
    "written by hand, one COMMIT per write",
    sideOf("openWorker"),
    sideOf("openByHand")
  )
  await deliverer.stop()
  await receivers.stop()
  return row
}

/**
 * Measures reads, links and deliveries as open loops: requests arrive at a fixed rate, whether earlier ones were
 * answered or not. A latency counts from the scheduled time.
 */
export const measureOpenLoops = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  bench.say("open loops at 70 % of capacity: reading, linking, delivering")
  return [
    await measureOpenReading(bench, dataset),
    await measureOpenLinking(bench, dataset),
    await measureOpenDelivering(bench)
  ]
}
