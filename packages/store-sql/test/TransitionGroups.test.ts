import { assert, describe, it } from "@effect/vitest"
import * as TransitionGroups from "@wcs/store-sql/ownership/TransitionGroups"
import { Cause, Deferred, Effect, Exit, Fiber, Queue, Scope } from "effect"

interface Member {
  readonly credentialId: string
}

/** A group that was started. It ends when the test says so. */
interface Started {
  readonly tenantId: string
  readonly ids: ReadonlyArray<string>
  readonly end: Deferred.Deferred<ReadonlySet<Member>, string>
  readonly members: ReadonlyArray<Member>
}

const limits = { size: 3, inFlight: 2, waiting: 5 }

/** Groups whose runs the test observes and ends. */
const make = Effect.gen(function* () {
  const started = yield* Queue.unbounded<Started>()
  const join = yield* TransitionGroups.make<Member, string>(limits, (tenantId, members) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<ReadonlySet<Member>, string>()
      yield* Queue.offer(started, { tenantId, ids: members.map(({ credentialId }) => credentialId), end, members })
      return yield* Deferred.await(end)
    })
  )
  /** Starts a caller, and returns once it has joined. */
  const caller = (credentialId: string, tenantId = "one") =>
    Effect.forkChild(join(tenantId, { credentialId }), { startImmediately: true })
  const joining = (ids: ReadonlyArray<string>, tenantId = "one") => Effect.forEach(ids, (id) => caller(id, tenantId))
  const end = ({ end, members }: Started) => Deferred.succeed(end, new Set(members))
  return { started, caller, joining, end }
})

describe("groups of transitions", () => {
  it.effect("a group has the transitions that arrived while the ones before it were in flight", () =>
    Effect.gen(function* () {
      const { end, joining, started } = yield* make
      const first = yield* joining(["a"])
      const one = yield* Queue.take(started)
      const second = yield* joining(["b"])
      const two = yield* Queue.take(started)
      const rest = yield* joining(["c", "d", "e", "f"])
      assert.deepStrictEqual([one.ids, two.ids], [["a"], ["b"]])
      yield* end(two)
      const three = yield* Queue.take(started)
      assert.deepStrictEqual(three.ids, ["c", "d", "e"])
      assert.strictEqual(yield* Queue.size(started), 0) // "f" waits, since two groups are in flight
      yield* end(one)
      const four = yield* Queue.take(started)
      assert.deepStrictEqual(four.ids, ["f"])
      yield* Effect.forEach([three, four], end)
      for (const each of [...first, ...second, ...rest]) assert.isTrue(yield* Fiber.join(each))
    })
  )

  it.effect("two transitions of a credential are never in flight together, and keep their order", () =>
    Effect.gen(function* () {
      const { end, joining, started } = yield* make
      const callers = yield* joining(["a", "a", "b", "a"])
      const one = yield* Queue.take(started)
      assert.deepStrictEqual(one.ids, ["a", "b"])
      const more = yield* joining(["b", "c"])
      const two = yield* Queue.take(started)
      assert.deepStrictEqual(two.ids, ["c"])
      yield* end(one)
      const three = yield* Queue.take(started)
      assert.deepStrictEqual(three.ids, ["a", "b"])
      yield* end(two)
      yield* end(three)
      const four = yield* Queue.take(started)
      assert.deepStrictEqual(four.ids, ["a"])
      yield* end(four)
      yield* Fiber.joinAll([...callers, ...more])
    })
  )

  it.effect("a tenant does not wait for the groups of another", () =>
    Effect.gen(function* () {
      const { caller, end, joining, started } = yield* make
      const slow = yield* joining(["a"])
      yield* joining(["b"])
      const stuck = yield* Queue.take(started)
      assert.deepStrictEqual(stuck.ids, ["a", "b"])
      yield* joining(["c"])
      yield* Queue.take(started)
      const other = yield* caller("a", "two")
      const theirs = yield* Queue.take(started)
      assert.deepStrictEqual([theirs.tenantId, theirs.ids], ["two", ["a"]])
      yield* end(theirs)
      assert.isTrue(yield* Fiber.join(other))
      for (const waiting of slow) assert.isUndefined(waiting.pollUnsafe())
    })
  )

  it.effect("reports which members have a valid result, and a failure to every member", () =>
    Effect.gen(function* () {
      const { caller, joining, started } = yield* make
      const [a, b] = [yield* caller("a"), yield* caller("b")]
      const one = yield* Queue.take(started)
      yield* Deferred.succeed(one.end, new Set(one.members.slice(1)))
      assert.deepStrictEqual([yield* Fiber.join(a), yield* Fiber.join(b)], [false, true])
      const failing = yield* joining(["a", "b"])
      yield* Deferred.fail((yield* Queue.take(started)).end, "lost")
      for (const each of failing) assert.strictEqual(yield* Effect.flip(Fiber.join(each)), "lost")
    })
  )

  it.effect("does not take a transition while too many wait", () =>
    Effect.gen(function* () {
      const { caller, joining, started } = yield* make
      for (const id of ["a", "b"]) {
        yield* joining([id])
        yield* Queue.take(started)
      }
      yield* joining(["c", "d", "e", "f", "g"])
      assert.isFalse(yield* Fiber.join(yield* caller("h")))
    })
  )

  it.effect("an interrupted caller leaves the queue; one in flight disturbs no other", () =>
    Effect.gen(function* () {
      const { caller, end, joining, started } = yield* make
      const [a, b] = [yield* caller("a"), yield* caller("b")]
      const one = yield* Queue.take(started)
      yield* joining(["c"])
      const two = yield* Queue.take(started)
      const [d, e] = [yield* caller("d"), yield* caller("e")]
      for (const each of [a, d]) yield* Fiber.interrupt(each)
      yield* end(one)
      assert.isTrue(yield* Fiber.join(b))
      const three = yield* Queue.take(started)
      assert.deepStrictEqual(three.ids, ["e"])
      yield* end(three)
      assert.isTrue(yield* Fiber.join(e))
      yield* end(two)
    })
  )

  it.effect("the span of a group links to the span of each caller", () =>
    Effect.gen(function* () {
      const linked = yield* Deferred.make<ReadonlyArray<string>>()
      const join = yield* TransitionGroups.make<Member, never>(limits, (_, members) =>
        Effect.gen(function* () {
          const { links } = yield* Effect.orDie(Effect.currentSpan)
          yield* Deferred.succeed(
            linked,
            links.map(({ span }) => span.spanId)
          )
          return new Set(members)
        })
      )
      const caller = (credentialId: string) =>
        Effect.useSpan(credentialId, (span) =>
          Effect.as(Effect.withParentSpan(join("one", { credentialId }), span), span.spanId)
        )
      const callers = yield* Effect.all([caller("a"), caller("b")], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* Deferred.await(linked), callers)
    })
  )

  it.effect("callers in flight get an answer when the store closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { caller, started } = yield* Scope.provide(make, scope)
      const a = yield* caller("a")
      yield* Queue.take(started)
      yield* Scope.close(scope, Exit.void)
      const exit = yield* Fiber.await(a)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )
})
