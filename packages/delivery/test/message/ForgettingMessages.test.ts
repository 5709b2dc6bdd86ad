import { assert, describe, it } from "@effect/vitest"
import { queued } from "@wcs/domain/message/Announcing"
import { Message, unaddressed } from "@wcs/domain/message/Message"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, listIds, mint } from "@wcs/store-suite/Fixtures"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { tenantId } from "../Seeds.ts"
import { hour, surroundings, worker } from "../World.ts"

describe("a worker that sends no messages", () => {
  it.effect("deletes those that ended long ago", () =>
    Effect.gen(function* () {
      const [store, now] = [yield* MessageStore, yield* Clock.currentTimeMillis]
      const access = yield* AccessStore
      const tenant = { id: tenantId, name: "first", timeZone: "Australia/Sydney", hosts: [] }
      yield* access.insertTenant(tenant, serviceAccountFor(tenantId), auditEntry(tenantId, { entityType: "tenant" }))
      const { message, dueAt } = queued(mint("message"), "RED_TODAY", "a", { id: "acc_1", email: "a@example.org" }, now)
      const audit = auditEntry(message.id, { entityType: "message" })
      yield* store.insert(tenantId, { message, dueAt }, { since: 0, most: 1 }, audit)
      yield* store.change(tenantId, message.id, (current) => unaddressed(current, now))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.provide(Effect.void, worker())
          assert.lengthOf(yield* listIds(Message, tenantId), 1)
        })
      )
      yield* TestClock.adjust(90 * 24 * hour - 1)
      yield* Effect.scoped(Effect.provide(Effect.repeat(Effect.yieldNow, { times: 100 }), worker()))
      assert.lengthOf(yield* listIds(Message, tenantId), 1)
      yield* TestClock.adjust(2)
      yield* Effect.provide(Effect.repeat(Effect.yieldNow, { times: 100 }), worker())
      assert.deepStrictEqual(yield* listIds(Message, tenantId), [])
    }).pipe(Effect.provide(surroundings))
  )
})
