import { assert, describe, layer } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { putTenant } from "@wcs/store-suite/access/AccessFixtures"
import { Effect } from "effect"
import { engines } from "../engines.ts"
import { methodOf, newTenant, tenantWrites } from "../tenantWrites.ts"

/** Writes of access data that leave the validity of every token and session as it was. */
const harmless: ReadonlyArray<string> = [
  "AccessStore.touchPersonalToken",
  "SessionStore.touch",
  "UserStore.insertLegacyToken"
]

/** Whether a caller can be another one after a write, so that no process may use what it read before. */
const affectsCallers = (write: string): boolean =>
  /^(AccessStore|UserStore|SessionStore|SecondFactorStore)\./.test(write) && !harmless.includes(methodOf(write))

describe.each(engines)("the epoch of access on %s", (_, store) => {
  layer(store, { excludeTestServices: true })((it) => {
    it.effect("rises immediately at every write that can affect a caller, and at no other", () =>
      Effect.gen(function* () {
        const { epoch } = yield* AccessStore
        const raised: Array<string> = []
        for (const [name, prepare] of Object.entries(tenantWrites)) {
          const write = yield* prepare(yield* putTenant)
          const before = epoch()
          yield* write
          if (epoch() !== before) raised.push(name)
        }
        assert.sameMembers(raised, Object.keys(tenantWrites).filter(affectsCallers))
        const { write } = yield* newTenant
        const before = epoch()
        yield* write
        assert.notStrictEqual(epoch(), before)
      })
    )
  })
})
