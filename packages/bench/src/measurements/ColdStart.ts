import { execFileSync, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Bench } from "../Bench.ts"
import type { Dataset } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
import { fixedLimit, type Row } from "../Row.ts"
import { interleaved, type Sample } from "../Series.ts"

/** Writes the files of the npm package and of the image. */
const pack = fileURLToPath(new URL("../../../../apps/wcs/src/bundle/pack.ts", import.meta.url))

/** How long a server rests before its memory is measured. */
const restMillis = 5_000

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

/** A started server: the time until its first response, and its process. */
interface Started extends Sample {
  readonly pid: number
}

/**
 * Starts the program as an operator does, and calls it as soon as it announces its address. Ends it after the use.
 */
const startOnce = async (
  program: string,
  directory: string,
  call: FirstCall,
  use: (started: Started) => Promise<Sample> = async (started) => started
): Promise<Sample> => {
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
    if (status !== call.expected) throw new Error(`the first response was ${status}, not ${call.expected}`)
    return await use({ value, pid: child.pid ?? 0 })
  } finally {
    child.kill("SIGTERM")
    await ended
  }
}

/** The resident memory of a process in megabytes. NaN if the system does not report it in `/proc`. */
const residentOf = (pid: number): number => {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return Number.NaN
  return (Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(path, "utf8"))?.[1]) * 1024) / 1e6
}

/**
 * Measures the time from the start of the packed program to its first response over TLS, on a filled and on an empty
 * directory. Also measures the resident memory of the server at rest.
 */
export const measureColdStart = async (bench: Bench, dataset: Dataset): Promise<ReadonlyArray<Row>> => {
  bench.say("cold start: a directory with data, an empty one; memory at rest")
  const packed = bench.place()
  execFileSync(process.execPath, [pack, packed], { stdio: ["ignore", "ignore", "inherit"] })
  const program = join(packed, "main.js")
  const { directory, token } = await bench.copy(dataset)
  const path = `/openapi/v1/credentials/${idAt("credential", 0)}`
  const call = { path, token: token.secret, expected: 200 }
  const withData = () => startOnce(program, directory, call)
  const empty = () => startOnce(program, bench.place(), { path, token: "", expected: 401 })
  const atRest = () =>
    startOnce(program, directory, call, async ({ pid }) => {
      await setTimeout(restMillis)
      return { value: residentOf(pid) }
    })
  await withData() // creates the certificate and the compile cache that later starts use
  const series = await interleaved(bench.plan.coldStarts, "ms", { "with data": withData, empty })
  const resting = await interleaved(Math.ceil(bench.plan.coldStarts / 3), "MB", { resident: atRest })
  return [
    {
      what: "start to first answer, with data",
      against: fixedLimit,
      ours: series("with data"),
      goal: { direction: "at most", bar: 0.7, aim: 0.5 }
    },
    {
      what: "start to first answer, empty directory",
      against: fixedLimit,
      ours: series("empty"),
      goal: { direction: "at most", bar: 0.85, aim: 0.6 }
    },
    {
      what: `resident memory of the server ${restMillis / 1000} s after its first answer`,
      against: fixedLimit,
      ours: resting("resident"),
      goal: { direction: "at most", bar: 130, aim: 100 }
    }
  ]
}
