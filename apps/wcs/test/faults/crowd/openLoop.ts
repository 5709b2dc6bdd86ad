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
  /** The maximum number of connections. Further requests wait for a free one. */
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
let open = 0
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

/** Sends over a free connection, or a new one. Returns undefined if there is none. */
const wireFor = async (): Promise<Wire | undefined> => {
  const free = idle.pop()
  if (free?.isOpen === true) return free
  if (free !== undefined) open--
  if (open >= connections) return undefined
  open++
  return Wire.open(target, addressOf(open)).catch(() => {
    open--
    broken++
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
    if (!wire.isOpen) {
      open--
      return
    }
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
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const wire = await Wire.open(target, addressOf(open++))
      while (performance.now() < until) await ask(wire, performance.now())
      wire.close()
    })
  )
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

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
