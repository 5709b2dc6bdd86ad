import { assert, describe, it } from "@effect/vitest"
import { slotsOf } from "@wcs/domain/Credential"
import * as Credentials from "@wcs/domain/Credentials"
import { Ids, idOfNothing } from "@wcs/domain/Id"
import { deliveryDue, Notices } from "@wcs/domain/Notices"
import * as Ownership from "@wcs/domain/Ownership"
import { OwnershipStore } from "@wcs/domain/OwnershipStore"
import { ResourceStore } from "@wcs/domain/ResourceStore"
import * as Resources from "@wcs/domain/Resources"
import { Effect, Layer } from "effect"
import { calling } from "./Calling.ts"
import { storedWith } from "./CredentialFixtures.ts"

const credential = storedWith()
const holder = { type: "worker", id: "wkr_0123456789abcDEF" } as const
const other = { type: "worker", id: "wkr_AAAAAAAAAAAAAAAA" } as const

/** A store of one credential, of which nothing is kept, and what was told. */
const surroundings = () => {
  const told: Array<string> = []
  const store = Layer.mock(OwnershipStore, {
    transition: (_tenantId, _chosen, _entering, decide) =>
      Effect.map(Effect.fromResult(decide([slotsOf(credential)], true)), ({ answer }) => ({
        answer,
        credential: () => credential
      }))
  })
  const notices = Layer.mock(Notices, { tell: (topic) => Effect.sync(() => void told.push(topic)) })
  const ids = Layer.mock(Ids, { source: (kind) => () => idOfNothing(kind) })
  const layer = Credentials.layer.pipe(
    Layer.provide([Resources.layer, Ownership.layer]),
    Layer.provide([store, notices, ids, Layer.mock(ResourceStore, {})]),
    Layer.merge(calling)
  )
  return { layer, told }
}

describe("whoever sends events", () => {
  it.effect("hears of a link and a transfer, single and bulk, that change something, and of no other", () => {
    const { layer, told } = surroundings()
    return Effect.gen(function* () {
      const { own, ownBatch } = yield* Credentials.Credentials
      const all = { _tag: "Ids", ids: [credential.id] } as const
      const linked = { _tag: "Link", to: holder } as const
      yield* own(credential.id, linked)
      yield* ownBatch(all, linked)
      yield* ownBatch(all, { _tag: "Transfer", from: other, to: holder })
      assert.deepStrictEqual(told, [])
      const moving = { _tag: "Transfer", from: holder, to: other } as const
      yield* own(credential.id, moving)
      assert.deepStrictEqual(told, [deliveryDue])
      yield* ownBatch(all, moving)
      assert.deepStrictEqual(told, [deliveryDue, deliveryDue])
    }).pipe(Effect.provide(layer))
  })
})
