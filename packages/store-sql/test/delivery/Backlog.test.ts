import { assert, layer } from "@effect/vitest"
import { BacklogStore, countedMost, waitingMost } from "@wcs/domain/webhook/BacklogStore"
import { begin, beginAll, draft, putWebhook } from "@wcs/store-suite/delivery/DeliveryFixtures"
import { freshTenant, start } from "@wcs/store-suite/Fixtures"
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "../engines.ts"

const backlogAt = (now: number) => BacklogStore.use((store) => store.read(now))

/** Open runs of a queue, with these due times. */
const insertRuns = Effect.fnUntraced(function* (queue: string, dueTimes: ReadonlyArray<number | null>) {
  const sql = yield* SqlClient.SqlClient
  const tenant_id = freshTenant()
  const rows = dueTimes.map((due_at, index) => ({
    ...{ tenant_id, credential_id: `cred_${index}`, queue: `${tenant_id} ${queue}` },
    ...{ partition: index % 64, due_at, attempts: 0 }
  }))
  for (const chunk of Arr.chunksOf(rows, 1000)) {
    if (Arr.isReadonlyArrayNonEmpty(chunk)) yield* sql`INSERT INTO verification_run ${sql.insert(chunk)}`
  }
})

for (const [name, store] of engines) {
  layer(store, { excludeTestServices: true })(`the backlog on ${name}`, (it) => {
    it.effect("counts due deliveries up to 10,000 and later ones up to 10,000", () =>
      Effect.gen(function* () {
        const [many, few, last] = [yield* putWebhook(), yield* putWebhook(), yield* putWebhook()]
        const at = start + 500_000
        yield* beginAll(Array.from({ length: countedMost + 1 }, () => draft(many, { createdAt: at })))
        yield* begin(few, 1, start + 5)
        yield* begin(last, 1, at + 9)
        const counted = (now: number) => Effect.map(backlogAt(now), ({ deliveries }) => deliveries)
        assert.deepStrictEqual(yield* counted(start + 5), { due: 1, later: countedMost })
        assert.deepStrictEqual(yield* counted(at), { due: countedMost, later: 1 })
      })
    )

    it.effect("counts no more than 1,000 of a tenant", () =>
      Effect.gen(function* () {
        const webhook = yield* putWebhook()
        yield* beginAll(Array.from({ length: waitingMost + 1 }, () => draft(webhook)))
        const { queues } = yield* BacklogStore.use((store) => store.ofTenant(webhook.tenantId, start))
        assert.deepStrictEqual(queues.deliveries, { waiting: waitingMost, since: start })
      })
    )

    it.effect("counts due runs up to 10,000 and later ones up to 10,000", () =>
      Effect.gen(function* () {
        yield* insertRuns("WWCC_NSW", [null, null])
        yield* insertRuns(
          "WWCC_VIC",
          Array.from({ length: countedMost + 1 }, () => start + 9)
        )
        yield* insertRuns("FIRST_AID", [start + 5, start + 99])
        const counted = (now: number) => Effect.map(backlogAt(now), ({ runs }) => runs)
        assert.deepStrictEqual(yield* counted(start + 5), { due: 1, later: countedMost, review: 2 })
        assert.deepStrictEqual(yield* counted(start + 9), { due: countedMost, later: 1, review: 2 })
      })
    )
  })
}
