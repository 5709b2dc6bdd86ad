import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect } from "effect"
import { type Server, serving, temporaryDirectory } from "../Process.ts"
import { crowd } from "./Crowd.ts"
import { requestText, type Target, Wire } from "./crowd/Wire.ts"
import { isFull } from "./Rounds.ts"
import { makeTenants, type Tenant } from "./Tenants.ts"

const calls = isFull ? 1000 : 100
const rows = isFull ? 2000 : 100

/** Connections of the attacking tenant, by kind. */
const held = isFull
  ? { silent: 1500, handshaken: 1500, slowHeaders: 200, slowBodies: 200 }
  : { silent: 50, handshaken: 50, slowHeaders: 20, slowBodies: 20 }
const attacking = isFull
  ? { heavyBodies: 4, manyClients: 64, costlyLists: 8, handshakes: 4 }
  : { heavyBodies: 2, manyClients: 8, costlyLists: 2, handshakes: 1 }

/** The bar: the median beside its idle value, and the 99th percentile in milliseconds. */
const medianRatio = 2
const p99Millis = 100

interface Times {
  readonly median: number
  readonly p99: number
  readonly statuses: ReadonlyMap<number, number>
}

/** A tenant's calls over two connections, 25 ms apart: reads, a list and a write. */
const measured = (target: Target, { host, tokens }: Tenant) =>
  Effect.promise(async (): Promise<Times> => {
    const texts = tokens.flatMap((token) => [
      requestText("GET", "/openapi/v1/workers/wkr_0000000000000000", token, undefined, host),
      requestText("GET", "/openapi/v1/me", token, undefined, host),
      requestText("GET", "/openapi/v1/workers?pageSize=20", token, undefined, host),
      requestText("POST", "/openapi/v1/workers", token, '{"identity":{"displayName":"Ann Example"}}', host)
    ])
    const times: Array<number> = []
    const statuses = new Map<number, number>()
    const work = async (share: number): Promise<void> => {
      const wire = await Wire.open(target)
      for (let call = 0; call < share; call++) {
        const begun = performance.now()
        const { status } = await wire.send(texts[call % texts.length] ?? "")
        times.push(performance.now() - begun)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      wire.close()
    }
    await Promise.all([work(calls / 2), work(calls / 2)])
    const sorted = times.toSorted((one, other) => one - other)
    const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
    return { median: at(0.5), p99: at(0.99), statuses }
  })

/** Creates workers over some connections. Returns the id of one. */
const fill = (target: Target, { host, tokens }: Tenant, count: number) =>
  Effect.promise(async () => {
    let left = count
    const work = async (_: unknown, number: number): Promise<void> => {
      const wire = await Wire.open(target)
      while (left-- > 0) {
        const token = tokens[left % tokens.length] ?? ""
        const body = JSON.stringify({
          identity: { displayName: `Ann Example ${left}` },
          source: { externalId: `e${left}` }
        })
        const { status } = await wire.send(requestText("POST", "/openapi/v1/workers", token, body, host))
        if (status !== 201) throw new Error(`${number}: status ${status}`)
      }
      wire.close()
    }
    await Promise.all(Array.from({ length: 8 }, work))
  })

const shown = ({ median, p99 }: Times): string => `median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`

describe("the neighbours of a tenant", () => {
  it.live(
    "threat 43: answer another tenant's calls while one tenant sends heavy bodies, holds bodies, uses many clients, costly lists and connections at once",
    (context) =>
      Effect.gen(function* () {
        const figures = figuresOf(context, "one tenant attacks, another is measured")
        // The limits of calls are those of a new deployment. The attack has as many users as it needs.
        const environment = {
          WCS_DATA: join(yield* temporaryDirectory, "data"),
          WCS_MAX_CONNECTIONS: "12000",
          WCS_RATE_UNAUTHENTICATED: "1000000",
          WCS_LOG_LEVEL: "error"
        }
        const [attacker, victim] = yield* makeTenants(environment, [
          { host: "attacker.example", users: isFull ? 200 : 20 },
          { host: "victim.example", users: 20 }
        ])
        if (attacker === undefined || victim === undefined) return assert.fail("there are no tenants")
        const server: Server = yield* serving(environment)
        yield* fill(server, attacker, rows)
        yield* fill(server, victim, 50)
        const idle = yield* measured(server, victim)

        const target = { port: server.port, certificateFile: server.certificateFile }
        const holders = yield* crowd("hold", { target, host: attacker.host, token: attacker.tokens[0] ?? "", ...held })
        const attack = yield* crowd("attack", { target, host: attacker.host, tokens: attacker.tokens, ...attacking })
        const connections = yield* holders.told
        yield* attack.told
        const attacked = yield* measured(server, victim)
        const counts = yield* attack.ended
        figures.requests = 2 * calls
        figures.faults = Object.values(Object(counts)).reduce((sum: number, count) => sum + Number(count), 0)
        const wrong = [...idle.statuses, ...attacked.statuses].filter(([status]) => status >= 429)
        const ratio = attacked.median / idle.median
        figures.lost = wrong.reduce((sum, [, count]) => sum + count, 0)
        figures.survived = figures.lost === 0 ? figures.faults : 0
        figures.notes = `idle ${shown(idle)}; under attack ${shown(attacked)}, ${ratio.toFixed(2)} × the idle median; ${connections} connections held; ${JSON.stringify(counts)}`
        assert.deepStrictEqual(wrong, [], figures.notes)
        if (!isFull) return
        assert.isBelow(ratio, medianRatio, figures.notes)
        assert.isBelow(attacked.p99, p99Millis, figures.notes)
      }),
    300_000
  )
})
