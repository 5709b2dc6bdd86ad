// Sends requests at a rate, without waiting for responses, like many independent clients. With rate 0, each connection
// sends as fast as the server answers. Tells the results.
import { Counts, given, tell, waited } from "./Program.ts"
import { addressOf, type Reply, type Target, Wire } from "./Wire.ts"

export interface OpenLoop {
  readonly target: Target
  /** The texts of the requests, in turn. */
  readonly requests: ReadonlyArray<string>
  readonly perSecond: number
  readonly seconds: number
  /** The number of connections, which are open before the load. Further requests wait for a free one. */
  readonly connections: number
}

export interface Result {
  readonly sent: number
  /** The number of responses of each status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Requests whose connection broke. */
  readonly broken: number
  /** Refusals with 429 or 503 and `Retry-After`, and without. */
  readonly shed: number
  readonly withoutRetryAfter: number
  readonly medianMillis: number
  readonly p99Millis: number
}

const { connections, perSecond, requests, seconds, target } = given as OpenLoop

const statuses = new Counts()
const latencies: Array<number> = []
const idle: Array<Wire> = []
let sent = 0
let broken = 0
let shed = 0
let withoutRetryAfter = 0
let pending = 0

const note = ({ retryAfter, status }: Reply, begun: number): void => {
  statuses.add(String(status))
  latencies.push(performance.now() - begun)
  if (status < 400) return
  if ((status === 429 || status === 503) && retryAfter !== undefined) shed++
  else withoutRetryAfter++
}

const ask = async (wire: Wire, begun: number): Promise<void> => {
  try {
    note(await wire.send(requests[sent++ % requests.length] ?? ""), begun)
  } catch {
    broken++
  }
}

/** Handshakes at the same time, so that each ends within its time limit. */
const handshakesMax = 20

/** Opens all connections, which cost a server more than requests do. Each sends a request, so that it is kept open. */
const connect = async (): Promise<void> => {
  let begun = 0
  const work = async (): Promise<void> => {
    while (begun < connections) {
      const wire = await Wire.open(target, addressOf(begun++))
      await wire.send(requests[0] ?? "")
      idle.push(wire)
    }
  }
  await Promise.all(Array.from({ length: handshakesMax }, work))
}

/** The connection that was free longest, or a new one if it broke. */
const wireFor = async (): Promise<Wire | undefined> => {
  const free = idle.shift()
  if (free === undefined || free.isOpen) return free
  return Wire.open(target, addressOf(sent)).catch(() => {
    idle.push(free) // the next request tries again
    return undefined
  })
}

const waiting: Array<number> = []

const serve = async (begun: number): Promise<void> => {
  const wire = await wireFor()
  if (wire === undefined) {
    waiting.push(begun)
    return
  }
  for (let at: number | undefined = begun; at !== undefined; at = waiting.shift()) {
    await ask(wire, at)
    if (!wire.isOpen) break
  }
  idle.push(wire)
}

const openLoop = async (): Promise<void> => {
  const begun = performance.now()
  let due = 0
  for (;;) {
    const elapsed = performance.now() - begun
    if (elapsed >= seconds * 1000) break
    for (; due < (elapsed / 1000) * perSecond; due++) {
      pending++
      void serve(performance.now()).finally(() => pending--)
    }
    await waited(5)
  }
}

const closedLoop = async (): Promise<void> => {
  const until = performance.now() + seconds * 1000
  const work = async (wire: Wire): Promise<void> => {
    while (performance.now() < until) await ask(wire, performance.now())
  }
  await Promise.all(idle.map(work))
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

await connect()
await (perSecond === 0 ? closedLoop() : openLoop())
tell("sent")
// All have been sent. The rest of the responses, for a while.
for (let round = 0; (pending > 0 || waiting.length > 0) && round < 1500; round++) await waited(10)
const sorted = latencies.toSorted((one, other) => one - other)
tell({
  sent,
  statuses: statuses.all(),
  broken: broken + pending + waiting.length,
  shed,
  withoutRetryAfter,
  medianMillis: quantile(sorted, 0.5),
  p99Millis: quantile(sorted, 0.99)
} satisfies Result)
process.exit()
