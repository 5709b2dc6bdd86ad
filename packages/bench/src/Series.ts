import type { LoadJob, LoadResult } from "./load/LoadJob.ts"
import type { Client, Server } from "./load/Processes.ts"
import { type Spread, spreadOf } from "./load/Spread.ts"

/** One measured round of one side. */
export interface Sample {
  /** The compared value: calls per second, milliseconds per call, or memory. */
  readonly value: number
  readonly load?: LoadResult
  /** The server's resources and COMMITs during the round. */
  readonly server?: { readonly cpuMillis: number; readonly commits: number; readonly residentBytes: number }
  /** The busy share of all processors of the machine, by any process. */
  readonly busy?: number
}

/** All rounds of one side. */
export interface Series {
  readonly side: string
  readonly unit: "/s" | "ms" | "MB" | "kB"
  readonly samples: ReadonlyArray<Sample>
}

/** Calls per second of a load. */
export const perSecond = ({ millis, requests }: LoadResult): number => (requests * 1000) / millis
export const millisEach = ({ millis, requests }: LoadResult): number => millis / requests

/** Runs one job of the client against a server. */
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

/**
 * Measures all sides in turn, A B C A B C, so that other activity on the machine affects each alike. Returns the series
 * by side.
 */
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

/** The spread of a side's rounds. */
export const spread = ({ samples }: Series): Spread => spreadOf(samples.map(({ value }) => value))

/** One side's value divided by another's, round by round, so that common slowdowns cancel out. */
export const ratioOf = (one: Series, other: Series): Spread =>
  spreadOf(one.samples.map(({ value }, round) => value / (other.samples[round]?.value ?? Number.NaN)))

const sum = ({ samples }: Series, of: (sample: Sample) => number): number =>
  samples.reduce((total, sample) => total + of(sample), 0)

const requestsOf = (series: Series): number => sum(series, ({ load }) => load?.requests ?? 0)

/** The mean number of calls per COMMIT. */
export const meanGroup = (series: Series): number =>
  requestsOf(series) / sum(series, ({ server }) => server?.commits ?? 0)

/** Server processor time per call, in microseconds. */
export const cpuMicros = (series: Series): number =>
  (sum(series, ({ server }) => server?.cpuMillis ?? 0) * 1000) / requestsOf(series)

/** The client's share of one processor. Near 1 the client is the bottleneck. */
export const clientShare = (series: Series): number =>
  sum(series, ({ load }) => load?.cpuMillis ?? 0) / sum(series, ({ load }) => load?.millis ?? 0)
