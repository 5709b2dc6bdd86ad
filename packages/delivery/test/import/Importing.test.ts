import { assert, describe, it } from "@effect/vitest"
import * as Importing from "@wcs/delivery/import/Importing"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import * as Imports from "@wcs/domain/import/Imports"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, start } from "@wcs/store-suite/Fixtures"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { minute, settings, surroundings } from "../World.ts"

/** A tenant with an import that waits for its check. */
const begin = Effect.fnUntraced(function* (tenantId: string) {
  const access = yield* AccessStore
  const account = serviceAccountFor(tenantId)
  const tenant = { id: tenantId, name: tenantId, timeZone: "Australia/Perth", hosts: [] }
  yield* access.insertTenant(tenant, account, auditEntry(tenantId))
  const caller: Caller["Service"] = {
    ...{ tenantId, timeZone: tenant.timeZone, account: accountUrn(account.id), privileges: privilegesOf(account.role) },
    ...{ bearer: { kind: "password", id: account.id }, rateLimitKey: account.id, rateLimit: null, workerId: null }
  }
  const { check, read, upload } = yield* Imports.make
  const { id } = yield* upload("staff.csv", Stream.fromArray([["Name"], ["Ann"]])).pipe(
    Effect.andThen(({ id }) => check(id, {})),
    Effect.provideService(Caller, caller),
    Effect.provideService(RequestId, "01K000000000000000IMPORTED")
  )
  return Effect.map(Effect.provideService(read(id, {}), Caller, caller), ({ problem, status }) => [status, problem])
})

describe("the work of imports", () => {
  it.effect("goes on for other tenants if one import fails, and gives that one up in the end", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const [broken, sound] = ["tnt_0000000000000001", "tnt_0000000000000002"] as const
      const statusOfBroken = yield* begin(broken)
      const statusOfSound = yield* begin(sound)
      const store = yield* ImportStore
      const failing = ImportStore.of({
        ...store,
        rows: (tenantId, ...asked) =>
          tenantId === broken ? Effect.die(new Error("broken")) : store.rows(tenantId, ...asked)
      })
      yield* Importing.start.pipe(
        Effect.provide(settings({ pollMillis: minute })),
        Effect.provideService(ImportStore, failing)
      )
      const pass = (minutes: number) =>
        Effect.andThen(TestClock.adjust(minutes * minute), Effect.repeat(Effect.yieldNow, { times: 1000 }))
      yield* pass(1)
      assert.deepStrictEqual(yield* statusOfSound, ["CHECKED", null])
      assert.deepStrictEqual(yield* statusOfBroken, ["CHECKING", null])
      yield* pass(5)
      const [status, problem] = yield* statusOfBroken
      assert.strictEqual(status, "UPLOADED")
      assert.include(problem, "internal error")
    }).pipe(Effect.provide(surroundings), Effect.scoped)
  )
})
