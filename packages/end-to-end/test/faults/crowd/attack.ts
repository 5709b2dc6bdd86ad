// The programs of one tenant send everything that is costly for a server: heavy bodies, many clients, costly lists.
// `hold.ts` holds the connections and bodies.
import { Counts, ending, given, tell, waited } from "./Program.ts"
import { addressOf, requestText, type Target, Wire } from "./Wire.ts"

export interface Attack {
  readonly target: Target
  readonly host: string
  /** The tokens of the tenant's users. */
  readonly tokens: ReadonlyArray<string>
  /** The number of connections of each kind. */
  readonly heavyBodies: number
  readonly manyClients: number
  readonly costlyLists: number
  readonly handshakes: number
}

const { costlyLists, handshakes, heavyBodies, host, manyClients, target, tokens } = given as Attack

const counts = new Counts()
let turn = 0
const token = (): string => tokens[turn++ % tokens.length] ?? ""
const address = (): string => addressOf(turn++)

/** Just below the limits of size, depth and number of values. */
const nodes = JSON.stringify({ identity: { displayName: "x" }, more: Array.from({ length: 9900 }, (_, n) => n) })
const bytes = JSON.stringify({ identity: { displayName: "x".repeat(1_000_000) } })
const ids = JSON.stringify({
  from: { type: "worker", id: "wkr_0000000000000000" },
  to: { type: "worker", id: "wkr_0000000000000001" },
  credentialIds: Array.from({ length: 500 }, (_, n) => `cred_${String(n).padStart(16, "0")}`)
})

const heavy: ReadonlyArray<readonly [path: string, body: string]> = [
  ["/openapi/v1/workers", nodes],
  ["/openapi/v1/workers", bytes],
  ["/openapi/v1/credentials/transfer", ids]
]

const lists: ReadonlyArray<string> = [
  "/openapi/v1/workers?pageSize=100&includeTotal=true&sort=updatedAt:desc",
  "/openapi/v1/workers?pageSize=100&query=a&includeTotal=true",
  "/openapi/v1/workers?pageSize=100&page=50",
  "/openapi/v1/audit-events?pageSize=100&includeTotal=true",
  "/openapi/v1/compliance-matrix?pageSize=100"
]

/** Sends request after request, from a new connection whenever the server closes one. */
const loop = async (name: string, next: () => string): Promise<void> => {
  while (!ending.signal.aborted) {
    try {
      const wire = await Wire.open(target, address())
      while (!ending.signal.aborted && wire.isOpen) {
        const { status } = await wire.send(next())
        counts.add(`${name} ${status}`)
        if (status === 429 || status === 503) await waited(10) // an attacker does not wait as asked
      }
      wire.close()
    } catch {
      counts.add(`${name} broken`)
      await waited(10)
    }
  }
}

const knock = async (): Promise<void> => {
  while (!ending.signal.aborted) {
    await Wire.open(target, address()).then(
      (wire) => wire.close(),
      () => counts.add("handshakes broken")
    )
    counts.add("handshakes")
    await waited(20)
  }
}

const times = (count: number, start: () => Promise<void>) => Array.from({ length: count }, start)

const working = [
  ...times(heavyBodies, () =>
    loop("heavy", () => {
      const [path = "", body = ""] = heavy[turn % heavy.length] ?? []
      return requestText("POST", path, token(), body, host)
    })
  ),
  ...times(manyClients, () => loop("clients", () => requestText("GET", "/openapi/v1/me", token(), undefined, host))),
  ...times(costlyLists, () =>
    loop("lists", () => requestText("GET", lists[turn % lists.length] ?? "", token(), undefined, host))
  ),
  ...times(handshakes, knock)
]
tell("started")
await Promise.all(working)
tell(counts.all())
process.exit()
