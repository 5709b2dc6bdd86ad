import { type Bench, engineOf } from "../Bench.ts"
import type { Dataset, Token } from "../data/Dataset.ts"
import type { Server } from "../load/Processes.ts"
import { fixedLimit, judged, type Row } from "../Row.ts"

/** A list as the console asks for it, and text of each answer. */
interface List {
  readonly path: string
  readonly expected: string
}

/** The first page of each list that an officer opens in the morning. */
const lists: ReadonlyArray<List> = [
  { path: "/workers?sort=displayName:asc&pageSize=50&includeTotal=true", expected: '"total":' },
  // No two workers of the data are alike, so the call reads all keys.
  { path: "/duplicates?pageSize=50", expected: '"data":[]' },
  { path: "/tasks?pageSize=50&includeTotal=true", expected: '"CONDITIONAL"' }
]

const counted = "pageSize=1&includeTotal=true"

/** What users see who are limited to units: lists, and counts of the overview. */
const limitedLists: ReadonlyArray<List> = [
  { path: "/workers?sort=displayName:asc&pageSize=50&includeTotal=true", expected: '"total":' },
  { path: "/compliance-matrix?sort=displayName:asc&pageSize=50&includeTotal=true", expected: '"total":' },
  { path: "/credentials?pageSize=50&includeTotal=true", expected: '"WWCC_NSW"' },
  { path: "/tasks?pageSize=50&includeTotal=true", expected: '"CONDITIONAL"' },
  { path: `/workers?${counted}&compliance=PASS`, expected: '"total":' },
  { path: `/credentials?${counted}&eligibility=REVIEW_REQUIRED`, expected: '"WWCC_NSW"' },
  { path: `/credentials?${counted}&expiringFrom=2026-01-01&expiringBefore=2026-02-01`, expected: '"total":0' }
]

/** The milliseconds of one call. */
const millisOf = async (server: Server, { secret }: Token, { expected, path }: List): Promise<number> => {
  const headers = { authorization: `Bearer ${secret}`, "x-forwarded-proto": "https" }
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${server.port}/openapi/v1${path}`, { headers })
  const text = await response.text()
  if (!text.includes(expected)) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
  return performance.now() - begun
}

/**
 * Measures the first pages of lists, over as many workers as the console's organization has: of a user who sees all people,
 * and of users who are limited to a small and to a large unit. Of the latter, the slowest list counts.
 */
export const measureFirstPages = async (bench: Bench, few: Dataset): Promise<ReadonlyArray<Row>> => {
  const { consoleWorkers: workers, rounds } = bench.plan
  const engine = engineOf(few)
  bench.say(`first pages on ${engine} with ${workers} workers, each with an open card`)
  const data = await bench.dataset(
    { workers, credentials: workers, isJudged: true, isOpen: true, isInUnits: true },
    engine
  )
  const server = await bench.processes.server("ours", data.directory)
  const measured = async (token: Token, list: List, what: string): Promise<Row> => {
    await millisOf(server, token, list) // warms up
    const samples: Array<{ readonly value: number }> = []
    for (let round = 0; round < rounds; round++) samples.push({ value: await millisOf(server, token, list) })
    return {
      what: `first page of ${what}, ${workers} workers on ${engine}`,
      against: fixedLimit,
      ours: { side: "page", unit: "ms", samples },
      goal: { direction: "at most", bar: 0.3, aim: 0.15 }
    }
  }
  const slowestFirst = (rows: ReadonlyArray<Row>) =>
    rows.toSorted((one, two) => judged(two).median - judged(one).median)
  const rows: Array<Row> = []
  for (const list of lists) rows.push(await measured(data.token, list, String(list.path.split("?")[0])))
  for (const [unit, token] of [
    ["a unit of 20", data.ofSmallUnit],
    ["a unit of half of all", data.ofLargeUnit]
  ] as const) {
    const all: Array<Row> = []
    for (const list of limitedLists) {
      const row = await measured(token, list, `the slowest of ${limitedLists.length} lists of a user of ${unit}`)
      all.push({ ...row, note: list.path })
    }
    rows.push(...slowestFirst(all).slice(0, 1))
  }
  await server.stop()
  return slowestFirst(rows)
}
