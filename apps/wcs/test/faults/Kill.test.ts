import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Server } from "../Process.ts"
import type { Send } from "./Connection.ts"
import { type Fatal, injected } from "./Injected.ts"
import { randomFrom, rounds } from "./Rounds.ts"
import { type Circumstances, scene } from "./Scene.ts"

/** How a server comes to its end while it is written to. */
interface Ending extends Circumstances {
  readonly between?: (send: Send, server: Server) => Send
}

/** Killed on a request or an answer that is so many after the first. */
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

/** Early, while the clients make what they write to, and late, when they have written for a while. */
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

/** Lets the clients write to a server until its end: what of the store contradicts what they were told. */
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

/** The steps of a group, the gravest first. */
const steps: ReadonlyArray<Fatal> = [
  { statement: "COMMIT", when: "before", number: 20 },
  { statement: "COMMIT", when: "after", number: 20 },
  { statement: "UPDATE credential", when: "after", number: 5 },
  { statement: "INSERT INTO audit_event", when: "before", number: 100 },
  { statement: "INSERT INTO event", when: "after", number: 60 },
  { statement: "RELEASE", when: "after", number: 100 },
  { statement: "BEGIN", when: "after", number: 20 }
]

describe("kill -9 of the server under 32 writing clients", () => {
  it.live(
    `${rounds} times: what was answered is there, what was not is there or not but never half, and all tell one story`,
    () =>
      Effect.gen(function* () {
        const place = yield* scene
        for (let round = 1; round <= rounds; round++) {
          assert.deepStrictEqual(yield* killed(place, anywhere(round)), [], `round ${round}`)
        }
      }),
    60_000 + rounds * 10_000
  )

  it.live("at each step of a group: before it, within a member, and on either side of its COMMIT", () =>
    Effect.gen(function* () {
      const place = yield* scene
      for (const step of steps.slice(0, rounds)) {
        assert.deepStrictEqual(yield* killed(place, atStatement(step)), [], JSON.stringify(step))
      }
    })
  )

  it.live("is seen to lose what was acknowledged where answers go out before the COMMIT", () =>
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
