import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as Credentials from "@wcs/domain/credential/Credentials"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import * as Workers from "@wcs/domain/credential/Workers"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Resources from "@wcs/domain/crud/Resources"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { Ids, idOfNothing } from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Effect, Layer } from "effect"
import { caller } from "../shared/Calling.ts"
import { noHistory } from "../shared/NoHistory.ts"

/** The use cases over an empty store. */
const services = Layer.mergeAll(Credentials.layer, Workers.layer).pipe(
  Layer.provideMerge(Resources.layer),
  Layer.provide([Ownership.layer, Privilege.layer, Notifications.layer, Layer.mock(OwnershipStore, {}), noHistory]),
  Layer.provide(
    Layer.mock(Ids, { ulidAt: () => "01KCZ00000000000000000000Z", source: (kind) => () => idOfNothing(kind) })
  ),
  Layer.provide(Layer.mock(KeptComplianceStore, { definitions: () => Effect.succeed({ checks: [], generation: 0 }) })),
  Layer.provide(
    Layer.mock(ResourceStore, {
      find: () => Effect.succeedNone,
      findText: () => Effect.succeedNone,
      list: () => Effect.succeed({ items: [], hasMore: false, total: undefined })
    })
  )
)

const reads: Readonly<
  Record<string, Effect.Effect<unknown, { readonly _tag: string }, Caller | Credentials.Credentials | Workers.Workers>>
> = {
  "GET /credentials/:id?include=owners": Effect.flatMap(Credentials.Credentials, ({ read }) =>
    read(idOfNothing("credential"), { include: "owners" })
  ),
  "GET /credentials?include=owners": Effect.flatMap(Credentials.Credentials, ({ list }) => list({ include: "owners" })),
  "GET /workers/:id?include=credentials": Effect.flatMap(Workers.Workers, ({ read }) =>
    read(idOfNothing("worker"), { include: "credentials" })
  ),
  "GET /workers?include=credentials": Effect.flatMap(Workers.Workers, ({ list }) => list({ include: "credentials" }))
}

/** The outcome of a read for a caller with READ of these types. */
const as = (read: (typeof reads)[string], ...types: ReadonlyArray<"worker" | "applicant" | "credential">) =>
  Effect.match(read, { onFailure: ({ _tag }) => _tag, onSuccess: () => "found" }).pipe(
    Effect.provideService(Caller, { ...caller, privileges: new Set(types.map((type) => `${type}:READ` as const)) }),
    Effect.provide(services)
  )

describe("an answer of several entity types", () => {
  for (const [name, read] of Object.entries(reads)) {
    it.effect(`PRV-08: ${name} is 403 for a caller who may not read all of it, before any look-up`, () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* as(read, "worker", "applicant", "credential"),
          name.includes(":id") ? "ResourceNotFound" : "found"
        )
        assert.strictEqual(yield* as(read, name.includes("workers") ? "worker" : "credential"), "Forbidden")
      })
    )
  }
})
