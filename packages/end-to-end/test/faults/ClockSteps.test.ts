import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect, Fiber } from "effect"
import { receiver, until } from "../Machines.ts"
import { ask, bearer, temporaryDirectory } from "../Process.ts"
import { type Answer, posted, type Send } from "./Connection.ts"
import { injected } from "./Injected.ts"
import { isFull } from "./Rounds.ts"
import { sceneIn } from "./Scene.ts"

const hour = 3600_000

/** How far the clock is ahead after each step. It moves both ways, by less and by more than every lease and window. */
const positions = isFull
  ? [hour, 0, -hour, 0, 24 * hour, -24 * hour, 90_000, -90_000, 400 * 24 * hour, 0, -5000, 5000, 0]
  : [hour, -hour, 0]

/** The clock of a server: a file that `injected/ClockSteps.ts` reads. */
const clockIn = (root: string) => {
  const file = join(root, "clock")
  const stepTo = (millis: number) => {
    writeFileSync(`${file}.new`, String(millis))
    renameSync(`${file}.new`, file)
  }
  stepTo(0)
  return { environment: { ...injected("ClockSteps"), WCS_FAULT_CLOCK: file }, stepTo }
}

/** The longest window of a rate limit, in seconds. */
const windowSeconds = 60

/** Counts responses, and remembers those that a clock step must not cause. */
const watching = (send: Send, isOver: () => boolean) => {
  const seen = { answered: 0, failures: [] as Array<string> }
  const judge = ({ body, headers, status }: Answer): void => {
    const reset = Number(headers["x-ratelimit-reset"])
    if (status >= 500 || status === 401 || status === 429) seen.failures.push(`${status} ${JSON.stringify(body)}`)
    if (!(reset >= 0 && reset <= windowSeconds)) seen.failures.push(`X-RateLimit-Reset: ${reset}`)
  }
  const watched: Send = async (...call) => {
    if (isOver()) return undefined
    const answer = await send(...call)
    if (answer !== undefined) judge(answer)
    seen.answered++
    return answer
  }
  return { seen, watched }
}

const made = (...of: Parameters<typeof posted>) => Effect.promise(() => posted(...of))

describe("steps of the clock under 32 writing clients", () => {
  it.live(
    `of a server on SQLite, ${positions.length} times, ahead and back: no call fails, events arrive, new tokens work, no acknowledged write is lost`,
    (context) =>
      Effect.gen(function* () {
        const figures = figuresOf(context, "clock steps ahead and back, 32 clients")
        const root = yield* temporaryDirectory
        const { environment, stepTo } = clockIn(root)
        const { history, load, server, violations } = yield* sceneIn(root)
        const { received, url } = yield* receiver
        const allowed = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1" }
        const longest = yield* Effect.scoped(
          Effect.gen(function* () {
            const { send, server: shifted } = yield* server({ environment: { ...environment, ...allowed } })
            let isOver = false
            const { seen, watched } = watching(send, () => isOver)
            // An event of this kind is sent for a ping only, so that the load does not fill the queue.
            const hook = { name: "clock", url, events: ["fetchRequest.completed"] }
            const webhook = yield* made(send, "/webhooks", hook)
            const client = yield* made(send, "/api-clients", { name: "clock" })
            history.sent += 2
            const form = `grant_type=client_credentials&client_id=${client.id}&client_secret=${client.clientSecret}`
            const grant = {
              method: "POST",
              headers: { "content-type": "application/x-www-form-urlencoded" },
              body: form
            }
            const going = yield* Effect.forkChild(load(watched))
            let longestMillis = 0
            for (const position of positions) {
              const goal = seen.answered + 100
              yield* until(
                Effect.sync(() => seen.answered),
                (answered) => answered >= goal
              )
              stepTo(position)
              const begun = performance.now()
              const before = received.length
              yield* made(send, `/webhooks/${webhook.id}/ping`)
              history.sent++
              yield* until(
                Effect.sync(() => received.length),
                (count) => count > before
              )
              const { access_token: token } = JSON.parse((yield* ask(shifted, "/openapi/v1/oauth/token", grant)).text)
              const { status, text } = yield* ask(shifted, "/openapi/v1/me", { headers: bearer(String(token)) })
              assert.strictEqual(status, 200, `with a new token, ${position} ms ahead: ${text}`)
              longestMillis = Math.max(longestMillis, performance.now() - begun)
              figures.faults++
            }
            isOver = true
            yield* Fiber.join(going)
            assert.deepStrictEqual(seen.failures.slice(0, 10), [])
            shifted.signal("SIGTERM")
            assert.strictEqual((yield* shifted.ended).code, 0)
            return longestMillis
          })
        )
        const found = yield* violations
        figures.requests = history.sent
        figures.lost = found.length
        figures.survived = found.length === 0 ? figures.faults : 0
        figures.notes = `an event arrived and a new token worked at most ${longest.toFixed(0)} ms after a step`
        assert.deepStrictEqual(found, [])
      }),
    180_000
  )
})
