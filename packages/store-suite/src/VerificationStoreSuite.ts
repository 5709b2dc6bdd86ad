import { assert, describe } from "@effect/vitest"
import { Credential, type CredentialFields } from "@wcs/domain/Credential"
import { EventStore } from "@wcs/domain/EventStore"
import type { Stored } from "@wcs/domain/Resource"
import { ScanStore } from "@wcs/domain/ScanStore"
import { noTrail } from "@wcs/domain/Trail"
import { VerificationStore } from "@wcs/domain/VerificationStore"
import { Effect, Option, Result } from "effect"
import {
  auditEntry,
  auditTrail,
  credentialFields,
  eventDraft,
  find,
  freshTenant,
  mint,
  remove,
  revise,
  type StoresTest,
  start,
  subscribe
} from "./Fixtures.ts"
import { scan } from "./ScanStoreSuite.ts"
import {
  ask,
  claimRuns,
  concludeBy,
  concluded,
  leased,
  leaseMillis,
  noRuns,
  outcome,
  putAsked,
  rerun,
  reviewer,
  verification
} from "./VerificationFixtures.ts"

const everything = {
  conditions: [],
  direction: "asc",
  pageSize: 100,
  after: undefined,
  includeDeleted: false,
  includeTotal: false
} as const

const historyOf = Effect.fnUntraced(function* (tenantId: string, credentialId: string) {
  const store = yield* VerificationStore
  return (yield* store.list(tenantId, credentialId, everything)).items.map(({ position: _, ...row }) => row)
})

const length = (rows: ReadonlyArray<unknown>): number => rows.length

const setAside = () => ({ _tag: "SetAside", next: undefined, trail: noTrail }) as const
const postponed = (dueAt: number, attempts: number) => () => ({ _tag: "Postponed", dueAt, attempts }) as const

const keepTests = (it: StoresTest): void => {
  it.effect("keeps verifications as they were given, open or answered, in the order of asking", () =>
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const tenant = freshTenant()
      const first = yield* putAsked(tenant)
      const id = first.credentialId
      const second = yield* ask(tenant, id, {
        trigger: "scan",
        correlationId: "a.B_c:1-",
        requestedAt: start - 5,
        outcome: outcome({ expiryDate: null, errorMessage: "Zoë's register\nis away \u{1F600}" })
      })
      const third = yield* ask(tenant, id, { trigger: "create" })
      yield* putAsked(tenant)
      assert.deepStrictEqual(yield* historyOf(tenant, id), [first, second, third])
      assert.deepStrictEqual(
        yield* store.find(tenant, second.id),
        Option.some({ verification: second, isSetAside: false })
      )
      const { items, total } = yield* store.list(tenant, id, {
        ...everything,
        direction: "desc",
        pageSize: 2,
        includeTotal: true
      })
      assert.deepStrictEqual([items.map((row) => row.id), total], [[third.id, second.id], 3])
      const rest = yield* store.list(tenant, id, { ...everything, direction: "desc", after: items[1]?.position })
      assert.deepStrictEqual([rest.items.map((row) => row.id), rest.hasMore], [[first.id], false])
    })
  )

  it.effect("keeps tenants apart", () =>
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const [mine, yours] = [freshTenant(), freshTenant()]
      const { credentialId, id } = yield* putAsked(mine)
      assert.deepStrictEqual(yield* store.find(yours, id), Option.none())
      assert.deepStrictEqual(yield* historyOf(yours, credentialId), [])
      assert.isFalse((yield* concludeBy(yours, credentialId, reviewer, concluded())).isDone)
    })
  )

  it.effect("writes nothing of a change that is refused", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      const stale = revise(Credential, tenant, credentialId, (row) => row, {
        ...noTrail,
        verifications: [verification(credentialId)]
      })
      yield* Effect.exit(stale)
      assert.lengthOf(yield* historyOf(tenant, credentialId), 1)
    })
  )
}

const claimTests = (it: StoresTest): void => {
  it.effect("hands out a run that is due, with the credential as it is by then, deleted or not", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant, start)
      yield* remove(Credential, tenant, credentialId)
      const early = yield* claimRuns(start - 1)
      assert.deepStrictEqual(early, { runs: [], nextDueAt: start })
      const { nextDueAt, runs } = yield* claimRuns(start)
      const [run] = runs
      assert.deepStrictEqual([run?.tenantId, run?.credentialId, run?.attempt], [tenant, credentialId, 1])
      assert.deepStrictEqual(
        Option.getOrUndefined(run?.credential ?? Option.none()),
        yield* find(Credential, tenant, credentialId)
      )
      assert.strictEqual(nextDueAt, start + leaseMillis)
    })
  )

  it.effect("hands out no run twice: of several at once, each is one claim's", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const asked = yield* Effect.forEach(Array.from({ length: 12 }), () => putAsked(tenant))
      const claims = yield* Effect.all(
        Array.from({ length: 6 }, () => claimRuns(start, 5)),
        { concurrency: "unbounded" }
      )
      const left = yield* claimRuns(start, 100)
      const taken = [...claims, left].flatMap(({ runs }) => runs.map(({ credentialId }) => credentialId))
      assert.sameMembers(
        taken,
        asked.map(({ credentialId }) => credentialId)
      )
      assert.strictEqual(new Set(taken).size, taken.length)
      for (const { runs } of claims) assert.isAtMost(runs.length, 5)
    })
  )

  it.effect("hands out the longest due first, of all tenants, and no more than asked for", () =>
    Effect.gen(function* () {
      yield* noRuns
      const asked = yield* Effect.forEach([3, 1, 2, 4], (later) => putAsked(freshTenant(), start + later))
      const order = [1, 2, 0].map((index) => asked[index]?.credentialId)
      const { nextDueAt, runs } = yield* claimRuns(start + 9, 3)
      assert.deepStrictEqual(
        runs.map(({ credentialId }) => credentialId),
        order
      )
      assert.isNull(nextDueAt, "there is a place for none")
      assert.strictEqual((yield* claimRuns(start + 3, 3)).nextDueAt, start + 4)
    })
  )

  it.effect("is due again when its lease has run out, as the next attempt; the lease before is lost", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      const [first] = (yield* claimRuns(start)).runs
      assert.deepStrictEqual((yield* claimRuns(start + leaseMillis - 1)).runs, [])
      const [second] = (yield* claimRuns(start + leaseMillis)).runs
      assert.strictEqual(second?.attempt, 2)
      const late = yield* concludeBy(tenant, credentialId, leased(first?.lease ?? ""), concluded())
      assert.deepStrictEqual(late, { isDone: false, basis: undefined })
      assert.isTrue((yield* concludeBy(tenant, credentialId, leased(second?.lease ?? ""), concluded())).isDone)
    })
  )

  it.effect("is due at once when it was given back, as the same attempt; another's is not given back", () =>
    Effect.gen(function* () {
      yield* noRuns
      const store = yield* VerificationStore
      const { credentialId } = yield* putAsked(freshTenant())
      const [run] = (yield* claimRuns(start)).runs
      assert.isDefined(run)
      if (run === undefined) return
      yield* store.release({ ...run, lease: "another" }, start + 1)
      assert.deepStrictEqual((yield* claimRuns(start + 1)).runs, [])
      yield* store.release(run, start + 1)
      const [again] = (yield* claimRuns(start + 1)).runs
      assert.deepStrictEqual([again?.credentialId, again?.attempt], [credentialId, 1])
    })
  )
}

const turnTests = (it: StoresTest): void => {
  /** So many of a tenant's that are due from a moment on, of a kind. */
  const several = (tenant: string, count: number, from: number, credentialType?: "WWCC_NSW" | "WWCC_VIC") =>
    Effect.forEach(Array.from({ length: count }), (_, index) =>
      Effect.map(
        putAsked(tenant, from + index, credentialType === undefined ? {} : { credentialType }),
        ({ credentialId }) => credentialId
      )
    )
  const idsOf = ({ runs }: { readonly runs: ReadonlyArray<{ readonly credentialId: string }> }) =>
    runs.map(({ credentialId }) => credentialId)

  it.effect("a tenant of which much is due holds up no other: each has as many claimed, in the order of waiting", () =>
    Effect.gen(function* () {
      yield* noRuns
      const [many, few, none] = [freshTenant(), freshTenant(), freshTenant()]
      const imported = yield* several(many, 9, start)
      const [one, other] = yield* several(few, 2, start + 100)
      assert.deepStrictEqual(idsOf(yield* claimRuns(start + 200, 3)), [imported[0], one, imported[1]])
      assert.deepStrictEqual(idsOf(yield* claimRuns(start + 200, 1)), [other])
      const [late] = yield* several(none, 1, start + 150)
      assert.deepStrictEqual(idsOf(yield* claimRuns(start + 200, 2)), [late, imported[2]])
    })
  )

  it.effect("a kind of credential whose places are taken holds up no other, of whatever tenant", () =>
    Effect.gen(function* () {
      yield* noRuns
      const [tenant, neighbour] = [freshTenant(), freshTenant()]
      const slow = yield* several(tenant, 5, start, "WWCC_NSW")
      const [quick] = yield* several(tenant, 1, start + 50, "WWCC_VIC")
      const [far] = yield* several(neighbour, 1, start + 60, "WWCC_NSW")
      const first = yield* claimRuns(start + 100, 9, { perType: 2 })
      assert.sameMembers(idsOf(first), [slow[0], far, quick])
      assert.deepStrictEqual(
        first.runs.map(({ credentialType }) => credentialType),
        idsOf(first).map((id) => (id === quick ? "WWCC_VIC" : "WWCC_NSW"))
      )
      // There is nothing to look for before a place is free, but for the end of the lease of the other kind.
      assert.strictEqual(first.nextDueAt, start + 100 + leaseMillis)
      const full = { perType: 2, takenByType: new Map([["WWCC_NSW", 2]]) }
      assert.deepStrictEqual(idsOf(yield* claimRuns(start + 100, 9, full)), [])
      const free = { perType: 2, takenByType: new Map([["WWCC_NSW", 1]]) }
      assert.deepStrictEqual(idsOf(yield* claimRuns(start + 100, 9, free)), [slow[1]])
    })
  )

  it.effect("what comes next of a queue of which some are taken is what was left, then what is due later", () =>
    Effect.gen(function* () {
      yield* noRuns
      const [tenant, neighbour] = [freshTenant(), freshTenant()]
      yield* several(tenant, 2, start, "WWCC_NSW")
      yield* several(tenant, 1, start + 50, "WWCC_NSW")
      yield* several(neighbour, 1, start + 60, "WWCC_VIC")
      const first = yield* claimRuns(start + 9, 9)
      assert.deepStrictEqual([first.runs.length, first.nextDueAt], [2, start + 50])
      const second = yield* claimRuns(start + 50, 9)
      assert.deepStrictEqual([second.runs.length, second.nextDueAt], [1, start + 60])
      const third = yield* claimRuns(start + 60, 9)
      assert.deepStrictEqual([third.runs.length, third.nextDueAt], [1, start + 9 + leaseMillis])
    })
  )

  it.effect("each kind of credential of a tenant has as many claimed as the others", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const imported = yield* several(tenant, 6, start, "WWCC_NSW")
      const others = yield* several(tenant, 2, start + 50, "WWCC_VIC")
      const claimed = idsOf(yield* claimRuns(start + 100, 5))
      assert.deepStrictEqual(claimed, [imported[0], others[0], imported[1], others[1], imported[2]])
    })
  )

  it.effect("of hundreds of tenants each has its turn, however many are claimed at once", () =>
    Effect.gen(function* () {
      yield* noRuns
      const asked = yield* Effect.forEach(Array.from({ length: 600 }), () => putAsked(freshTenant()), {
        concurrency: 32
      })
      assert.sameMembers(
        idsOf(yield* claimRuns(start, 1000)),
        asked.map(({ credentialId }) => credentialId)
      )
    })
  )

  it.effect("a run has its turn by the kind that its credential is of by then", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const [id = ""] = yield* several(tenant, 1, start, "WWCC_NSW")
      const [run] = (yield* claimRuns(start)).runs
      yield* concludeBy(tenant, id, leased(run?.lease ?? ""), setAside)
      const next = (current: Stored<CredentialFields>) => ({
        ...current,
        version: current.version + 1,
        fields: credentialFields({ worker: mint("worker") }, { credentialType: "WWCC_VIC" })
      })
      yield* revise(Credential, tenant, id, next, { ...noTrail, reruns: [{ credentialId: id, dueAt: start + 1 }] })
      const full = { perType: 1, takenByType: new Map([["WWCC_VIC", 1]]) }
      assert.deepStrictEqual(yield* claimRuns(start + 1, 9, full), { runs: [], nextDueAt: null })
      const [again] = (yield* claimRuns(start + 1)).runs
      assert.strictEqual(again?.credentialType, "WWCC_VIC")
      yield* revise(Credential, tenant, id, (current) => ({
        ...current,
        version: current.version + 1,
        fields: credentialFields({ worker: mint("worker") }, { credentialType: "WWCC_NSW" })
      }))
      yield* concludeBy(tenant, id, leased(again?.lease ?? ""), postponed(start + 2, 0))
      assert.strictEqual((yield* claimRuns(start + 2)).runs[0]?.credentialType, "WWCC_NSW")
    })
  )
}

const coalesceTests = (it: StoresTest): void => {
  it.effect("a credential has one run however many wait, and a later call leaves it as it is", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const first = yield* putAsked(tenant)
      const id = first.credentialId
      const second = yield* ask(tenant, id, { requestedAt: start - 10 })
      assert.deepStrictEqual(yield* claimRuns(start - 1), { runs: [], nextDueAt: start })
      const { runs } = yield* claimRuns(start)
      assert.lengthOf(runs, 1)
      const third = yield* ask(tenant, id)
      assert.deepStrictEqual((yield* claimRuns(start)).runs, [])
      const { basis } = yield* concludeBy(tenant, id, leased(runs[0]?.lease ?? ""), concluded())
      assert.deepStrictEqual(basis?.open, [first, second, third])
      assert.deepStrictEqual(yield* historyOf(tenant, id), [
        { ...first, outcome: outcome() },
        { ...second, outcome: outcome() },
        { ...third, outcome: outcome() }
      ])
    })
  )

  it.effect("one that is answered at once begins no run", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      yield* concludeBy(tenant, credentialId, leased(run?.lease ?? ""), concluded())
      yield* ask(tenant, credentialId, { outcome: outcome() })
      assert.deepStrictEqual(yield* claimRuns(start + 1), { runs: [], nextDueAt: null })
    })
  )

  it.effect("one that is asked for after a conclusion begins a run of its own, and what was concluded stays", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const first = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      yield* concludeBy(tenant, first.credentialId, leased(run?.lease ?? ""), concluded())
      const second = yield* ask(tenant, first.credentialId, { requestedAt: start + 5 })
      const [next] = (yield* claimRuns(start + 5)).runs
      assert.strictEqual(next?.attempt, 1)
      const { basis } = yield* concludeBy(
        tenant,
        first.credentialId,
        leased(next?.lease ?? ""),
        concluded({ ...outcome(), expiryDate: null })
      )
      assert.deepStrictEqual(basis?.open, [second])
      assert.deepStrictEqual(yield* historyOf(tenant, first.credentialId), [
        { ...first, outcome: outcome() },
        { ...second, outcome: outcome({ expiryDate: null }) }
      ])
    })
  )
}

const concludeTests = (it: StoresTest): void => {
  it.effect("writes the credential, the outcome, the audit entry and the events, each event with its sequence", () =>
    Effect.gen(function* () {
      yield* noRuns
      const events = yield* EventStore
      const tenant = freshTenant()
      yield* subscribe(tenant, mint("webhook"), ["credential.verified"])
      const { credentialId: id } = yield* putAsked(tenant)
      yield* ask(tenant, id)
      const [run] = (yield* claimRuns(start)).runs
      const about = { credentialType: "WWCC_NSW", jurisdiction: "NSW" }
      const drafts = [
        eventDraft(id, "credential.verified", { sequence: 3, about }),
        eventDraft(id, "credential.verified")
      ]
      const { basis } = yield* concludeBy(tenant, id, leased(run?.lease ?? ""), ({ credential }) => ({
        _tag: "Concluded",
        outcome: outcome(),
        next: { ...Option.getOrThrow(credential), version: 4, updatedAt: start + 8 },
        trail: { audit: [auditEntry(id)], events: drafts }
      }))
      assert.strictEqual(Option.getOrUndefined(basis?.credential ?? Option.none())?.version, 2)
      const stored = yield* find(Credential, tenant, id)
      assert.deepStrictEqual([stored?.version, stored?.updatedAt], [4, start + 8])
      const kept = yield* events.events(tenant, 0, 10)
      assert.deepStrictEqual(
        kept.map(({ about, id, sequence }) => ({ about, id, sequence })),
        [
          { about, id: drafts[0]?.id, sequence: 3 },
          { about: drafts[1]?.about, id: drafts[1]?.id, sequence: 4 }
        ]
      )
      assert.lengthOf(yield* auditTrail(tenant), 1)
      assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
    })
  )

  it.effect("writes nothing where the decision fails, or where the version is no new one", () =>
    Effect.gen(function* () {
      yield* noRuns
      const store = yield* VerificationStore
      const tenant = freshTenant()
      const asked = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      const holder = leased(run?.lease ?? "")
      const refused = store.conclude(tenant, asked.credentialId, holder, () => Result.fail("no" as const))
      assert.strictEqual(yield* Effect.flip(refused), "no")
      const stale = concludeBy(tenant, asked.credentialId, holder, ({ credential }) => ({
        _tag: "Concluded",
        outcome: outcome(),
        next: Option.getOrThrow(credential),
        trail: { audit: [auditEntry(asked.credentialId)], events: [] }
      }))
      assert.strictEqual((yield* Effect.exit(stale))._tag, "Failure")
      assert.deepStrictEqual(yield* historyOf(tenant, asked.credentialId), [asked])
      assert.deepStrictEqual(yield* auditTrail(tenant), [])
      assert.isTrue((yield* concludeBy(tenant, asked.credentialId, holder, concluded())).isDone)
    })
  )

  it.effect("a run that is postponed is due then, as often asked as it counts; the lease is over", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      const holder = leased(run?.lease ?? "")
      yield* concludeBy(tenant, credentialId, holder, postponed(start + 7, 0))
      assert.isFalse((yield* concludeBy(tenant, credentialId, holder, concluded())).isDone)
      assert.deepStrictEqual(yield* claimRuns(start + 6), { runs: [], nextDueAt: start + 7 })
      assert.strictEqual((yield* claimRuns(start + 7)).runs[0]?.attempt, 1)
    })
  )

  // Verifications of one credential at once ask the register once (decisions, section 4): to wait for a person is to wait.
  it.effect("only a run that was set aside is for a person to review, and a call meanwhile waits for the same", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const asked = yield* putAsked(tenant)
      const id = asked.credentialId
      assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
      const [run] = (yield* claimRuns(start)).runs
      assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
      yield* concludeBy(tenant, id, leased(run?.lease ?? ""), setAside)
      const later = yield* ask(tenant, id)
      assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
      assert.isFalse((yield* concludeBy(tenant, id, leased(run?.lease ?? ""), concluded())).isDone)
      const { basis, isDone } = yield* concludeBy(tenant, id, reviewer, concluded())
      assert.isTrue(isDone)
      assert.deepStrictEqual(basis?.open, [asked, later])
      assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
    })
  )

  it.effect("says of what is open whether it waits for a person, and of what is over that it does not", () =>
    Effect.gen(function* () {
      yield* noRuns
      const store = yield* VerificationStore
      const tenant = freshTenant()
      const first = yield* putAsked(tenant)
      const isSetAside = (id: string) =>
        Effect.map(store.find(tenant, id), (found) => Option.getOrThrow(found).isSetAside)
      assert.isFalse(yield* isSetAside(first.id))
      const [run] = (yield* claimRuns(start)).runs
      assert.isFalse(yield* isSetAside(first.id))
      yield* concludeBy(tenant, first.credentialId, leased(run?.lease ?? ""), setAside)
      const answered = yield* ask(tenant, first.credentialId, { outcome: outcome() })
      assert.deepStrictEqual([yield* isSetAside(first.id), yield* isSetAside(answered.id)], [true, false])
      yield* concludeBy(tenant, first.credentialId, reviewer, concluded())
      assert.isFalse(yield* isSetAside(first.id))
    })
  )

  it.effect("of several at once that conclude one run, one does, and those asked for meanwhile are not lost", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId: id } = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      const holder = leased(run?.lease ?? "")
      const [asked, ...done] = yield* Effect.all(
        [ask(tenant, id), ...Array.from({ length: 4 }, () => concludeBy(tenant, id, holder, concluded()))] as const,
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        done.filter(({ isDone }) => isDone),
        1
      )
      const { runs } = yield* claimRuns(start)
      const open = (yield* historyOf(tenant, id)).filter((row) => row.outcome === null)
      // The call came before the conclusion, and shares it, or after it, and has a run of its own.
      assert.deepStrictEqual(
        open.map((row) => row.id),
        runs.length === 0 ? [] : [asked.id]
      )
    })
  )
}

const beginTests = (it: StoresTest): void => {
  /** Opens a verification where fewer are open than a limit, and says how many were. */
  const beginBelow = Effect.fnUntraced(function* (tenantId: string, credentialId: string, limit: number) {
    const store = yield* VerificationStore
    return yield* store.begin(tenantId, credentialId, ({ credential, openCount }) => {
      if (openCount >= limit) return Result.fail("full" as const)
      const next = Option.getOrThrow(Option.map(credential, (row) => ({ ...row, version: row.version + 1 })))
      const trail = { ...noTrail, audit: [auditEntry(credentialId)], verifications: [verification(credentialId)] }
      return Result.succeed({ next, trail, openCount })
    })
  })

  it.effect("counts what is open, not what is over or another's, and answers what was decided", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      yield* putAsked(tenant)
      yield* ask(tenant, credentialId, { outcome: outcome() })
      assert.strictEqual((yield* beginBelow(tenant, credentialId, 9)).openCount, 1)
      assert.strictEqual((yield* beginBelow(tenant, credentialId, 9)).openCount, 2)
      assert.strictEqual((yield* find(Credential, tenant, credentialId))?.version, 4)
      const { runs } = yield* claimRuns(start)
      const lease = runs.find((run) => run.credentialId === credentialId)?.lease
      const { basis } = yield* concludeBy(tenant, credentialId, leased(lease ?? ""), concluded())
      assert.lengthOf(basis?.open ?? [], 3)
      assert.strictEqual((yield* beginBelow(tenant, credentialId, 9)).openCount, 0)
    })
  )

  it.effect("of many calls at once no more are opened than the decision allows, and one refused writes nothing", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      const calls = yield* Effect.all(
        Array.from({ length: 12 }, () => Effect.result(beginBelow(tenant, credentialId, 4))),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(
        calls.filter(Result.isSuccess).map(({ success }) => success.openCount),
        [1, 2, 3]
      )
      assert.lengthOf(yield* historyOf(tenant, credentialId), 4)
      assert.lengthOf(yield* auditTrail(tenant), 3)
      assert.strictEqual((yield* find(Credential, tenant, credentialId))?.version, 4)
    })
  )

  it.effect("keeps a scan beside the verification that it begins, or neither", () =>
    Effect.gen(function* () {
      const store = yield* VerificationStore
      const scans = yield* ScanStore
      const tenant = freshTenant()
      const { credentialId } = yield* putAsked(tenant)
      const kept = scan(tenant, { outcome: "MATCHED", credentialId })
      const begin = (version: number) =>
        store.begin(tenant, credentialId, ({ credential }) => {
          const next = Option.getOrThrow(Option.map(credential, (row) => ({ ...row, version })))
          const verifications = [verification(credentialId, { trigger: "scan" })]
          return Result.succeed({ next, trail: { ...noTrail, scans: [kept], verifications } })
        })
      assert.strictEqual((yield* Effect.exit(begin(1)))._tag, "Failure")
      assert.deepStrictEqual(
        [yield* scans.list(tenant, "", 9), yield* historyOf(tenant, credentialId)].map(length),
        [0, 1]
      )
      yield* begin(2)
      assert.deepStrictEqual(yield* scans.list(tenant, "", 9), [kept])
      assert.lengthOf(yield* historyOf(tenant, credentialId), 2)
    })
  )
}

const rerunTests = (it: StoresTest): void => {
  it.effect("has a run due at once, as if never asked, that waits for a person", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId: id } = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      yield* concludeBy(tenant, id, leased(run?.lease ?? ""), setAside)
      yield* rerun(tenant, id, start + 9)
      assert.isFalse((yield* concludeBy(tenant, id, reviewer, concluded())).isDone)
      assert.deepStrictEqual(yield* claimRuns(start + 8), { runs: [], nextDueAt: start + 9 })
      assert.deepInclude((yield* claimRuns(start + 9)).runs[0], { credentialId: id, attempt: 1 })
    })
  )

  it.effect(
    "has a run due at once, as if never asked, that waits for its next attempt, and never later than it was",
    () =>
      Effect.gen(function* () {
        yield* noRuns
        const tenant = freshTenant()
        const { credentialId: id } = yield* putAsked(tenant)
        const [run] = (yield* claimRuns(start)).runs
        yield* concludeBy(tenant, id, leased(run?.lease ?? ""), postponed(start + 500, 3))
        yield* rerun(tenant, id, start + 501)
        assert.deepStrictEqual(yield* claimRuns(start + 499), { runs: [], nextDueAt: start + 500 })
        yield* rerun(tenant, id, start + 9)
        assert.deepInclude((yield* claimRuns(start + 9)).runs[0], { credentialId: id, attempt: 1 })
      })
  )

  it.effect("leaves a run to who holds it, and begins none", () =>
    Effect.gen(function* () {
      yield* noRuns
      const tenant = freshTenant()
      const { credentialId: id } = yield* putAsked(tenant)
      const [run] = (yield* claimRuns(start)).runs
      yield* rerun(tenant, id, start + 9)
      assert.deepStrictEqual(yield* claimRuns(start + 9), { runs: [], nextDueAt: start + leaseMillis })
      assert.isTrue((yield* concludeBy(tenant, id, leased(run?.lease ?? ""), concluded())).isDone)
      yield* rerun(tenant, id, start + 9)
      assert.deepStrictEqual(yield* claimRuns(start + leaseMillis), { runs: [], nextDueAt: null })
    })
  )
}

/** What `VerificationStore` promises. */
export const verificationStoreSuite = (it: StoresTest): void => {
  describe("VerificationStore, what it keeps", () => keepTests(it))
  describe("VerificationStore.begin", () => beginTests(it))
  describe("VerificationStore, reruns that a trail asks for", () => rerunTests(it))
  describe("VerificationStore.claim and release", () => claimTests(it))
  describe("VerificationStore, turns", () => turnTests(it))
  describe("VerificationStore, calls that share a run", () => coalesceTests(it))
  describe("VerificationStore.conclude", () => concludeTests(it))
}
