import { assert, describe, it } from "@effect/vitest"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { make } from "@wcs/domain/token/Tenancy"
import { Effect, Layer, Option } from "effect"

const acme: Tenant = { id: "tnt_0000000000000001", name: "Acme", timeZone: "UTC", hosts: ["acme.example"] }

/** A store with one tenant, the current epoch and the hosts that were looked up. */
const store = () => {
  const asked: Array<string> = []
  const state = { epoch: 1, tenants: [acme] }
  const layer = Layer.mock(AccessStore, {
    epoch: () => state.epoch,
    listTenants: Effect.sync(() => state.tenants),
    listSigningKeys: Effect.succeed([]),
    findTenantByHost: (host) =>
      Effect.sync(() => {
        asked.push(host)
        return Option.fromUndefinedOr(state.tenants.find(({ hosts }) => hosts.includes(host)))
      })
  })
  return { asked, state, layer }
}

describe("Tenancy", () => {
  const { layer } = store()

  it.effect.each(["acme.example", "ACME.Example", "acme.example:8443", "acme.example.", "acme.example.:443"])(
    "threat 1: finds the tenant of %s",
    (authority) =>
      Effect.gen(function* () {
        const { tenantOf } = yield* make
        assert.deepStrictEqual(yield* tenantOf(authority), Option.some(acme))
      }).pipe(Effect.provide(layer))
  )

  it.effect.each(["other.example", "acme.example.evil", "evil.acme.example", "acme", "localhost"])(
    "threat 1: finds no tenant for %s",
    (authority) =>
      Effect.gen(function* () {
        const { tenantOf } = yield* make
        assert.deepStrictEqual(yield* tenantOf(authority), Option.none())
      }).pipe(Effect.provide(layer))
  )

  it.effect("threat 29: does not look up invalid host names", () => {
    const { asked, layer } = store()
    return Effect.gen(function* () {
      const { tenantOf } = yield* make
      for (const authority of ["", "a\0b", "' OR 1=1 --", "*", "acme_example", "a".repeat(254)]) {
        assert.deepStrictEqual(yield* tenantOf(authority), Option.none())
      }
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("looks a host up once per epoch", () => {
    const { asked, layer, state } = store()
    return Effect.gen(function* () {
      const { tenantOf } = yield* make
      yield* tenantOf("acme.example")
      yield* tenantOf("acme.example:8443")
      assert.deepStrictEqual(asked, ["acme.example"])
      state.epoch++
      state.tenants = []
      assert.deepStrictEqual(yield* tenantOf("acme.example"), Option.none())
      assert.deepStrictEqual(yield* tenantOf("acme.example"), Option.none())
    }).pipe(Effect.provide(layer))
  })

  it.effect("finds the tenant of a host that was unknown before", () => {
    const { layer, state } = store()
    const late: Tenant = { id: "tnt_0000000000000002", name: "Late", timeZone: "UTC", hosts: ["late.example"] }
    return Effect.gen(function* () {
      const { tenantOf } = yield* make
      assert.deepStrictEqual(yield* tenantOf("late.example"), Option.none())
      state.tenants = [acme, late]
      state.epoch++
      assert.deepStrictEqual(yield* tenantOf("late.example"), Option.some(late))
    }).pipe(Effect.provide(layer))
  })
})
