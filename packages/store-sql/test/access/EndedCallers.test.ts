import { assert, describe, layer } from "@effect/vitest"
import { type Account, accountUrn } from "@wcs/domain/access/Account"
import { type Bearer, Caller } from "@wcs/domain/access/Caller"
import { CallerEnded } from "@wcs/domain/access/CallerEnded"
import { privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { User } from "@wcs/domain/user/User"
import { putClient, putTenant, putToken, token } from "@wcs/store-suite/access/AccessFixtures"
import { session } from "@wcs/store-suite/access/SessionStoreSuite"
import { putLegacyToken, putUser, rewrite } from "@wcs/store-suite/access/UserFixtures"
import { auditEntry, auditLog, type Stores, start } from "@wcs/store-suite/Fixtures"
import { changeOwner, changeOwners, putApplicant, putCredential, putWorker } from "@wcs/store-suite/ownership/Owning"
import { check } from "@wcs/store-suite/Property"
import { Cause, Effect, Exit, Result } from "effect"
import fc from "fast-check"
import { engines } from "../engines.ts"
import { methodOf, tenantWrites } from "../tenantWrites.ts"

type Call = Caller["Service"]

const callerOf = (account: Account, kind: Bearer["kind"], id: string): Call => ({
  tenantId: account.tenantId,
  timeZone: "Australia/Sydney",
  account: accountUrn(account.id),
  privileges: privilegesOf(account.role),
  bearer: { kind, id },
  rateLimitKey: accountUrn(account.id),
  rateLimit: null,
  workerId: null
})

/** Runs a write for a caller. Returns whether it was written; fails the test if it failed for another reason. */
const writtenFor = <A, E, R>(caller: Call, write: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(Effect.provideService(write, Caller, caller)), (exit) => {
    if (Exit.isSuccess(exit)) return true
    assert.instanceOf(Cause.squash(exit.cause), CallerEnded, Cause.pretty(exit.cause))
    return false
  })

/** Writes of the worker, the server and the operator, which have no caller, and the last use of a bearer. */
const withoutCaller: ReadonlyArray<string> = [
  "AccessStore.touchPersonalToken",
  "AuditSealStore.insert",
  "DeliveryStore.deadLetter",
  "SessionStore.touch"
]

interface Doomed {
  readonly caller: Call
  readonly revoke: Effect.Effect<unknown, unknown, Stores>
}

const change = (user: User, next: (user: User) => User) => rewrite(user, next, start + 9)

/** A caller of each kind, and how to end it. */
const doomed: Readonly<Record<string, (user: User) => Effect.Effect<Doomed, unknown, Stores>>> = {
  "a session": Effect.fnUntraced(function* ({ account }) {
    const store = yield* SessionStore
    const row = session(account)
    yield* store.insert(row, auditEntry(row.id), null, () => true)
    const revoke = store.revoke(account.tenantId, row.id, start + 9, auditEntry(row.id))
    return { caller: callerOf(account, "session", row.id), revoke }
  }),
  "a personal token": Effect.fnUntraced(function* ({ account }) {
    const { id } = yield* putToken(account)
    const revoke = AccessStore.use((store) =>
      store.revokePersonalToken(account.tenantId, id, start + 9, auditEntry(id))
    )
    return { caller: callerOf(account, "personal", id), revoke }
  }),
  "a client": Effect.fnUntraced(function* ({ account }) {
    const { clientId } = yield* putClient(account.tenantId)
    const revoke = AccessStore.use((store) =>
      store.revokeClient(account.tenantId, clientId, start + 9, auditEntry(clientId))
    )
    return { caller: callerOf(account, "oauth", clientId), revoke }
  }),
  "a legacy token": Effect.fnUntraced(function* (user) {
    const { id } = yield* putLegacyToken(user)
    return { caller: callerOf(user.account, "legacy", id), revoke: change(user, (same) => same) }
  }),
  "a deactivated user": Effect.fnUntraced(function* (user) {
    const { id } = yield* putToken(user.account)
    const revoke = change(user, (same) => ({ ...same, account: { ...same.account, deactivatedAt: start + 9 } }))
    return { caller: callerOf(user.account, "personal", id), revoke }
  }),
  "a demoted user": Effect.fnUntraced(function* (user) {
    const { id } = yield* putToken(user.account)
    const role: Role = "Viewer"
    const revoke = rewrite(user, (same) => ({ ...same, account: { ...same.account, role } }))
    return { caller: callerOf(user.account, "personal", id), revoke }
  })
}

/** Each way to write: a transaction, a transition in a group, a transition of several, and an access write. */
const writes = ["create a worker", "link", "link two", "create a token"] as const
type Kind = (typeof writes)[number]

const prepare = Effect.fnUntraced(function* (kind: Kind, { account }: User) {
  const { tenantId } = account
  const store = yield* AccessStore
  const row = token(tenantId, account.id)
  const worker = yield* putWorker(tenantId)
  const ids = [yield* putCredential(tenantId, { worker }), yield* putCredential(tenantId, { worker })]
  const to = { type: "applicant", id: yield* putApplicant(tenantId) } as const
  const run: Readonly<Record<Kind, Effect.Effect<unknown, unknown, Stores>>> = {
    "create a worker": putWorker(tenantId),
    link: changeOwner(tenantId, ids[0] ?? "", { _tag: "Link", to }),
    "link two": changeOwners(tenantId, { _tag: "Ids", ids }, { _tag: "Link", to }),
    "create a token": store.insertPersonalToken(row, auditEntry(row.id), () => Result.void)
  }
  return run[kind]
})

const callers = 4

const turn = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ who: fc.nat(callers - 1), kind: fc.constantFrom(...writes) }) },
    { weight: 1, arbitrary: fc.record({ who: fc.nat(callers - 1), kind: fc.constant("revoke" as const) }) }
  ),
  { minLength: 1, maxLength: 6 }
)
const history = fc.record({
  kinds: fc.array(fc.constantFrom(...Object.keys(doomed)), { minLength: callers, maxLength: callers }),
  turns: fc.array(turn, { minLength: 1, maxLength: 6 })
})

/** Runs the turns one after the other, and the steps of each concurrently. */
const walk = Effect.fnUntraced(function* ({ kinds, turns }: typeof history extends fc.Arbitrary<infer H> ? H : never) {
  const { tenant } = yield* putTenant
  const all = yield* Effect.forEach(
    kinds,
    Effect.fnUntraced(function* (kind) {
      const user = yield* putUser(tenant.id)
      return { user, ...(yield* (doomed[kind] ?? assert.fail(kind))(user)) }
    })
  )
  const ended = new Set<number>()
  for (const steps of turns) {
    const ending = new Set(steps.flatMap(({ kind, who }) => (kind === "revoke" ? [who] : [])))
    const prepared = yield* Effect.forEach(
      steps,
      Effect.fnUntraced(function* ({ kind, who }) {
        const { caller, revoke, user } = all[who] ?? assert.fail("no such caller")
        if (kind === "revoke") return Effect.asVoid(revoke)
        const write = yield* prepare(kind, user)
        return Effect.map(writtenFor(caller, write), (isWritten) => {
          if (ended.has(who)) assert.isFalse(isWritten, `${kind} after ${kinds[who]} had ended`)
          else if (!ending.has(who)) assert.isTrue(isWritten, `${kind} while ${kinds[who]} stands`)
        })
      })
    )
    yield* Effect.all(prepared, { concurrency: "unbounded" })
    for (const who of ending) ended.add(who)
  }
})

describe.each(engines)("threat 58: a caller whose access has ended, on %s", (_, store) => {
  layer(store, { excludeTestServices: true })((it) => {
    it.effect.each(Object.entries(tenantWrites).filter(([name]) => !withoutCaller.includes(methodOf(name))))(
      "%s writes nothing",
      ([, prepare]) =>
        Effect.gen(function* () {
          const { account, tenant } = yield* putTenant
          const write = yield* prepare({ account, tenant })
          const gone = callerOf(account, "personal", (yield* putToken(account, { revokedAt: start })).id)
          const before = yield* auditLog(tenant.id)
          assert.isFalse(yield* writtenFor(gone, write))
          assert.deepStrictEqual(yield* auditLog(tenant.id), before)
          yield* writtenFor(callerOf(account, "password", account.id), write)
        })
    )

    it.effect("is refused from the moment that the revocation is answered, and not before", () =>
      check(history, (given) => walk(given), { numRuns: 50 })
    )
  })
})
