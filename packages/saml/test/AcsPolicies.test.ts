import { assert, describe, it } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { IdentityProvider } from "@wcs/domain/single-sign-on/IdentityProvider"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer, Option, Result } from "effect"
import { makeAcs, providerId, services, servicesOver } from "./Acs.ts"
import { authnStatement, instant, issued, now, toBase64, usualResponse } from "./corpus/Forge.ts"
import { postOf } from "./corpus/Hostile.ts"

/** Stores in which an administrator switches the provider off just before a session is stored. */
const stores = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const [resources, sessions] = [yield* ResourceStore, yield* SessionStore]
    const switchOff = (tenantId: string) =>
      resources.change(IdentityProvider, tenantId, providerId, [], ({ current }) => {
        const { fields, version, ...rest } = Option.getOrThrow(current)
        const next = { ...rest, version: version + 1, fields: { ...fields, active: false } }
        return Result.succeed({ _tag: "Changed" as const, next, records: noRecords })
      })
    return SessionStore.of({
      ...sessions,
      insert: (session, ...given) => Effect.andThen(switchOff(session.tenantId), sessions.insert(session, ...given))
    })
  })
).pipe(Layer.provideMerge(StoreSqlite.layerMemory))

describe("a fresh login", () => {
  it.effect("is refused when AuthnInstant is before the request, although the response is new", () =>
    Effect.gen(function* () {
      const acs = yield* makeAcs
      yield* acs.bind("alice-4711", 1)
      const old = postOf(toBase64(issued({ authnStatement: authnStatement({ AuthnInstant: instant(-3600) }) })))
      assert.strictEqual(yield* acs.send(old, now - 5000), "NotFresh")
      assert.strictEqual(yield* acs.send(postOf(toBase64(usualResponse())), now - 35_000), "accepted")
    }).pipe(Effect.provide(services))
  )
})

describe("a login during which the provider is switched off", () => {
  it.effect("is refused, and leaves no session", () =>
    Effect.gen(function* () {
      const acs = yield* makeAcs
      yield* acs.bind("alice-4711", 1)
      assert.strictEqual(yield* acs.send(postOf(toBase64(usualResponse()))), "ProviderInactive")
      const page = yield* (yield* SessionStore).page(acs.tenant.id, {
        conditions: [],
        direction: "asc",
        pageSize: 10,
        after: undefined,
        includeDeleted: true,
        includeTotal: false
      })
      assert.deepStrictEqual(page.items, [])
    }).pipe(Effect.provide(servicesOver(stores)))
  )
})
