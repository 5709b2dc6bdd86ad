import { setImmediate, setTimeout } from "node:timers/promises"
import { Connection, type Reply } from "./Connection.ts"
import { filled, type LoadJob } from "./LoadJob.ts"
import { requestText } from "./RequestText.ts"
import { quantileOf } from "./Spread.ts"

/** The outcomes of a schedule's requests. */
export interface Account {
  /** The requests of the schedule, whether they were sent or not. */
  readonly published: number
  readonly answered: number
  /** Refused with 429 or 503. */
  readonly refused: number
  /** Sent, but without an answer when the round ended. */
  readonly cutOff: number
}

/** Whether the outcome of every request is known. Otherwise the latencies leave out requests, probably the slowest. */
export const isComplete = ({ answered, cutOff, published, refused }: Account): boolean =>
  published === answered + refused + cutOff

export const totalOf = (accounts: ReadonlyArray<Account>): Account =>
  accounts.reduce(
    (sum, one) => ({
      published: sum.published + one.published,
      answered: sum.answered + one.answered,
      refused: sum.refused + one.refused,
      cutOff: sum.cutOff + one.cutOff
    }),
    { published: 0, answered: 0, refused: 0, cutOff: 0 }
  )

export interface OpenResult extends Account {
  /** Milliseconds from the scheduled times to the answers: the 99th percentile. */
  readonly p99: number
}

export const resultOf = (account: Account, latencies: ReadonlyArray<number>): OpenResult => ({
  ...account,
  p99: quantileOf(latencies, 0.99)
})

/** A number of requests at equal intervals. */
export interface Schedule {
  readonly count: number
  readonly perSecond: number
}

/** Connections of an open loop: many clients, so that a request seldom waits for a free one. */
export const openConnections = 128

/** How long the answers to the last requests are awaited. */
export const graceMillis = 5_000

/** Waits less than a timer can. It occupies the processor, so only a process without other work may use it. */
export const spin = (): Promise<void> => setImmediate(undefined)
/** Waits about a millisecond. */
export const rest = (): Promise<void> => setTimeout(1)

/**
 * Calls `publish` at each scheduled time, with that time. Does not wait for what `publish` begins. If the process is
 * late, it calls several at once, with the times that they should have had.
 */
export const follow = async (
  { count, perSecond }: Schedule,
  publish: (at: number, n: number) => void,
  wait: () => Promise<void>
): Promise<void> => {
  const begun = performance.now()
  for (let n = 0; n < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) * perSecond) / 1000) + 1)
    for (; n < due; n++) publish(begun + (n * 1000) / perSecond, n)
    if (n < count) await wait()
  }
}

/** Waits until all is done or the grace period is over. */
export const settled = async (isDone: () => boolean, millis: number): Promise<void> => {
  const until = performance.now() + millis
  while (!isDone() && performance.now() < until) await setTimeout(5)
}

/** A job that sends each request at its scheduled time, or when a connection is free after it. */
export interface OpenJob
  extends Schedule,
    Pick<LoadJob, "connections" | "expected" | "keys" | "port" | "status" | "template" | "token"> {
  readonly graceMillis?: number
}

interface Due {
  readonly at: number
  readonly key: ReadonlyArray<string>
}

const refusals: ReadonlyArray<number> = [429, 503]

/** Sends requests by a schedule over several connections. An unexpected response ends the job. */
export const openLoad = async (job: OpenJob): Promise<OpenResult> => {
  const { count, expected, keys, status: wanted = 200, template } = job
  const all = new Set(await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port))))
  const idle = [...all]
  const waiting: Array<Due> = []
  const latencies: Array<number> = []
  let inFlight = 0
  let refused = 0
  let broken = 0
  let fault: Error | undefined

  const free = (connection: Connection): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(connection)
    else send(connection, next)
  }
  const replace = async (connection: Connection): Promise<void> => {
    all.delete(connection)
    const opened = await Connection.open(job.port).catch(() => undefined)
    if (opened === undefined) return
    all.add(opened)
    free(opened)
  }
  const send = (connection: Connection, { at, key }: Due): void => {
    inFlight += 1
    const answered = ({ body, status }: Reply): void => {
      inFlight -= 1
      if (status === wanted && body.includes(filled(expected, key))) latencies.push(performance.now() - at)
      else if (refusals.includes(status)) refused += 1
      else fault ??= new Error(`${template.method} ${template.path}: ${status} ${body}`)
      free(connection)
    }
    const failed = (): void => {
      inFlight -= 1
      broken += 1
      void replace(connection)
    }
    connection.send(
      requestText(job, key, filled(template.path, key), filled(template.body ?? "", key)),
      answered,
      failed
    )
  }
  const publish = (at: number, n: number): void => {
    const due = { at, key: keys[n % keys.length] ?? [] }
    const connection = idle.shift()
    if (connection === undefined) waiting.push(due)
    else send(connection, due)
  }

  try {
    await follow(job, publish, spin)
    await settled(() => inFlight === 0 && waiting.length === 0, job.graceMillis ?? graceMillis)
    if (fault !== undefined) throw fault
    return resultOf({ published: count, answered: latencies.length, refused, cutOff: broken + inFlight }, latencies)
  } finally {
    for (const connection of all) connection.close()
  }
}
