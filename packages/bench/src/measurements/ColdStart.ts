import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { request } from "node:https"
import { fileURLToPath } from "node:url"
import type { Bench } from "../Bench.ts"
import type { Dataset } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
import type { Row } from "../Row.ts"
import { interleaved, type Sample } from "../Series.ts"

const program = fileURLToPath(new URL("../../../../apps/wcs/start.mjs", import.meta.url))

/** The first call to a server. */
interface FirstCall {
  readonly path: string
  readonly token: string
  readonly expected: number
}

/** The address that a server announces. */
interface Announced {
  readonly port: number
  readonly certificateFile: string
}

const statusOf = ({ certificateFile, port }: Announced, { path, token }: FirstCall): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = token === "" ? {} : { authorization: `Bearer ${token}` }
    const options = { port, path, headers, host: "localhost", agent: false, ca: readFileSync(certificateFile) }
    request(options)
      .once("error", reject)
      .once("response", (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode ?? 0))
      })
      .end()
  })

/** The resident memory of a process in megabytes; none except on Linux. */
const residentOf = (pid: number | undefined): ReadonlyArray<Sample> => {
  try {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return [{ value: (Number(kibibytes) * 1024) / 1e6 }]
  } catch {
    return []
  }
}

/** Starts the program as an operator does, calls it as soon as it announces its address, and ends it. */
const startOnce = async (directory: string, call: FirstCall, resident: Array<Sample>): Promise<Sample> => {
  const begun = performance.now()
  const child = spawn(process.execPath, [program, "serve", "--json"], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      WCS_DATA: directory,
      WCS_PORT: "0",
      WCS_ADMIN_PORT: "0",
      WCS_LOG_LEVEL: "warn"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => child.once("close", resolve))
  try {
    const announced = await new Promise<Announced>((resolve, reject) => {
      let text = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        if (text.endsWith("\n")) resolve(JSON.parse(text))
      })
      child.once("close", (code) => reject(new Error(`the server ended with ${code}`)))
    })
    const status = await statusOf(announced, call)
    const value = performance.now() - begun
    resident.push(...residentOf(child.pid))
    if (status !== call.expected) throw new Error(`the first response was ${status}, not ${call.expected}`)
    return { value }
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

/** Measures from the start of the program to its first response over TLS, on a filled and on an empty directory. */
export const measureColdStart = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  bench.say("cold start: a directory with data, an empty one")
  const { directory, token } = await bench.copy(dataset)
  const path = `/openapi/v1/credentials/${idAt("credential", 0)}`
  const resident: Array<Sample> = []
  const withData = () => startOnce(directory, { path, token: token.secret, expected: 200 }, resident)
  const empty = () => startOnce(bench.place(), { path, token: "", expected: 401 }, [])
  await withData() // creates the certificate, the bundle and the compile cache that later starts use
  const series = await interleaved(bench.plan.coldStarts, "ms", { "with data": withData, empty })
  const goal = { direction: "at most", bar: 0.4, aim: 0.3 } as const
  return [
    { what: "cold start to first answer", against: "with data, in s", ours: series("with data"), goal },
    { what: "cold start to first answer", against: "empty directory, in s", ours: series("empty"), goal },
    ...(resident.length === 0
      ? []
      : [
          {
            what: "resident memory of a server after its first answer",
            against: "in MB",
            ours: { side: "ours", unit: "MB", samples: resident },
            goal: { direction: "at most", bar: 150, aim: 100 }
          } as const
        ])
  ]
}
