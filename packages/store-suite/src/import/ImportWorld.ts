import { type Account, accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { ImportDocument } from "@wcs/domain/import/Import"
import type { Outcome } from "@wcs/domain/import/ImportRow"
import * as ImportSteps from "@wcs/domain/import/ImportSteps"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import * as Imports from "@wcs/domain/import/Imports"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Layer, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { allowed, putTenant, user } from "../access/AccessFixtures.ts"
import { auditEntry, type Stores, start } from "../Fixtures.ts"

type Rows = ReadonlyArray<ReadonlyArray<string>>

const services = Layer.mergeAll(Notifications.layer, Layer.provide(Id.layer, SecureRandom.layerWebCrypto))
export const layer = Layer.provideMerge(Imports.layer, services)

export const callerOf = (account: Account, personal?: string): Caller["Service"] => ({
  ...{ tenantId: account.tenantId, timeZone: "Australia/Perth", account: accountUrn(account.id) },
  privileges: privilegesOf(account.role),
  bearer: personal === undefined ? { kind: "password", id: account.id } : { kind: "personal", id: personal },
  ...{ rateLimitKey: account.id, rateLimit: null, workerId: null }
})

export const requestId = "01K000000000000000IMPORTED"

/** A tenant with a user who imports. */
export const begin = Effect.gen(function* () {
  const access = yield* AccessStore
  const { tenant } = yield* putTenant
  const account = user(tenant.id)
  yield* access.insertAccount(account, auditEntry(account.id, { entityType: "account" }), allowed)
  return { account, tenantId: tenant.id }
})

interface World extends Effect.Success<typeof begin> {
  /** The id of the personal token of the calls; by default they have a password. */
  readonly personal?: string
}

export const calling =
  ({ account, personal }: World) =>
  <A, E, R>(use: (imports: Imports.Imports["Service"]) => Effect.Effect<A, E, R>) =>
    Effect.orDie(Effect.flatMap(Imports.Imports, use)).pipe(
      Effect.provideService(Caller, callerOf(account, personal)),
      Effect.provideService(RequestId, requestId)
    )

/** Revokes a personal token. */
export const revoke = ({ tenantId }: World, id: string) =>
  AccessStore.use((access) => access.revokePersonalToken(tenantId, id, start + 9, auditEntry(id)))

export const header = ["Staff ID", "First name", "Last name", "DOB", "Email"]

export const upload = (world: World, rows: Rows) =>
  calling(world)((imports) => imports.upload("staff.csv", Stream.fromArray([header, ...rows])))

/** The work of an import, if there is any. */
export const workOf = Effect.fnUntraced(function* (id: string) {
  const store = yield* ImportStore
  return (yield* store.working(1000)).find(({ it }) => it.id === id)
})

export const step = (id: string) =>
  Effect.gen(function* () {
    const work = yield* workOf(id)
    if (work === undefined) return false
    const { step } = yield* ImportSteps.make
    yield* step(work)
    return true
  })

/** Does the work of an import to its end. */
export const finish = Effect.fnUntraced(function* (world: World, id: string) {
  while (yield* step(id));
  return yield* calling(world)((imports) => imports.read(id, {}))
})

export const check = Effect.fnUntraced(function* (world: World, id: string) {
  yield* calling(world)((imports) => imports.check(id, {}))
  return yield* finish(world, id)
})

/** Uploads, checks and runs. */
export const importAll = Effect.fnUntraced(function* (world: World, rows: Rows, withDuplicates = false) {
  const { id } = yield* upload(world, rows)
  const checked = yield* check(world, id)
  yield* calling(world)((imports) => imports.run(id, { withDuplicates }))
  return { id, checked, done: yield* finish(world, id) }
})

export const countsOf = ({ counts }: ImportDocument) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<Record<Outcome, number>>

export const outcomesOf = (world: World, id: string) =>
  Effect.map(
    calling(world)((imports) => imports.rows(id, { pageSize: "100" })),
    ({ documents }) => documents.map(({ fault, outcome, row }) => [row, outcome, fault?.column ?? null] as const)
  )

export const person = (number: number): ReadonlyArray<string> => [
  `E${number}`,
  `Ann${number}`,
  `Lee${number}`,
  "31/12/1990",
  `ann${number}@example.org`
]

export const people = (count: number): Rows => Array.from({ length: count }, (_, index) => person(index + 1))

type Services = Stores | Layer.Success<typeof layer>
export type Test = (
  name: string,
  body: (world: World) => Effect.Effect<void, never, Services>,
  timeout?: number
) => void

/** Does a step that is killed at a call of a store: before it, or after its commit. */
export const killedStep = (id: string, at: { readonly call: number; readonly isAfter: boolean }) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const resources = yield* ResourceStore
    let calls = 0
    const dying = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const isLast = calls++ === at.call
        if (calls > at.call + 1 || (isLast && !at.isAfter)) return Effect.die("killed")
        return isLast ? Effect.andThen(effect, Effect.die("killed")) : effect
      })
    yield* Effect.exit(step(id)).pipe(
      Effect.provideService(
        ImportStore,
        ImportStore.of({ ...store, advance: (next, marks) => dying(store.advance(next, marks)) })
      ),
      Effect.provideService(
        ResourceStore,
        ResourceStore.of({ ...resources, change: (...asked) => dying(resources.change(...asked)) as never })
      )
    )
  })
