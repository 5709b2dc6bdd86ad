import { Connection, type Reply } from "./Connection.ts"
import { filled, type LoadJob, type LoadResult } from "./LoadJob.ts"

const nextCursor = /"nextCursor":"([^"]+)"/

/** The headers that identify the caller. */
const callerHeaders = (
  { authorization = "Bearer $token", session, token }: LoadJob,
  key: ReadonlyArray<string>
): ReadonlyArray<string> =>
  session === undefined
    ? [`Authorization: ${filled(authorization, key).replace("$token", token)}`]
    : [`Cookie: __Host-wcs=${session}`, "X-WCS-Console: 1", "Sec-Fetch-Site: same-origin"]

/** A call as a client behind the proxy makes it. */
const requestText = (job: LoadJob, key: ReadonlyArray<string>, path: string, body: string): string =>
  [
    `${job.template.method} ${path} HTTP/1.1`,
    "Host: localhost",
    ...callerHeaders(job, key),
    "Accept: application/json",
    "X-Forwarded-For: 198.51.100.7",
    "X-Forwarded-Proto: https",
    "X-Request-Id: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body
  ].join("\r\n")

/** Each key once, or repeatedly until the time is over. */
const keysOf = ({ keys, millis, repeats }: LoadJob) => {
  const deadline = performance.now() + millis
  let next = 0
  return (): ReadonlyArray<string> | undefined => {
    if (performance.now() >= deadline) return undefined
    if (repeats && next === keys.length) next = 0
    return keys[next++]
  }
}

/** Sends requests over one connection until no key is left. An unexpected response ends the job. */
const work = (
  connection: Connection,
  job: LoadJob,
  nextKey: () => ReadonlyArray<string> | undefined,
  latencies: Array<number>
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { expected, status: due = 200, template } = job
    const ask = (key: ReadonlyArray<string>, path: string, pagesLeft: number): void => {
      const begun = performance.now()
      const answered = ({ body, status }: Reply): void => {
        latencies.push(performance.now() - begun)
        const isExpected = status === due && body.includes(filled(expected, key))
        const cursor = pagesLeft > 0 ? nextCursor.exec(body)?.[1] : undefined
        if (!isExpected) reject(new Error(`${template.method} ${path}: ${status} ${body}`))
        else if (cursor === undefined) begin()
        else ask(key, `${filled(template.path, key).replace(/&cursor=.*$/, "")}&cursor=${cursor}`, pagesLeft - 1)
      }
      connection.send(requestText(job, key, path, filled(template.body ?? "", key)), answered, reject)
    }
    const begin = (): void => {
      const key = nextKey()
      if (key === undefined) resolve()
      else ask(key, filled(template.path, key), job.pages ?? 0)
    }
    begin()
  })

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Runs a job over several connections concurrently. Every response is checked, since a wrong one measures nothing. */
export const load = async (job: LoadJob): Promise<LoadResult> => {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)))
  try {
    const latencies: Array<number> = []
    const before = process.cpuUsage()
    const begun = performance.now()
    const nextKey = keysOf(job)
    await Promise.all(connections.map((connection) => work(connection, job, nextKey, latencies)))
    const millis = performance.now() - begun
    const { system, user } = process.cpuUsage(before)
    const sorted = latencies.toSorted((one, two) => one - two)
    return {
      requests: latencies.length,
      millis,
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      cpuMillis: (user + system) / 1000
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}
