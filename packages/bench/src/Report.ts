import type { Machine } from "./Machine.ts"
import type { PostgresFacts } from "./Postgres.ts"
import { judged, type Row, reachesAim, verdictOf } from "./Row.ts"
import { clientShare, cpuMicros, type Series, spread } from "./Series.ts"

const signs = { "at least": "≥", "at most": "≤" } as const

/** Rounds to three significant digits. */
const figure = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)

const withSpread = (value: { readonly median: number; readonly least: number; readonly most: number }, unit = "") =>
  `${figure(value.median)}${unit} (${figure(value.least)}–${figure(value.most)})`

const seriesText = (series: Series | undefined): string =>
  series === undefined ? "" : withSpread(spread(series), series.unit === "/s" ? "/s" : ` ${series.unit}`)

const goalText = (goal: Row["goal"], value: "bar" | "aim"): string =>
  goal === null ? "" : `${signs[goal.direction]} ${goal[value]}`

const cells = (row: Row): ReadonlyArray<string> => [
  row.what,
  row.against,
  seriesText(row.ours),
  seriesText(row.other),
  withSpread(judged(row)),
  goalText(row.goal, "bar"),
  goalText(row.goal, "aim"),
  verdictOf(row) + (reachesAim(row) ? ", aim reached" : ""),
  row.note ?? ""
]

const header = ["what", "against", "ours", "theirs", "ratio", "bar", "aim", "verdict", "note"]

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
    : `  ${series.side}: ${figure(cpuMicros(series))} µs of the server's processor a call, client busy ${figure(clientShare(series) * 100)} %`

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

/** Rows that the table shows only as part of a worse one. */
const beyond = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const parts = new Set(rows.flatMap(({ among = [] }) => among))
  return [...parts].filter((row) => verdictOf(row) === "miss").map((row) => `  ${row.what}: ${withSpread(judged(row))}`)
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
    "Medians of the rounds (least–most); ratios are taken round by round.",
    ...(missed.length === 0 ? [] : ["Beyond their bars:", ...missed]),
    ...(spent.length === 0 ? [] : ["Cost of a call:", ...spent])
  ].join("\n")
}

const kept = (row: Row): Readonly<Record<string, unknown>> => ({
  what: row.what,
  against: row.against,
  ours: spread(row.ours),
  theirs: row.other === undefined ? null : spread(row.other),
  unit: row.ours.unit,
  ratio: judged(row),
  ...row.goal,
  verdict: verdictOf(row),
  aimReached: reachesAim(row),
  note: row.note ?? null,
  rounds: { ours: row.ours.samples, theirs: row.other?.samples ?? null },
  ...(row.among === undefined ? {} : { among: row.among.map(kept) })
})

/** The machine-readable report, with everything measured. */
export const jsonOf = (machine: Machine, mode: "full" | "quick", startedAt: Date, rows: ReadonlyArray<Row>): string =>
  JSON.stringify({ version: 1, startedAt: startedAt.toISOString(), mode, machine, rows: rows.map(kept) }, null, 2)
