import { assert, it } from "@effect/vitest"
import { joining } from "@wcs/deployment/cells/Joining"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"

it.effect("a database that is down at the start is joined later, and its failed attempts leave nothing open", () =>
  Effect.gen(function* () {
    const events: Array<string> = []
    const build = Effect.gen(function* () {
      const attempt = events.filter((event) => event.startsWith("opened")).length + 1
      yield* Effect.acquireRelease(
        Effect.sync(() => events.push(`opened ${attempt}`)),
        () => Effect.sync(() => events.push(`closed ${attempt}`))
      )
      if (attempt < 3) return yield* new StartRefused({ message: "down" })
    })
    const scope = yield* Scope.make()
    yield* Scope.provide(joining("second", build), scope)
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(events, ["opened 1", "closed 1", "opened 2", "closed 2", "opened 3"])
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(events.at(-1), "closed 3")
  })
)
