import { assert, describe, it } from "@effect/vitest"
import type { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as Credentials from "@wcs/domain/credential/Credentials"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Resources from "@wcs/domain/crud/Resources"
import { noHoldings } from "@wcs/domain/holding/Holdings"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { Worker } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import { type IdKind, Ids, idOfNothing } from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import type { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Layer, Option } from "effect"
import { calling } from "../shared/Calling.ts"
import { noHistory } from "../shared/NoHistory.ts"

const owner: Stored = {
  id: idOfNothing("worker"),
  version: 1,
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  fields: { identity: { displayName: "Ann Example" } }
}

/** A store with only the named owner and the present row of each id, and the kinds of the ids that were minted. */
const surroundings = (current: Option.Option<Stored<never>> = Option.none()) => {
  const minted: Array<IdKind> = []
  const next = (kind: IdKind) => {
    minted.push(kind)
    return idOfNothing(kind)
  }
  const ids = Layer.mock(Ids, {
    mint: (kind) => Effect.sync(() => next(kind)),
    source: (kind) => () => next(kind),
    ulid: Effect.succeed("01KCZ00000000000000000000Z"),
    ulidAt: () => "01KCZ00000000000000000000Z"
  })
  const store = Layer.mock(ResourceStore, {
    list: () => Effect.succeed({ items: [], hasMore: false, total: undefined }),
    change: (_resource, _tenantId, _id, references, decide) =>
      Effect.fromResult(
        decide({
          current,
          references: references.map(() => Option.some(owner)),
          others: 0,
          holdings: noHoldings,
          openCount: 0,
          tree: new Map(),
          hasPeople: false
        })
      )
  })
  const layer = Layer.mergeAll(
    Resources.layer,
    Credentials.layer.pipe(
      Layer.provide([Resources.layer, Ownership.layer, Privilege.layer, Layer.mock(OwnershipStore, {}), noHistory])
    )
  ).pipe(Layer.provide([ids, store, Notifications.layer]), Layer.merge(calling))
  return { minted, layer }
}

describe("create", () => {
  it.effect("mints an id for a verification only if one starts", () => {
    const { layer, minted } = surroundings()
    const mintedFor = Effect.fnUntraced(function* (create: Effect.Effect<unknown, unknown, Caller | RequestId>) {
      minted.length = 0
      yield* create
      return minted.filter((kind) => kind === "verification").length
    })
    return Effect.gen(function* () {
      const workers = (yield* Resources.Resources).collection(Worker)
      const credentials = yield* Credentials.Credentials
      const credential = (attributes: Readonly<Record<string, string>>) =>
        credentials.create({ attributes: { ...attributes, owners: { worker: owner.id } } })
      assert.strictEqual(yield* mintedFor(workers.create(owner.fields)), 0)
      assert.strictEqual(yield* mintedFor(credential({ credentialType: "FIRST_AID" })), 0)
      const card = { credentialType: "WWCC_NSW", identifier: "WWC0000000E" }
      assert.strictEqual(yield* mintedFor(credential(card)), 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect.each([{ deletedAt: null }, { deletedAt: 7 }])(
    "DEL-05, DEL-06: refuses a code that is in use or was used before (deletedAt $deletedAt)",
    ({ deletedAt }) => {
      const fields = { code: "child-care", name: "Child care", active: true }
      const { layer } = surroundings(Option.some({ ...owner, id: fields.code, deletedAt, fields: fields as never }))
      return Effect.gen(function* () {
        const packages = (yield* Resources.Resources).collection(ScreeningPackage)
        const refused = yield* Effect.flip(packages.create(fields))
        assert.deepInclude(refused, { _tag: "DuplicateId", entityType: "screeningPackage", id: fields.code })
      }).pipe(Effect.provide(layer))
    }
  )
})
