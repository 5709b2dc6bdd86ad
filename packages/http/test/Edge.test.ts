import { assert, layer } from "@effect/vitest"
import { newerRoot } from "@wcs/api/NewerSurface"
import { RateLimiter } from "@wcs/domain/access/RateLimitTier"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Edge from "@wcs/http/pipeline/Edge"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Deferred, Effect, Fiber, Layer, Scheduler } from "effect"
import * as Deployment from "./Deployment.ts"

const workers = `${newerRoot}/workers`

/** Blocks list calls until the test opens the gate. */
class Gate extends Context.Service<
  Gate,
  {
    readonly reached: Deferred.Deferred<void>
    readonly opened: Deferred.Deferred<void>
    readonly interrupted: Deferred.Deferred<void>
  }
>()("@wcs/http/test/Gate") {}

const gate = Layer.effect(
  Gate,
  Effect.gen(function* () {
    return Gate.of({
      reached: yield* Deferred.make<void>(),
      opened: yield* Deferred.make<void>(),
      interrupted: yield* Deferred.make<void>()
    })
  })
)

const gated = Layer.effect(
  ResourceStore,
  Effect.gen(function* () {
    const store = yield* ResourceStore
    const { interrupted, opened, reached } = yield* Gate
    return ResourceStore.of({
      ...store,
      list: (resource, tenantId, selection) =>
        Deferred.succeed(reached, undefined).pipe(
          Effect.andThen(Deferred.await(opened)),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
          Effect.andThen(store.list(resource, tenantId, selection))
        )
    })
  })
).pipe(Layer.provideMerge(StoreSqlite.layerMemory))

const deployment = Layer.unwrap(
  Effect.map(Layer.build(gate), (context) => {
    const same = Layer.succeedContext(context)
    return Layer.merge(Deployment.services(Layer.provide(gated, same)), same)
  })
)

layer(deployment, { excludeTestServices: true })("a client that disconnects", (it) => {
  it.effect("interrupts the use case, and frees the place of the request", () =>
    Effect.gen(function* () {
      const { interrupted, reached } = yield* Gate
      const { tokenOf } = yield* Deployment.settle
      const token = yield* tokenOf("Viewer")
      const fetch = yield* Effect.provideService(Deployment.serve(), Edge.MaxInFlight, 1)
      const client = new AbortController()
      const headers = { host: "localhost", authorization: `Bearer ${token}` }
      const answering = fetch(new Request(`https://localhost${workers}`, { headers, signal: client.signal }))
      yield* Deferred.await(reached)
      client.abort()
      yield* Deferred.await(interrupted)
      yield* Effect.promise(() => answering)
      const next = Deployment.call({ path: `${newerRoot}/nonsense`, token })
      assert.strictEqual((yield* Effect.provideService(next, Deployment.Fetch, fetch)).status, 404)
    })
  )
})

layer(deployment, { excludeTestServices: true })("the edge under load", (it) => {
  it.effect("answers 503 with Retry-After above the limit of requests in flight, and serves the retry", () =>
    Effect.gen(function* () {
      const { opened, reached } = yield* Gate
      const { tokenOf } = yield* Deployment.settle
      const token = yield* tokenOf("Viewer")
      const fetch = yield* Effect.provideService(Deployment.serve(), Edge.MaxInFlight, 1)
      const call = (path: string) => Effect.provideService(Deployment.call({ path, token }), Deployment.Fetch, fetch)

      const first = yield* Effect.forkChild(call(workers))
      yield* Deferred.await(reached)
      const refused = yield* call(workers)
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.headers["retry-after"], "1")
      assert.deepStrictEqual(refused.json, {
        error: {
          code: "UNAVAILABLE",
          message: "The service is busy. Try again in 1 second.",
          requestId: refused.headers["x-request-id"]
        }
      })
      const grant = yield* call(`${newerRoot}/oauth/token`)
      assert.strictEqual(grant.status, 503)
      assert.include(grant.text, '"error":"temporarily_unavailable"')

      yield* Deferred.succeed(opened, undefined)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      // Every finished call frees its place.
      for (const path of [workers, `${newerRoot}/nonsense`, workers]) {
        assert.notStrictEqual((yield* call(path)).status, 503, path)
      }
    })
  )
})

/** A scheduler whose fibers wait for their turn before they begin, and after a few operations. `turns` gives all of them turns until a promise ends. */
const makeTurns = () => {
  let waiting: Array<() => void> = []
  let isTurn = false
  const turn = () => {
    const tasks = waiting
    waiting = []
    isTurn = true
    for (const task of tasks) task()
    isTurn = false
  }
  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: ({ currentOpCount }) => (isTurn ? currentOpCount > 4 : currentOpCount === 1),
    makeDispatcher: () => ({ scheduleTask: (task) => void waiting.push(task), flush: () => undefined })
  }
  const turnsUntil = async <A>(promise: Promise<A>): Promise<A> => {
    let hasEnded = false
    promise.finally(() => {
      hasEnded = true
    })
    while (!hasEnded) {
      turn()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return promise
  }
  return { scheduler, turn, turnsUntil }
}

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("the edge with few turns", (it) => {
  const settle = Effect.gen(function* () {
    const token = yield* (yield* Deployment.Settled).tokenOf("Viewer")
    const { scheduler, turn, turnsUntil } = makeTurns()
    const references = Context.make(Scheduler.Scheduler, scheduler)
    const fetch = yield* Effect.provideService(Deployment.serve(references), Edge.MaxInFlight, 1)
    const headers = { host: "localhost", authorization: `Bearer ${token}` }
    const ask = (given: RequestInit = {}) => fetch(new Request(`https://localhost${workers}`, { headers, ...given }))
    return {
      ask,
      turn,
      statusOf: (answer: Promise<Response>) => Effect.promise(() => turnsUntil(answer).then(({ status }) => status))
    }
  })

  it.effect("counts a request that waits for its first turn as in flight", () =>
    Effect.gen(function* () {
      const { ask, statusOf } = yield* settle
      const first = ask()
      const second = ask()
      assert.deepStrictEqual([yield* statusOf(second), yield* statusOf(first)], [503, 200])
    })
  )

  it.effect("frees the place of a request whose client disconnects, at whichever turn", () =>
    Effect.gen(function* () {
      const { ask, statusOf, turn } = yield* settle
      for (let turns = 0; turns < 100; turns++) {
        const client = new AbortController()
        const left = ask({ signal: client.signal })
        for (let done = 0; done < turns; done++) turn()
        client.abort()
        yield* statusOf(left)
        assert.strictEqual(yield* statusOf(ask()), 200, `${turns} turns`)
      }
    })
  )
})

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("the edge", (it) => {
  it.effect("answers 503 with Retry-After after a long wait, without asking the rate limiter", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Viewer")
      let asked = 0
      const fetch = yield* Deployment.serve().pipe(
        Effect.updateService(RateLimiter, (limiter) =>
          RateLimiter.of({
            ...limiter,
            peek: (...given) => {
              asked++
              return limiter.peek(...given)
            }
          })
        )
      )
      const callAfter = (millis: number) =>
        Deployment.call({ path: workers, token, headers: { "x-test-waited": String(millis) } }).pipe(
          Effect.provideService(Deployment.Fetch, fetch)
        )
      assert.strictEqual((yield* callAfter(1000)).status, 200)
      asked = 0
      const { headers, status } = yield* callAfter(1001)
      assert.deepStrictEqual([status, headers["retry-after"]], [503, "1"])
      assert.match(headers["x-ratelimit-remaining"] ?? "", /^\d+$/)
      assert.strictEqual(asked, 0)
    })
  )

  it.effect("frees the place of a request whose rate limiter throws", () =>
    Effect.gen(function* () {
      let isBroken = true
      const fetch = yield* Deployment.serve().pipe(
        Effect.provideService(Edge.MaxInFlight, 1),
        Effect.updateService(RateLimiter, (limiter) =>
          RateLimiter.of({
            ...limiter,
            take: (...given) => {
              if (isBroken) throw new Error("the limiter throws")
              return limiter.take(...given)
            }
          })
        )
      )
      const call = Effect.provideService(Deployment.call({ path: workers }), Deployment.Fetch, fetch)
      assert.strictEqual((yield* call).status, 500)
      isBroken = false
      assert.strictEqual((yield* call).status, 401)
    })
  )

  it.effect("threat 27: does not count a request as in flight while its body arrives slowly", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Super Admin")
      const fetch = yield* Effect.provideService(Deployment.serve(), Edge.MaxInFlight, 1)
      const asked = yield* Deferred.make<void>()
      const finished = yield* Deferred.make<void>()
      const body = new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          await Effect.runPromise(Deferred.succeed(asked, undefined))
          await Effect.runPromise(Deferred.await(finished))
          controller.enqueue(new TextEncoder().encode("{}"))
          controller.close()
        }
      })
      const slow = new Request(`https://localhost${workers}`, {
        method: "POST",
        headers: { host: "localhost", authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
        duplex: "half"
      } as RequestInit)
      const sending = yield* Effect.forkChild(Effect.promise(() => fetch(slow)))
      yield* Deferred.await(asked)
      const call = (path: string) => Effect.provideService(Deployment.call({ path, token }), Deployment.Fetch, fetch)
      assert.strictEqual((yield* call(workers)).status, 200)
      yield* Deferred.succeed(finished, undefined)
      assert.strictEqual((yield* Fiber.join(sending)).status, 400) // it was read and judged
      assert.strictEqual((yield* call(workers)).status, 200)
    })
  )

  it.effect("threat 27: limits parallel downloads of the reference page", () =>
    Effect.gen(function* () {
      const fetch = yield* Deployment.Fetch
      const ask = Effect.promise(() => fetch(new Request("https://localhost/docs", { headers: { host: "localhost" } })))
      const unread = yield* Effect.replicateEffect(ask, 32)
      assert.deepStrictEqual([...new Set(unread.map(({ status }) => status))], [200])
      assert.strictEqual((yield* ask).status, 503)
      yield* Effect.promise(async () => {
        await unread[0]?.arrayBuffer()
      })
      assert.strictEqual((yield* ask).status, 200)
      yield* Effect.promise(() => Promise.all(unread.slice(1).map(({ body }) => body?.cancel())))
    })
  )

  it.effect("answers 405 with Allow to methods other than GET outside the surfaces", () =>
    Effect.gen(function* () {
      for (const path of ["/openapi.json", "/docs", "/.well-known/jwks.json"]) {
        assert.strictEqual((yield* Deployment.call({ path })).status, 200, path)
        const refused = yield* Deployment.call({ path, method: "POST" })
        assert.strictEqual(refused.status, 405, path)
        assert.strictEqual(refused.headers["allow"], "GET, HEAD", path)
      }
    })
  )

  it.effect("TRN-05: answers 404 at the token endpoint of an unknown host for every method", () =>
    Effect.gen(function* () {
      for (const method of ["POST", "GET", "DELETE"]) {
        const headers = { host: "nobody.example" }
        const answer = yield* Deployment.call({ path: `${newerRoot}/oauth/token`, method, headers })
        assert.strictEqual(answer.status, 404, method)
        assert.include(answer.text, '"error":"invalid_request"', method)
      }
    })
  )

  it.effect("accepts a path and query of 8 KiB and answers 414 above", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Super Admin")
      const ofLength = (length: number) => `${workers}?externalId=${"a".repeat(length - workers.length - 12)}`
      assert.strictEqual(ofLength(8192).length, 8192)
      assert.strictEqual((yield* Deployment.call({ path: ofLength(8192), token })).status, 200)
      const refused = yield* Deployment.call({ path: ofLength(8193), token })
      assert.strictEqual(refused.status, 414)
      assert.include(refused.text, '"code":"URI_TOO_LONG"')
    })
  )

  it.effect("sends no-store and nosniff with every response", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Super Admin")
      for (const path of [workers, `${newerRoot}/nonsense`, "/api/nonsense", "/nonsense", `${newerRoot}/oauth/token`]) {
        const answer = yield* Deployment.call({ path, token })
        assert.strictEqual(answer.headers["cache-control"], "no-store", path)
        assert.strictEqual(answer.headers["x-content-type-options"], "nosniff", path)
      }
    })
  )
})
