import { Effect } from "effect"
import { bulkLink, bulkTransfer, type Owner, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, type Owners, read } from "../../calls/Resources.ts"
import type { ItemStatus, Owned } from "../../exchanges/BatchAnswers.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import { Session } from "../../judgement/Session.ts"
import { needs } from "../../profile/Need.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { makeOwned, makeWithoutWorker } from "./OwnedCredentials.ts"

/** The parts of a batch: credentials in different states, and the call on any of their ids. */
export interface Material {
  readonly ask: (credentials: ReadonlyArray<string>) => Effect.Effect<Exchange, Blocked, Session>
  readonly to: Owner
  /** The item status of a change. */
  readonly done: ItemStatus
  /** The error code of an item skipped for a conflict. */
  readonly conflict: string
  /** Has another owner, so the call conflicts. */
  readonly conflicting: Owned
  /** Creates another conflicting credential. */
  readonly makeConflicting: Effect.Effect<Owned, Blocked, Session>
  /** Already owned by `to`. */
  readonly settled: Owned
  /** The call changes this one. */
  readonly changing: Owned
}

/** Creates a credential of these owners. */
export const ownedAs = Effect.fnUntraced(function* (owners: Owners) {
  const owned: Owned = { id: (yield* makeOwned(owners)).id, owners }
  return owned
})

/** Creates a credential of one worker. */
export const ownedBy = (id: string) => ownedAs({ worker: id })

/** Reads credentials again, each with its earlier state. */
export const readAll = Effect.fnUntraced(function* (credentials: ReadonlyArray<Owned>) {
  return yield* Effect.forEach(credentials, (owned) =>
    Effect.map(read("credential", owned.id), (after) => ({ owned, after }))
  )
})

/** Whether the profile has the body of a bulk link. */
export const offersBulkLink = Effect.map(Session, ({ profile }) => needs["bulk link body"].isMet(profile))

/** For bulk links of a worker: credentials of another worker, of that worker, and without a worker. */
export const linkMaterial = Effect.gen(function* () {
  const [one, other] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const to = worker(one.id)
  const makeConflicting = ownedBy(other.id)
  const material: Material = {
    ask: (credentialIds) => bulkLink({ to, credentialIds }),
    to,
    done: "linked",
    conflict: "ALREADY_LINKED",
    conflicting: yield* makeConflicting,
    makeConflicting,
    settled: yield* ownedBy(one.id),
    changing: yield* makeWithoutWorker()
  }
  return material
})

/**
 * For bulk transfers between two workers: credentials of a third worker and of `from`, and one that an earlier batch
 * moved to `to`. That batch was sent twice.
 */
export const transferMaterial = Effect.gen(function* () {
  const [one, next, stranger] = [yield* anyOwner("worker"), yield* anyOwner("worker"), yield* anyOwner("worker")]
  const [from, to] = [worker(one.id), worker(next.id)]
  const ask = (credentialIds: ReadonlyArray<string>) => bulkTransfer({ from, to, credentialIds })
  const pair = [yield* ownedBy(one.id), yield* ownedBy(one.id)] as const
  const ids = pair.map(({ id }) => id)
  const moved = yield* ask(ids)
  const again = yield* ask(ids)
  const makeConflicting = ownedBy(stranger.id)
  const material: Material = {
    ask,
    to,
    done: "transferred",
    conflict: "OWNER_MISMATCH",
    conflicting: yield* makeConflicting,
    makeConflicting,
    settled: { id: pair[0].id, owners: { worker: next.id } },
    changing: yield* ownedBy(one.id)
  }
  return { material, pair, moved, again }
})
