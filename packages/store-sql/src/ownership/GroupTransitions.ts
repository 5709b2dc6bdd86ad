import { Caller } from "@wcs/domain/access/Caller"
import type { CallerEnded } from "@wcs/domain/access/CallerEnded"
import type { Chosen, FoundCredential, Transition, Transitioned } from "@wcs/domain/credential/OwnershipStore"
import type { OwnerFacts, OwnerReference } from "@wcs/domain/ownership/Ownership"
import { traceparentOf } from "@wcs/domain/shared/TraceContext"
import { Context, Effect, Exit, Predicate, Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeCallerCheck } from "../access/CallerCheck.ts"
import { isLost, LostRace } from "../engine/Atomic.ts"
import { run } from "../engine/Script.ts"
import { factsOf, isAsked, makeChoices, type SlotsRow, slotsOf, transitioned } from "./OwnershipRows.ts"
import * as TransitionGroups from "./TransitionGroups.ts"
import { makeReadGroup } from "./TransitionRead.ts"
import { makeWrite, type Plan } from "./TransitionWrite.ts"

// Transitions in two statements, for Postgres. The first reads. The second writes everything whose rows are unchanged.
// Neither needs a transaction, and no lock is held between them. A caller is checked by the first: a revocation that is
// committed later comes after the transition.

type Decide<Answer, E> = (
  found: ReadonlyArray<FoundCredential>,
  facts: OwnerFacts
) => Result.Result<Transition<Answer>, E>

/** A decided transition: its result, and its writes if there are any. */
interface Decided<Answer, E> {
  readonly exit: Exit.Exit<Transitioned<Answer>, E | LostRace>
  readonly plan: Plan | undefined
}

/** A member of a group. Keeps its result until the group's write. */
interface Member {
  readonly credentialId: string
  readonly entering: OwnerReference | undefined
  readonly caller: Caller["Service"] | undefined
  readonly decide: (found: ReadonlyArray<SlotsRow>, facts: OwnerFacts) => Plan | undefined
  /** Ends the member without a write. */
  readonly refuse: (ended: CallerEnded) => undefined
}

const lost = { exit: Exit.fail(new LostRace()), plan: undefined }

const decided = <Answer, E>(
  { entering, tenantId, traceparent }: Pick<Plan, "tenantId" | "entering" | "traceparent">,
  rows: ReadonlyArray<SlotsRow>,
  facts: OwnerFacts,
  decide: Decide<Answer, E>
): Decided<Answer, E> => {
  const decision = decide(rows.map(slotsOf), facts)
  if (Result.isFailure(decision)) return { exit: Exit.fail(decision.failure), plan: undefined }
  const transition = decision.success
  const { changes, records } = transition
  if (records.verifications !== undefined) return lost // transitions create no verifications; the locking way handles them
  if (isAsked(rows, records)) return lost // open requests of the owner must be locked before they are read
  const found = new Map(rows.map((row) => [row.id, row]))
  const exit = Exit.succeed(transitioned(found, transition))
  if (changes.size === 0 && records.audit.length === 0 && records.events.length === 0) return { exit, plan: undefined }
  if (found.size === 0) return lost // no row whose version could be checked
  return { exit, plan: { tenantId, entering, found, transition, traceparent } }
}

/**
 * Prefixes of Postgres's codes for errors that the values or conflicts of a single member cause. The statement has
 * written nothing, so each member can be tried separately.
 */
const singular: ReadonlyArray<string> = ["22", "23", "40", "54"]

const isSingular = (error: SqlError.SqlError): boolean => {
  const { cause } = error.reason
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  return isLost(error) || (typeof code === "string" && singular.some((beginning) => code.startsWith(beginning)))
}

/** Fails with `LostRace` if a row changed between the two statements; then nothing was written. */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const choose = makeChoices(sql, sql.literal(""), true)
  const readGroup = makeReadGroup(sql)
  const write = makeWrite(sql)
  const callers = makeCallerCheck(sql, yield* AccessEpoch)

  /** Returns why a caller has ended; undefined if the caller stands, or if there is none. */
  const endOf = (caller: Caller["Service"] | undefined, accessWrites: number) =>
    caller === undefined || callers.isKnown(caller, accessWrites)
      ? undefined
      : Effect.map(run(callers.check(caller, accessWrites)), (stands) =>
          Result.isFailure(stands) ? stands.failure : undefined
        )

  /** Returns the members whose result is valid. */
  const runGroup = Effect.fnUntraced(function* (tenantId: string, members: ReadonlyArray<Member>) {
    const { accessWrites, rowsOf } = yield* readGroup(tenantId, members)
    const ended = new Map<Caller["Service"] | undefined, CallerEnded | undefined>()
    for (const { caller } of members) {
      if (ended.has(caller)) continue
      const end = endOf(caller, accessWrites)
      ended.set(caller, end && (yield* end))
    }
    const plans = new Map<Plan, Member>()
    const standing = new Set(members)
    for (const [index, member] of members.entries()) {
      const end = ended.get(member.caller)
      const { facts, found } = rowsOf(index)
      const plan = end === undefined ? member.decide(found, facts) : member.refuse(end)
      if (plan === undefined) continue
      plans.set(plan, member)
      standing.delete(member)
    }
    if (plans.size === 0) return standing
    for (const plan of yield* write(tenantId, [...plans.keys()])) {
      const member = plans.get(plan)
      if (member !== undefined) standing.add(member)
    }
    return standing
  })

  const join = yield* TransitionGroups.make<Member, SqlError.SqlError>(
    { size: 64, inFlight: 2, waiting: 1_000 },
    (tenantId, members) =>
      Effect.catch(runGroup(tenantId, members), (error) =>
        isSingular(error) ? Effect.succeed(new Set<Member>()) : Effect.fail(error)
      )
  )

  /** A transition of one credential, in a group. */
  const single = <Answer, E>(
    tenantId: string,
    credentialId: string,
    entering: OwnerReference | undefined,
    decide: Decide<Answer, E>
  ) =>
    Effect.withFiber((fiber) => {
      const request = { tenantId, entering, traceparent: traceparentOf(fiber) }
      let exit: Exit.Exit<Transitioned<Answer>, E | LostRace> = lost.exit
      const member: Member = {
        credentialId,
        entering,
        caller: Context.getOrUndefined(fiber.context, Caller),
        refuse: (ended) => {
          exit = Exit.die(ended)
          return undefined
        },
        decide: (rows, facts) => {
          try {
            const done = decided(request, rows, facts, decide)
            exit = done.exit
            return done.plan
          } catch (defect) {
            exit = Exit.die(defect) // fails this member only
            return undefined
          }
        }
      }
      return Effect.flatMap(join(tenantId, member), (stands) => (stands ? exit : lost.exit))
    }).pipe(Effect.withSpan("OwnershipStore.transition"))

  /** A transition of several credentials, in a group of its own. */
  const several = Effect.fnUntraced(function* <Answer, E>(
    tenantId: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    decide: Decide<Answer, E>
  ): Effect.fn.Return<Transitioned<Answer>, E | LostRace | SqlError.SqlError> {
    const rows = yield* choose[entering?.type ?? "none"](tenantId, chosen, entering?.id)
    const [first] = rows
    if (first === undefined) return yield* new LostRace() // no row shows whether the owner exists
    const { caller, traceparent } = yield* Effect.withFiber((fiber) =>
      Effect.succeed({ caller: Context.getOrUndefined(fiber.context, Caller), traceparent: traceparentOf(fiber) })
    )
    const end = endOf(caller, Number(first.access_writes ?? 0))
    const ended = end && (yield* end)
    if (ended !== undefined) return yield* Effect.die(ended)
    const { exit, plan } = decided({ tenantId, entering, traceparent }, rows, factsOf(first), decide)
    if (plan !== undefined && (yield* write(tenantId, [plan])).length === 0) return yield* new LostRace()
    return yield* exit
  })

  return <Answer, E>(
    tenantId: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    decide: Decide<Answer, E>
  ) => {
    const [only, ...others] = chosen._tag === "Ids" ? chosen.ids : []
    return only === undefined || others.length > 0
      ? several(tenantId, chosen, entering, decide)
      : single(tenantId, only, entering, decide)
  }
})
