import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect } from "effect"
import { until } from "../Machines.ts"
import { serving, temporaryDirectory } from "../Process.ts"
import { connection, posted, type Send } from "./Connection.ts"
import { type Faulty, faulty, type Manner } from "./Faulty.ts"
import { isFull } from "./Rounds.ts"
import { placeIn } from "./Scene.ts"

/** Credentials of each type. In the short form the circuit breaker of a type, which waits 30 s, does not open. */
const perType = isFull ? 20 : 4
const types = ["WWCC_WA", "OCHRE_CARD_NT", "WWVP_TAS"]
const holder = { firstName: "Ann", lastName: "Example", birthDate: "1990-04-01" }
const total = perType * types.length

/** In full, the faults last longer than the 15 s of an attempt. */
const faultMillis = isFull ? 40_000 : 0

const often = Array.from({ length: 20 }, () => "1s").join()

/** Short delays between attempts of verifications and deliveries, and short timeouts of the register. */
const settings = {
  WCS_REGISTER: "http",
  WCS_REGISTER_TIMEOUT: "2s",
  WCS_REGISTER_TOTAL_TIMEOUT: "5s",
  WCS_VERIFY_TIMEOUT: "300ms",
  WCS_VERIFY_RETRIES: Array.from({ length: 20 }, () => "5s").join(),
  WCS_WEBHOOK_RETRIES: often,
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
  WCS_LOG_LEVEL: "error"
}

const gateway = (manner: Manner) =>
  faulty(manner, (request, response) => {
    request.resume().once("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"statusDetail":"VALID"}')
    })
  })

/** A receiver, and the ids of the events that it acknowledged, by kind. */
const receiving = (manner: Manner) =>
  Effect.gen(function* () {
    const events = new Map<string, Set<string>>()
    const receiver = yield* faulty(manner, (request, response) => {
      void text(request).then((body) => {
        const { eventId, type } = JSON.parse(body)
        events.set(type, (events.get(type) ?? new Set()).add(eventId))
        response.writeHead(204).end()
      })
    })
    return { ...receiver, count: (kind: string) => events.get(kind)?.size ?? 0 }
  })

const kinds = ["credential.created", "credential.verified"]

const urlOf = ({ port }: Faulty): string => `http://127.0.0.1:${port}/`

describe("a register and receivers that hang or drip", () => {
  for (const manner of ["hang", "drip"] as const) {
    it.live(
      `threat 18: while they ${manner}, calls are answered and another receiver gets its events; afterwards no event and no verdict is missing`,
      (context) =>
        Effect.gen(function* () {
          const figures = figuresOf(context, `a register and a receiver that ${manner}`)
          const register = yield* gateway(manner)
          const [well, ill] = [yield* receiving("answer"), yield* receiving(manner)]
          const { environment, token } = yield* placeIn(yield* temporaryDirectory)
          const server = yield* serving({ ...environment, ...settings, WCS_REGISTER_URL: urlOf(register) })
          const send = yield* connection(server, token, 16)
          const timed: Array<number> = []
          const ask: Send = async (...call) => {
            const begun = performance.now()
            const answer = await send(...call)
            timed.push(performance.now() - begun)
            figures.requests++
            return answer
          }
          yield* Effect.promise(async () => {
            await posted(ask, "/webhooks", { name: "ill", url: urlOf(ill), events: kinds })
            await posted(ask, "/webhooks", { name: "well", url: urlOf(well), events: kinds })
            const { id: worker } = await posted(ask, "/workers", { identity: { displayName: "Ann Example" } })
            const create = async (credentialType: string, number: number) => {
              const identifier = String(1_000_000 + number * 100)
              const attributes = { credentialType, identifier, holder, owners: { worker } }
              const { id } = await posted(ask, "/credentials", { attributes })
              const verified = await ask("POST", `/credentials/${id}/verify`, {})
              assert.strictEqual(verified?.status, 200, JSON.stringify(verified?.body))
            }
            await Promise.all(types.flatMap((type) => Array.from({ length: perType }, (_, n) => create(type, n))))
          })
          const reaches = (count: () => number) => until(Effect.sync(count), (reached) => reached >= total)
          yield* reaches(() => well.count("credential.created"))
          // Calls are answered while the faults last.
          const faultsEnd = performance.now() + faultMillis
          do {
            assert.strictEqual((yield* Effect.promise(() => ask("GET", "/workers?pageSize=1")))?.status, 200)
          } while (performance.now() < faultsEnd)
          figures.faults = register.starved() + ill.starved()
          assert.isAbove(register.starved(), 0)
          assert.isAbove(ill.starved(), 0)

          yield* register.heal
          yield* ill.heal
          const begun = performance.now()
          for (const receiver of [well, ill]) for (const kind of kinds) yield* reaches(() => receiver.count(kind))
          figures.survived = figures.faults
          figures.notes = `${total} events of each kind reached both receivers, the last ${((performance.now() - begun) / 1000).toFixed(1)} s after the faults; longest call ${Math.max(...timed).toFixed(0)} ms`
        }),
      120_000
    )
  }
})
