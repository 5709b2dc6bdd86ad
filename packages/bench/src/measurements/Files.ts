import type { Bench } from "../Bench.ts"
import type { Server } from "../load/Processes.ts"
import type { Row } from "../Row.ts"
import type { Sample } from "../Series.ts"

/** The lists, each in a form. */
const files = [
  { path: "/openapi/v1/credentials", accept: "text/csv" },
  { path: "/openapi/v1/credentials", accept: "text/html" },
  { path: "/openapi/v1/reports/verifications", accept: "text/csv" }
]

const shares = 10

interface Sent {
  readonly rows: number
  readonly seconds: number
  /** The greatest resident memory of the server while each tenth of the rows was sent, in megabytes. */
  readonly resident: ReadonlyArray<number>
}

const lineFeed = 10

/** Reads a whole file, and counts its rows by their line ends. */
const read = async (
  server: Server,
  token: string,
  { accept, path }: (typeof files)[number],
  expected: number
): Promise<Sent> => {
  const begun = performance.now()
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-proto": "https", accept }
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })
  if (response.status !== 200 || response.body === null) throw new Error(`${path}: ${response.status}`)
  const resident = Array.from({ length: shares }, () => 0)
  let rows = 0
  let sampledRows = 0
  for await (const piece of response.body) {
    for (const byte of piece) if (byte === lineFeed) rows++
    if (rows - sampledRows < expected / (shares * 20)) continue
    sampledRows = rows
    const share = Math.min(shares - 1, Math.floor((rows * shares) / expected))
    const { residentBytes } = await server.sample()
    resident[share] = Math.max(resident[share] ?? 0, residentBytes / 1e6)
  }
  if (rows < expected) throw new Error(`${path}: ${rows} rows of ${expected}`)
  return { rows, seconds: (performance.now() - begun) / 1000, resident }
}

/**
 * Sends whole lists as files, and compares the memory of the server at the end with that after a tenth of the rows. The
 * first tenth fills caches and the heap of a new process.
 */
export const measureFiles = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const { manyRows } = bench.plan
  const { directory, token } = await bench.dataset({ workers: manyRows, credentials: manyRows }, "SQLite")
  const rows: Array<Row> = []
  for (const file of files) {
    bench.say(`${file.path} as ${file.accept}: ${manyRows} rows`)
    const server = await bench.processes.server("ours", directory)
    const { resident, rows: sent, seconds } = await read(server, token.secret, file, manyRows)
    await server.stop()
    const [, early = Number.NaN] = resident
    const of = (value: number): ReadonlyArray<Sample> => [{ value }]
    rows.push({
      what: `memory while ${file.path} is sent as ${file.accept}, the last tenth`,
      against: `the second tenth of ${manyRows} rows`,
      ours: { side: "last tenth", unit: "MB", samples: of(resident.at(-1) ?? Number.NaN) },
      other: { side: "second tenth", unit: "MB", samples: of(early) },
      goal: { direction: "at most", bar: 1.3, aim: 1.1 },
      note: `${Math.round(sent / seconds)} rows a second`
    })
  }
  return rows
}
