import type { LoadJob, LoadResult } from "./load/LoadJob.ts"
import type { Client, Server } from "./load/Processes.ts"
import { type Spread, spreadOf } from "./load/Spread.ts"

/** One round of one side, as it was counted. */
export interface Sample {
  /** What is compared: calls per second, milliseconds each, or how much is held. */
  readonly value: number
  readonly load?: LoadResult
  /** What the server used up and did in that time. */
  readonly server?: { readonly cpuMillis: number; readonly commits: number; readonly residentBytes: number }
  /** Which share of all processors of the machine was busy, by whatever. */
  readonly busy?: number
}

/** All rounds of one side. */
export interface Series {
  readonly side: string
  readonly unit: "/s" | "ms" | "MB"
  readonly samples: ReadonlyArray<Sample>
}

/** How a load becomes the number that is compared. */
export const perSecond = ({ millis, requests }: LoadResult): number => (requests * 1000) / millis
export const millisEach = ({ millis, requests }: LoadResult): number => millis / requests

/** One job of the client's against a server. */
export const sampleOf = async (
  server: Server,
  client: Client,
  job: Omit<LoadJob, "port">,
  numberOf: (load: LoadResult) => number
): Promise<Required<Omit<Sample, "busy">>> => {
  const before = await server.sample()
  const load = await client.load({ ...job, port: server.port })
  const { commits, cpuMillis, residentBytes } = await server.sample()
  const used = { cpuMillis: cpuMillis - before.cpuMillis, commits: commits - before.commits, residentBytes }
  return { value: numberOf(load), load, server: used }
}

/** Rounds of all sides in turn, A B C A B C, so that whatever else the machine does falls on each of them alike. Answers a side's
 * series by its name. */
export const interleaved = async <Side extends string>(
  rounds: number,
  unit: Series["unit"],
  sides: Readonly<Record<Side, () => Promise<Sample>>>
): Promise<(side: Side) => Series> => {
  const taken = new Map<Side, Series & { readonly samples: Array<Sample> }>()
  for (const side in sides) taken.set(side, { side, unit, samples: [] })
  for (let round = 0; round < rounds; round++) {
    for (const [side, { samples }] of taken) samples.push(await sides[side]())
  }
  return (side) => taken.get(side) ?? { side, unit, samples: [] }
}

/** What the rounds of a side came to. */
export const spread = ({ samples }: Series): Spread => spreadOf(samples.map(({ value }) => value))

/** One side's number by another's, round by round: what slowed down both in a round falls out. */
export const ratioOf = (one: Series, other: Series): Spread =>
  spreadOf(one.samples.map(({ value }, round) => value / (other.samples[round]?.value ?? Number.NaN)))

const sum = ({ samples }: Series, of: (sample: Sample) => number): number =>
  samples.reduce((total, sample) => total + of(sample), 0)

const requestsOf = (series: Series): number => sum(series, ({ load }) => load?.requests ?? 0)

/** How many calls shared one COMMIT in the mean. */
export const meanGroup = (series: Series): number =>
  requestsOf(series) / sum(series, ({ server }) => server?.commits ?? 0)

/** Processor time of the server for one call, in microseconds. */
export const cpuMicros = (series: Series): number =>
  (sum(series, ({ server }) => server?.cpuMillis ?? 0) * 1000) / requestsOf(series)

/** Which share of one processor the client took: near 1 it would be the client that is measured. */
export const clientShare = (series: Series): number =>
  sum(series, ({ load }) => load?.cpuMillis ?? 0) / sum(series, ({ load }) => load?.millis ?? 0)
