import { assert, describe } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { type Change, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Option, Result } from "effect"
import { created, freshTenant, mint, remove, type TenantTest, webhookFields } from "../Fixtures.ts"

const countTests = (it: TenantTest): void => {
  const few = { ...Webhook, most: 3 }

  /** Adds a webhook unless the limit is reached. Returns the number of other webhooks before that. */
  const add = Effect.fnUntraced(function* (tenant: string, id = mint("webhook")) {
    const store = yield* ResourceStore
    let counted = 0
    yield* store.change(few, tenant, id, [], ({ current, others }): Result.Result<Change<WebhookFields>> => {
      counted = others
      const present = Option.getOrUndefined(current)
      if (present !== undefined) return Result.succeed({ _tag: "Unchanged", current: present })
      const next = created(id, webhookFields)
      return Result.succeed(
        others < few.most ? { _tag: "Changed", next, records: noRecords } : { _tag: "Unchanged", current: next }
      )
    })
    return counted
  })

  it("passes the number of the tenant's other resources to the decision, without deleted ones", function* (tenant) {
    const id = mint("webhook")
    assert.strictEqual(yield* add(tenant, id), 0)
    assert.strictEqual(yield* add(tenant), 1)
    assert.strictEqual(yield* add(freshTenant()), 0)
    assert.strictEqual(yield* add(tenant, id), 0, "an existing webhook does not count itself")
    assert.strictEqual(yield* add(tenant), 2)
    assert.strictEqual(yield* add(tenant), 3)
    yield* remove(Webhook, tenant, id)
    assert.strictEqual(yield* add(tenant), 2)
    assert.strictEqual(yield* add(tenant), 3)
  })

  it("never exceeds the limit, also with concurrent additions", function* () {
    for (let round = 0; round < 5; round++) {
      const tenant = freshTenant()
      const counted = yield* Effect.all(
        Array.from({ length: 12 }, () => add(tenant)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        counted.toSorted((one, two) => one - two),
        [0, 1, 2, ...Array.from({ length: 9 }, () => 3)]
      )
      assert.strictEqual(yield* add(tenant), 3)
    }
  })
}

/** Tests resources with a limit per tenant. */
export const resourceMostSuite = (it: TenantTest): void => {
  describe("ResourceStore.change: resources with a limit", () => countTests(it))
}
