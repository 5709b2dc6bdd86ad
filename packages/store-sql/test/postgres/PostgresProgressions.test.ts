import { assert, layer } from "@effect/vitest"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { freshTenant, listIds, mint, type Stores, subscribe, workerRef } from "@wcs/store-suite/Fixtures"
import { putWorker } from "@wcs/store-suite/ownership/Owning"
import {
  causes,
  give,
  lifeOf,
  link,
  nsw,
  police,
  putRequest,
  request,
  resend,
  valid
} from "@wcs/store-suite/resource/ProgressionFixtures"
import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { postgresStore, underWay } from "../engines.ts"
import { recording } from "../recording.ts"

/** A tenant with a subscriber for completed fetch requests, and a worker. */
const prepared = Effect.gen(function* () {
  const tenant = freshTenant()
  yield* subscribe(tenant, mint("webhook"), ["fetchRequest.completed"])
  return { tenant, worker: yield* putWorker(tenant) }
})

/** Checks that all fetch requests of the tenant are completed, each with one event. */
const assertCompleted = Effect.fnUntraced(function* (tenant: string) {
  const ids = yield* listIds(FetchRequest, tenant)
  assert.lengthOf(ids, 1)
  for (const id of ids) {
    const { events, status, version } = yield* lifeOf(tenant, id)
    assert.deepStrictEqual([status, events], ["COMPLETED", [`fetchRequest.completed ${version}`]])
  }
})

/** Begins one change, and makes another before the first commits. */
const interleaved = Effect.fnUntraced(function* (
  first: Effect.Effect<unknown, never, Stores>,
  second: Effect.Effect<unknown, never, Stores>
) {
  const stores = yield* Effect.context<Stores>()
  yield* underWay(yield* SqlClient.SqlClient, Effect.provide(first, stores))
  yield* second
})

layer(postgresStore, { excludeTestServices: true })("progressions on Postgres", (it) => {
  for (const [name, prepare] of causes) {
    it.effect(`see uncommitted changes: ${name} and the other last requirement, in either order`, () =>
      Effect.gen(function* () {
        for (const isFirst of [true, false]) {
          const { tenant, worker } = yield* prepared
          yield* putRequest(tenant, worker, { requestedCredentialTypes: [nsw, police] })
          const cause = yield* prepare(tenant, worker)
          const other = give(tenant, valid({ worker }, police))
          yield* isFirst ? interleaved(cause, other) : interleaved(other, cause)
          yield* assertCompleted(tenant)
        }
      })
    )

    it.effect(`see uncommitted changes: ${name} and the fetch request itself, in either order`, () =>
      Effect.gen(function* () {
        for (const isFirst of [true, false]) {
          const { tenant, worker } = yield* prepared
          const cause = yield* prepare(tenant, worker)
          const asked = request(tenant, worker, [nsw])
          yield* isFirst ? interleaved(cause, asked) : interleaved(asked, cause)
          yield* assertCompleted(tenant)
        }
      })
    )

    it.effect(`see uncommitted changes: ${name} and an expired fetch request that is sent again`, () =>
      Effect.gen(function* () {
        for (const isFirst of [true, false]) {
          const { tenant, worker } = yield* prepared
          const { id } = yield* putRequest(tenant, worker, { expiryDate: "2026-01-30" })
          const cause = yield* prepare(tenant, worker)
          yield* isFirst ? interleaved(cause, resend(tenant, id)) : interleaved(resend(tenant, id), cause)
          yield* assertCompleted(tenant)
        }
      })
    )

    it.effect(`lose nothing: ${name} and an open fetch request that is sent again, in either order`, () =>
      Effect.gen(function* () {
        for (const isFirst of [true, false]) {
          const { tenant, worker } = yield* prepared
          const { id } = yield* putRequest(tenant, worker, { requestedCredentialTypes: [nsw, police] })
          const cause = yield* prepare(tenant, worker)
          yield* isFirst ? interleaved(cause, resend(tenant, id)) : interleaved(resend(tenant, id), cause)
          const { actions, expiryDate, status, version } = yield* lifeOf(tenant, id)
          assert.deepStrictEqual(
            { actions, expiryDate, status, version },
            { actions: ["progress"], expiryDate: "2026-02-14", status: "IN_PROGRESS", version: 3 }
          )
        }
      })
    )
  }

  it.effect("decide a link again if a fetch request is created between its read and its write", () =>
    Effect.gen(function* () {
      const { tenant, worker } = yield* prepared
      const credential = yield* give(tenant, valid({ applicant: mint("applicant") }))
      const stores = yield* Effect.context<Stores>()
      let isDone = false
      const meddling: Statement.Transformer = (statement) => {
        if (isDone || !statement.compile()[0].includes("UPDATE credential SET")) return Effect.succeed(statement)
        isDone = true
        return request(tenant, worker, [nsw]).pipe(
          Effect.provide(stores),
          Effect.provideService(Statement.CurrentTransformer, undefined),
          Effect.as(statement)
        )
      }
      yield* Effect.provideService(
        link(tenant, [credential], workerRef(worker)),
        Statement.CurrentTransformer,
        meddling
      )
      yield* assertCompleted(tenant)
    })
  )

  it.effect("cost a link nothing without open requests, and the same for 500 credentials as for one", () =>
    Effect.gen(function* () {
      const counts: Array<number> = []
      for (const count of [1, 500]) {
        const { tenant, worker } = yield* prepared
        const applicant = mint("applicant")
        const sql = yield* SqlClient.SqlClient
        const ids = yield* sql.withTransaction(
          Effect.forEach(Array.from({ length: count }), () => give(tenant, valid({ applicant })))
        )
        yield* putRequest(tenant, worker, { expiryDate: "2026-01-30" })
        assert.lengthOf((yield* recording(link(tenant, ids, workerRef(worker)))).ran, 2)
        const asked = yield* putWorker(tenant)
        yield* putRequest(tenant, asked)
        yield* putRequest(tenant, asked)
        const back = (yield* recording(link(tenant, ids, workerRef(asked)))).ran
        assert.strictEqual((yield* lifeOf(tenant, (yield* listIds(FetchRequest, tenant))[1] ?? "")).status, "COMPLETED")
        counts.push(back.length)
      }
      assert.strictEqual(counts[0], counts[1])
      assert.isAtMost(counts[0] ?? 0, 11)
    })
  )
})
