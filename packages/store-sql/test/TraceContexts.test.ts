import { assert, layer } from "@effect/vitest"
import { continuing, TraceRatio } from "@wcs/domain/shared/TraceContext"
import { start } from "@wcs/store-suite/Fixtures"
import { ask, dueRuns, rerun } from "@wcs/store-suite/verification/VerificationFixtures"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "./engines.ts"
import { move, prepared } from "./moving.ts"

/** Runs an effect as a traced request, number n. */
const traced =
  (n: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      continuing(`00-${traceOf(n)}-00f067aa0ba902b7-01`, { name: "request" }),
      Effect.provideService(TraceRatio, 1)
    )

const traceOf = (n: number): string => String(n).padStart(32, "a")

const traceIn = (traceparent: string | null | undefined): string | undefined => traceparent?.split("-")[1]

/** The traces of a tenant's events by the credential. */
const tracesOf = Effect.fnUntraced(function* (tenantId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly subject_id: string; readonly traceparent: string | null }>`
    SELECT subject_id, traceparent FROM event WHERE tenant_id = ${tenantId} AND kind = 'credential.updated'`
  return new Map(rows.map(({ subject_id, traceparent }) => [subject_id, traceIn(traceparent)]))
})

for (const [engine, store] of engines) {
  layer(store, { excludeTestServices: true })(`trace contexts on ${engine}`, (it) => {
    it.effect("each event keeps the trace of its caller, also in a group, and none of an untraced caller", () =>
      Effect.gen(function* () {
        const { ids, tenantId, to } = yield* prepared(8)
        const one = (id: string, index: number) => {
          const moving = move(tenantId, { _tag: "Ids", ids: [id] }, to)
          return index === 0 ? moving : traced(index)(moving)
        }
        yield* Effect.forEach(ids, one, { concurrency: "unbounded" })
        const traces = yield* tracesOf(tenantId)
        assert.deepStrictEqual(
          ids.map((id) => traces.get(id)),
          ids.map((_, index) => (index === 0 ? undefined : traceOf(index)))
        )
      })
    )

    it.effect("all events of a bulk transition keep the trace of the caller", () =>
      Effect.gen(function* () {
        const { ids, tenantId, to } = yield* prepared(3)
        yield* traced(7)(move(tenantId, { _tag: "Ids", ids }, to))
        assert.deepStrictEqual([...(yield* tracesOf(tenantId)).values()], [traceOf(7), traceOf(7), traceOf(7)])
      })
    )

    it.effect("a run keeps the trace of the first call, until another one makes it due", () =>
      Effect.gen(function* () {
        const { ids, tenantId } = yield* prepared(1)
        const [id = ""] = ids
        const traceOfRun = Effect.map(dueRuns(start + 1000), ({ runs }) =>
          traceIn(runs.find(({ credentialId }) => credentialId === id)?.traceparent)
        )
        yield* traced(1)(ask(tenantId, id, { requestedAt: start + 500 }))
        yield* traced(2)(ask(tenantId, id, { requestedAt: start + 500 }))
        assert.strictEqual(yield* traceOfRun, traceOf(1))
        yield* traced(3)(rerun(tenantId, id, start))
        assert.strictEqual(yield* traceOfRun, traceOf(3))
      })
    )
  })
}
