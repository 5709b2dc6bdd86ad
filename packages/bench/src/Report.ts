import { figure, goalText, resultText, unitOf, withSpread } from "./Figures.ts"
import type { Machine } from "./Machine.ts"
import type { PostgresFacts } from "./Postgres.ts"
import { judged, type Row, reachesAim, verdictOf } from "./Row.ts"
import { clientShare, cpuMicros, type Series, spread } from "./Series.ts"

const seriesText = (series: Series | undefined): string =>
  series === undefined ? "" : withSpread(spread(series), unitOf(series))

const cells = (row: Row): ReadonlyArray<string> => [
  row.what,
  row.against,
  row.voidReason === undefined ? seriesText(row.ours) : "",
  row.voidReason === undefined ? seriesText(row.other) : "",
  resultText(row),
  goalText(row, "bar"),
  goalText(row, "aim"),
  verdictOf(row) + (reachesAim(row) ? ", aim reached" : ""),
  row.note ?? ""
]

type Mode = "full" | "quick"

const header = ["measurement", "compared with", "this service", "the other", "result", "bar", "aim", "verdict", "note"]

/** How to read the table. */
const legend = [
  "Each value is the median of the rounds, with the least and the most in parentheses.",
  "Result: this service divided by the other, round by round; or its own value, beside a fixed limit.",
  'Bar: required. Aim: desired. "reported" has neither.'
]

const aligned = (lines: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)))
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

const cost = (series: Series): string =>
  series.samples[0]?.server === undefined
    ? ""
    : `  ${series.side === "ours" ? "this service" : series.side}: ${figure(cpuMicros(series))} µs of the server's processor a call, client busy ${figure(clientShare(series) * 100)} %`

const costs = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const groups = Map.groupBy(rows, ({ what }) => what)
  return [...groups].flatMap(([what, group]) => {
    const series = new Set(group.flatMap(({ other, ours }) => [ours, ...(other === undefined ? [] : [other])]))
    const lines = [...series].map(cost).filter((line) => line !== "")
    return lines.length === 0 ? [] : [what, ...lines]
  })
}

const postgresFacts = ({ fsync, sharedBuffers, synchronousCommit, version }: PostgresFacts): string =>
  `Postgres ${version} on any of the processors: shared_buffers ${sharedBuffers}, synchronous_commit ${synchronousCommit}, fsync ${fsync}`

const facts = (machine: Machine): string => {
  const { cores, fdatasync, loadBefore, memoryGibibytes, node, pinning, postgres, processor, sqlite, system } = machine
  const held = pinning === null ? "not separated" : `servers on ${pinning.server}, client on ${pinning.client}`
  return [
    `${processor}, ${cores} cores (${held}), ${memoryGibibytes} GiB, ${system}, Node ${node}, SQLite ${sqlite}`,
    `load before ${figure(loadBefore)}; fdatasync of 4 KiB: median ${figure(fdatasync.median)} ms, p90 ${figure(fdatasync.p90)} ms`,
    ...(postgres === null ? [] : [postgresFacts(postgres)])
  ].join("\n")
}

/** The machine and the date of a run, in one line. */
export const captionOf = (machine: Omit<Machine, "postgres">, mode: Mode, startedAt: Date): string => {
  const { cores, loadBefore, memoryGibibytes, node, processor } = machine
  const day = startedAt.toISOString().slice(0, 10)
  return `${day}, ${mode} run: ${processor}, ${cores} cores, ${memoryGibibytes} GiB, Node ${node}, load average ${figure(loadBefore)} before the run`
}

/** Rows that the table shows only as part of a worse one. */
const beyond = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const parts = new Set(rows.flatMap(({ among = [] }) => among))
  return [...parts].filter((row) => verdictOf(row) === "miss").map((row) => `  ${row.what}: ${resultText(row)}`)
}

/** The printed report. */
export const textOf = (machine: Machine, rows: ReadonlyArray<Row>): string => {
  const spent = costs(rows)
  const missed = beyond(rows)
  return [
    facts(machine),
    "",
    ...aligned([header, ...rows.map(cells)]),
    "",
    ...legend,
    ...(missed.length === 0 ? [] : ["Beyond their bars:", ...missed]),
    ...(spent.length === 0 ? [] : ["Processor time of a call:", ...spent])
  ].join("\n")
}

const kept = (row: Row): Readonly<Record<string, unknown>> => ({
  what: row.what,
  against: row.against,
  ours: row.voidReason === undefined ? spread(row.ours) : null,
  theirs: row.voidReason !== undefined || row.other === undefined ? null : spread(row.other),
  unit: row.ours.unit,
  ratio: row.voidReason === undefined ? judged(row) : null,
  void: row.voidReason ?? null,
  ...row.goal,
  verdict: verdictOf(row),
  aimReached: reachesAim(row),
  note: row.note ?? null,
  rounds: { ours: row.ours.samples, theirs: row.other?.samples ?? null },
  ...(row.among === undefined ? {} : { among: row.among.map(kept) })
})

/** The machine-readable report, with everything measured. */
export const jsonOf = (machine: Machine, mode: Mode, startedAt: Date, rows: ReadonlyArray<Row>): string =>
  JSON.stringify({ version: 1, startedAt: startedAt.toISOString(), mode, machine, rows: rows.map(kept) }, null, 2)
