import { type Bench, engineOf } from "../Bench.ts"
import type { Dataset } from "../data/Dataset.ts"
import type { Server } from "../load/Processes.ts"
import { fixedLimit, judged, type Row } from "../Row.ts"

/** The first page of each list that an officer opens in the morning, as the console asks for it, and text of each answer. */
const lists = [
  { path: "/workers?sort=displayName:asc&pageSize=50&includeTotal=true", expected: '"total":' },
  // No two workers of the data are alike, so the call reads all keys.
  { path: "/duplicates?pageSize=50", expected: '"data":[]' },
  { path: "/tasks?pageSize=50&includeTotal=true", expected: '"CONDITIONAL"' }
] as const

/** The milliseconds of one call. */
const millisOf = async (server: Server, token: string, { expected, path }: (typeof lists)[number]): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-proto": "https" }
  const begun = performance.now()
  const response = await fetch(`http://127.0.0.1:${server.port}/openapi/v1${path}`, { headers })
  const text = await response.text()
  if (!text.includes(expected)) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
  return performance.now() - begun
}

/** Measures the first page of workers, duplicates and tasks, over as many workers as the console's organization has. */
export const measureFirstPages = async (bench: Bench, few: Dataset): Promise<ReadonlyArray<Row>> => {
  const { consoleWorkers: workers, rounds } = bench.plan
  const engine = engineOf(few)
  bench.say(`first pages on ${engine} with ${workers} workers, each with an open card`)
  const data = await bench.dataset({ workers, credentials: workers, isJudged: true, isOpen: true }, engine)
  const server = await bench.processes.server("ours", data.directory)
  const rows: Array<Row> = []
  for (const list of lists) {
    await millisOf(server, data.token.secret, list) // warms up
    const samples: Array<{ readonly value: number }> = []
    for (let round = 0; round < rounds; round++)
      samples.push({ value: await millisOf(server, data.token.secret, list) })
    rows.push({
      what: `first page of ${list.path.split("?")[0]}, ${workers} workers on ${engine}`,
      against: fixedLimit,
      ours: { side: "page", unit: "ms", samples },
      goal: { direction: "at most", bar: 0.3, aim: 0.15 }
    })
  }
  await server.stop()
  return rows.toSorted((one, two) => judged(two).median - judged(one).median)
}
