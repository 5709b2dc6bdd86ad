import { Connection, type Reply } from "./Connection.ts"
import { filled, type LoadJob, type LoadResult } from "./LoadJob.ts"
import { requestText } from "./RequestText.ts"
import { quantileOf } from "./Spread.ts"

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
    const begin = (): void => {
      const key = nextKey()
      if (key === undefined) {
        resolve()
        return
      }
      const path = filled(template.path, key)
      const begun = performance.now()
      const answered = ({ body, status }: Reply): void => {
        latencies.push(performance.now() - begun)
        if (status === due && body.includes(filled(expected, key))) begin()
        else reject(new Error(`${template.method} ${path}: ${status} ${body}`))
      }
      connection.send(requestText(job, key, path, filled(template.body ?? "", key)), answered, reject)
    }
    begin()
  })

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
    return {
      requests: latencies.length,
      millis,
      p50: quantileOf(latencies, 0.5),
      p99: quantileOf(latencies, 0.99),
      cpuMillis: (user + system) / 1000
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}
