import { assert, describe, it } from "@effect/vitest"
import { type Figures, figuresOf } from "@wcs/end-to-end/faults/Figures"
import { Effect } from "effect"
import type { Server } from "../Process.ts"
import type { Send } from "./Connection.ts"
import { type Fatal, injected } from "./Injected.ts"
import { randomFrom, rounds } from "./Rounds.ts"
import { type Circumstances, scene } from "./Scene.ts"

/** When the server is killed. */
interface Ending extends Circumstances {
  readonly between?: (send: Send, server: Server) => Send
}

/** Killed at a request or response with this number. */
const onWire = (at: "request" | "answer", after: number): Ending => ({
  between: (send, server) => {
    let left = after
    const count = () => {
      if (--left === 0) server.signal("SIGKILL")
    }
    return async (...request) => {
      if (at === "request") count()
      const answer = await send(...request)
      if (at === "answer") count()
      return answer
    }
  }
})

const atStatement = (at: Fatal): Ending => ({ environment: injected("KillAt", at) })

/** More statements than a start runs. */
const startStatements = 200

/** Early, while the clients create their data, or late, after some writes. */
const anywhere = (round: number): Ending => {
  const random = randomFrom(round)
  const after = random(round % 2 === 1 ? 300 : 1500)
  switch (random(4)) {
    case 0:
      return onWire("request", 1 + after)
    case 1:
      return onWire("answer", 1 + after)
    default:
      return atStatement({
        statement: "",
        when: random(2) === 0 ? "before" : "after",
        number: startStatements + after * 8 + random(8)
      })
  }
}

/** Lets the clients write until the server is killed. Returns contradictions between store and responses. */
const killed = Effect.fnUntraced(function* (
  { history, load, server, violations }: Effect.Success<typeof scene>,
  { between = (send) => send, ...circumstances }: Ending
) {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const { send, server: doomed } = yield* server(circumstances)
      yield* load(between(send, doomed))
      yield* doomed.ended
    })
  )
  assert.deepStrictEqual(history.failures, [])
  return yield* violations
})

/** Kills the server once for each ending, and records the figures. */
const killedAtEach = Effect.fnUntraced(function* (figures: Figures, endings: ReadonlyArray<Ending>) {
  const place = yield* scene
  for (const [index, ending] of endings.entries()) {
    const found = yield* killed(place, ending)
    figures.requests = place.history.sent
    figures.faults++
    figures.survived += found.length === 0 ? 1 : 0
    figures.lost += found.length
    assert.deepStrictEqual(found, [], `ending ${index + 1}: ${JSON.stringify(ending)}`)
  }
  figures.notes = `${place.history.exchanges.length} answered`
})

/** More COMMITs than the start and the data of the clients take. */
const firstCommits = 60

/** The steps of a group commit, most critical first. */
const steps: ReadonlyArray<Fatal> = [
  { statement: "COMMIT", when: "before", number: firstCommits },
  { statement: "COMMIT", when: "after", number: firstCommits },
  { statement: "UPDATE credential", when: "after", number: 5 },
  { statement: "INSERT INTO audit_event", when: "before", number: 100 },
  { statement: "INSERT INTO event", when: "after", number: 60 },
  { statement: "RELEASE", when: "after", number: 100 },
  { statement: "BEGIN", when: "after", number: firstCommits }
]

describe("kill -9 of the server under 32 writing clients", () => {
  it.live(
    `${rounds} times: keeps acknowledged writes, never half a write, with consistent rows, audit log and events`,
    (context) =>
      killedAtEach(
        figuresOf(context, "kill -9 of the server at random, 32 clients"),
        Array.from({ length: rounds }, (_, index) => anywhere(index + 1))
      ),
    60_000 + rounds * 10_000
  )

  it.live("keeps acknowledged writes when killed at each step of a group commit", (context) =>
    killedAtEach(
      figuresOf(context, "kill -9 of the server at each step of a commit"),
      steps.slice(0, rounds).map(atStatement)
    )
  )

  it.live("control: loses acknowledged writes when responses precede the COMMIT", () =>
    Effect.gen(function* () {
      const early = { environment: injected("EarlyAnswers"), ...onWire("answer", 400) }
      const found = yield* killed(yield* scene, early)
      assert.isTrue(
        found.some((sentence) => sentence.includes("was acknowledged and lost")),
        found.join("\n")
      )
    })
  )
})
