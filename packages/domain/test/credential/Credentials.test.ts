import { assert, describe, it } from "@effect/vitest"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as Credentials from "@wcs/domain/credential/Credentials"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Resources from "@wcs/domain/crud/Resources"
import { slotsOf } from "@wcs/domain/holding/Credential"
import { noHoldings } from "@wcs/domain/holding/Holdings"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Ids, idOfNothing } from "@wcs/domain/shared/Id"
import { deliveryDue, Notifications, verificationDue } from "@wcs/domain/shared/Notifications"
import { waitingMax } from "@wcs/domain/verification/VerificationRun"
import { Effect, Layer, Option, Result } from "effect"
import { calling } from "../shared/Calling.ts"
import { noHistory } from "../shared/NoHistory.ts"
import { storedWith } from "./CredentialFixtures.ts"

const credential = storedWith()
const holder = { type: "worker", id: "wkr_0123456789abcDEF" } as const
const other = { type: "worker", id: "wkr_AAAAAAAAAAAAAAAA" } as const

/** A store with one credential that saves nothing, and the notifications sent. */
const surroundings = () => {
  const told: Array<string> = []
  const store = Layer.mock(OwnershipStore, {
    transition: (_tenantId, _chosen, _entering, decide) =>
      Effect.map(
        Effect.fromResult(
          decide([{ ...slotsOf(credential), stored: () => credential }], {
            ...Ownership.noFacts,
            isPresent: true
          })
        ),
        ({ answer }) => ({
          answer,
          credential: () => credential
        })
      )
  })
  const notifications = Layer.mock(Notifications, { notify: (topic) => Effect.sync(() => void told.push(topic)) })
  const ids = Layer.mock(Ids, {
    ulidAt: () => "01KCZ00000000000000000000Z",
    source: (kind) => () => idOfNothing(kind)
  })
  const layer = Credentials.layer.pipe(
    Layer.provide([Resources.layer, Ownership.layer, Privilege.layer]),
    Layer.provide([store, notifications, ids, noHistory, Layer.mock(ResourceStore, {})]),
    Layer.merge(calling)
  )
  return { layer, told }
}

describe("delivery workers", () => {
  it.effect("are notified of links and transfers that change something, single and bulk, and of no others", () => {
    const { layer, told } = surroundings()
    return Effect.gen(function* () {
      const { changeOwner, changeOwners } = yield* Credentials.Credentials
      const all = { _tag: "Ids", ids: [credential.id] } as const
      const linked = { _tag: "Link", to: holder } as const
      yield* changeOwner(credential.id, linked)
      yield* changeOwners(all, linked)
      yield* changeOwners(all, { _tag: "Transfer", from: other, to: holder })
      assert.deepStrictEqual(told, [])
      const moving = { _tag: "Transfer", from: holder, to: other } as const
      yield* changeOwner(credential.id, moving)
      assert.deepStrictEqual(told, [deliveryDue])
      yield* changeOwners(all, moving)
      assert.deepStrictEqual(told, [deliveryDue, deliveryDue])
    }).pipe(Effect.provide(layer))
  })
})

describe("an update that changes the card", () => {
  /** A store with a credential that has this many open verifications, and the records of its changes. */
  const updating = (openCount: number) => {
    const written: Array<ChangeRecords> = []
    const told: Array<string> = []
    const store = Layer.mock(ResourceStore, {
      change: (_resource, _tenantId, _id, _references, decide) =>
        Effect.fromResult(
          Result.map(
            decide({
              current: Option.some(credential as Stored<never>),
              references: [],
              others: 0,
              holdings: noHoldings,
              openCount,
              tree: new Map(),
              hasPeople: false
            }),
            (decided) => {
              if (decided._tag === "Changed") written.push(decided.records)
              return decided
            }
          )
        )
    })
    const ids = Layer.mock(Ids, {
      mint: (kind) => Effect.succeed(idOfNothing(kind)),
      source: (kind) => () => idOfNothing(kind),
      ulid: Effect.succeed("01KCZ00000000000000000000Z"),
      ulidAt: () => "01KCZ00000000000000000000Z"
    })
    const notifications = Layer.mock(Notifications, { notify: (topic) => Effect.sync(() => void told.push(topic)) })
    const layer = Credentials.layer.pipe(
      Layer.provide([Resources.layer, Ownership.layer, Privilege.layer]),
      Layer.provide([store, notifications, ids, Layer.mock(OwnershipStore, {}), noHistory]),
      Layer.merge(calling)
    )
    return { layer, written, told }
  }
  const body = { attributes: { identifier: "WWC7654321E" } }

  it.effect("starts a verification with the returned correlation id, and notifies workers", () => {
    const { layer, told, written } = updating(waitingMax - 1)
    return Effect.gen(function* () {
      const { patch } = yield* Credentials.Credentials
      const { correlationId, document } = yield* patch(credential.id, body)
      assert.strictEqual(correlationId, "01KCZ00000000000000000000Z")
      assert.strictEqual(document.attributes.lastCorrelationId, correlationId)
      const [records] = written
      assert.deepStrictEqual(
        records?.verifications?.map(({ correlationId, trigger }) => [correlationId, trigger]),
        [[correlationId, "update"]]
      )
      assert.deepStrictEqual(
        records?.events.map(({ correlationId, kind }) => `${kind} ${correlationId}`),
        [`credential.updated ${correlationId}`]
      )
      assert.deepStrictEqual(told, [deliveryDue, verificationDue])
    }).pipe(Effect.provide(layer))
  })

  it.effect("starts no verification above the limit of open ones, and makes their run due", () => {
    const { layer, written } = updating(waitingMax)
    return Effect.gen(function* () {
      const { patch } = yield* Credentials.Credentials
      const { correlationId, document } = yield* patch(credential.id, body)
      assert.isUndefined(correlationId)
      assert.notProperty(document.attributes, "lastCorrelationId")
      assert.strictEqual(document.attributes.statusDetail, "PENDING")
      const [records] = written
      assert.deepStrictEqual(records?.verifications, [])
      assert.deepStrictEqual(
        records?.reruns?.map(({ credentialId }) => credentialId),
        [credential.id]
      )
    }).pipe(Effect.provide(layer))
  })
})
