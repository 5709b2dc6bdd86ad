import { Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import type { Groups } from "./Group.ts"
import { type Membership, newMembership } from "./Membership.ts"
import { fromCause } from "./SqliteError.ts"

/** Runs an operation on the connection synchronously and classifies its errors. */
export type Run = <A>(evaluate: () => A) => Effect.Effect<A, SqlError.SqlError>

/** The connection of a transaction in a group. No other transaction uses the connection at the same time. */
export type Member = SqlConnection.Connection

/** The membership of a transaction that waited for the connection. The next transaction waits until it leaves. */
export interface QueuedMembership extends Membership {
  /** Closing it hands the connection to the next member. */
  readonly held: Scope.Closeable
  left: boolean
}

/** Gives the connection to one transaction at a time, in order. */
export const makeConnectionQueue = (groups: Groups, connect: (membership: Membership) => Member) => {
  const turn = Semaphore.makeUnsafe(1)
  const memberships = new WeakMap<Member, QueuedMembership>()
  let current: Membership | undefined

  const leave = (membership: QueuedMembership): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (membership.left) return Effect.void
      membership.left = true
      if (current === membership) current = undefined
      groups.leave(current === undefined)
      return Scope.close(membership.held, Exit.void)
    })

  /** Waits for the connection and keeps it until the scope closes, or until the transaction leaves it. */
  const acquire: Effect.Effect<Member, never, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const held = yield* Scope.make()
      const membership: QueuedMembership = { ...newMembership(), held, left: false }
      groups.want()
      // Registered before the wait: an interruption can arrive just when the connection becomes free.
      yield* Effect.addFinalizer(() => leave(membership))
      yield* restore(Scope.provide(turn.takeScoped(1), held))
      current = membership
      const member = connect(membership)
      memberships.set(member, membership)
      return member
    })
  )

  return {
    acquire,
    leave,
    membershipOf: (member: Member): QueuedMembership => {
      const membership = memberships.get(member)
      if (membership === undefined) throw new Error("the connection belongs to no transaction group")
      return membership
    },
    /** Runs an operation on the connection while no transaction has it. */
    alone: (<A>(evaluate: () => A) => turn.withPermit(Effect.try({ try: evaluate, catch: fromCause }))) satisfies Run
  }
}
