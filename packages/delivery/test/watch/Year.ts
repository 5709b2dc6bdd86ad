import { assert } from "@effect/vitest"
import * as Verifying from "@wcs/delivery/Verifying"
import * as Scheduling from "@wcs/delivery/watch/Scheduling"
import * as Warning from "@wcs/delivery/watch/Warning"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { Credential } from "@wcs/domain/holding/Credential"
import type { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { Worker } from "@wcs/domain/people/Worker"
import { DefaultSchedule } from "@wcs/domain/schedule/Plan"
import type { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { alphabet } from "@wcs/domain/shared/Id"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Seal } from "@wcs/domain/shared/Seal"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { DefaultSource } from "@wcs/domain/verification/DefaultSource"
import { Register, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { secretPurposeOf } from "@wcs/domain/verification/SourceAccess"
import * as SourcedAsking from "@wcs/domain/verification/SourcedAsking"
import { TenantGateways } from "@wcs/domain/verification/TenantGateways"
import { VerificationSource, type VerificationSourceFields } from "@wcs/domain/verification/VerificationSource"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { WarningSettings } from "@wcs/domain/watch/ExpiryWarning"
import type { WarningStore } from "@wcs/domain/watch/WarningStore"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, created, everything, put, subscribe } from "@wcs/store-suite/Fixtures"
import { Clock, Context, Duration, Effect, Exit, Layer, Redacted, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, tenantId } from "../Seeds.ts"
import { hour, minute, settings } from "../World.ts"
import { Process } from "./Mortal.ts"

/** The size of a program, which watches cards in virtual time. */
export interface Size {
  readonly cards: number
  readonly days: number
  /** The number of workers at a time. */
  readonly workers: number
  /** The clock moves to the next timer, and at least so far. It stands still while stores are asked. */
  readonly leastMoveMillis: number
  /** A worker dies after at most this many transactions. Another one starts with the next move of the clock. */
  readonly lifetime: number
}

const day = 24 * hour
const begin = Date.UTC(2026, 0, 1)
const timeZone = "Australia/Sydney"

/** The tenant's sources. */
const monthly = { credentialType: "WWCC_VIC", intervalDays: 31, callsPerMinute: 60 }
const weekly = { credentialType: "WWCC_WA", intervalDays: 7, callsPerMinute: 30 }
/** The deployment's register. */
const daily = { credentialType: "WWVP_TAS", intervalDays: 1, callsPerMinute: 30 }

const defaultSource = { accountsOf: "every", callsPerMinute: daily.callsPerMinute } as const

const sourceOf = (card: number) => {
  const place = card % 100
  return place < 90 ? monthly : place < 99 ? weekly : daily
}

/** One card of a hundred belongs to a person who leaves in the middle. One of fifty gets another verdict then. */
const isLeavers = (card: number): boolean => card % 97 === 5
const isSuspended = (card: number): boolean => card % 50 === 7

const leavingDay = ({ days }: Pick<Size, "days">): string => dayAfter("2026-01-01", Math.floor(days / 2))

/** One card of ten expires on a day that gives all its warnings, or some. */
const expiryOf = (card: number, days: number): string =>
  dayAfter("2026-01-01", card % 10 === 3 ? 10 + (card % Math.max(1, days - 10)) : days + 100 + (card % 300))

/** The n-th id of many that are spread as random ones are. */
const cardId = (n: number): string => {
  let rest = (n * 0.6180339887) % 1
  let text = ""
  for (let digit = 0; digit < 8; digit++) {
    rest *= alphabet.length
    text += alphabet[Math.floor(rest)] ?? ""
    rest %= 1
  }
  return `cred_${text}${String(n).padStart(8, "0")}`
}

const seed = Effect.fnUntraced(function* ({ cards, days }: Size) {
  const access = yield* AccessStore
  const seal = yield* Seal
  const account = { ...serviceAccountFor(tenantId), id: idOf("account", 1) }
  const tenant = { id: tenantId, name: "first", timeZone, hosts: [] }
  yield* access.insertTenant(tenant, account, auditEntry(tenantId, { entityType: "tenant" })).pipe(Effect.orDie)
  yield* subscribe(tenantId, idOf("webhook", 1), ["credential.verified", "credential.expiring", "credential.expired"])
  for (const [n, { callsPerMinute, credentialType, intervalDays }] of [monthly, weekly].entries()) {
    const id = idOf("verificationSource", n)
    const fields: VerificationSourceFields = {
      ...{ credentialType, intervalDays, limits: { callsPerMinute }, url: "https://gateway.example.com/" },
      ...{ state: "OK", lastSuccessAt: null, lastFault: null, lastResult: "OK", isPaused: false },
      sealedSecret: yield* seal.seal(secretPurposeOf(id), Redacted.make("secret"))
    }
    yield* put(VerificationSource, tenantId, created(id, fields))
  }
  const stays = { identity: { displayName: "Ann" }, employment: { status: "ACTIVE" as const } }
  const leaves = { ...stays, employment: { ...stays.employment, endDate: leavingDay({ days }) } }
  yield* put(Worker, tenantId, created(idOf("worker", 1), stays))
  yield* put(Worker, tenantId, created(idOf("worker", 2), leaves))
  yield* Effect.forEach(
    Array.from({ length: cards }, (_, n) => n),
    (n) => {
      const owners = { worker: idOf("worker", isLeavers(n) ? 2 : 1), applicant: null }
      const { credentialType } = sourceOf(n)
      const attributes = {
        ...{ credentialType, identifier: `${n}`.padStart(8, "0"), holder: { firstName: "Ann", lastName: "Example" } },
        ...{ owners, expiryDate: expiryOf(n, days) }
      }
      return put(Credential, tenantId, created(cardId(n), { attributes }))
    },
    { concurrency: 32, discard: true }
  )
})

/** What the registers were asked, card by card and source by source. */
class Asked {
  readonly last = new Map<number, number>()
  /** The verdict of each card, and how often it was another one than the card had. */
  readonly verdicts = new Map<number, string>()
  readonly changes = new Map<number, number>()
  /** The questions of the last minute, and the most of any minute. */
  readonly #recent = new Map<string, Array<number>>()
  readonly most = new Map<string, number>()
  /** What was wrong with a question. Not thrown, because a worker survives a register that throws. */
  readonly faults: Array<string> = []
  total = 0
  latest = 0

  note(card: number, verdict: string, now: number, { days }: Size): void {
    const { credentialType, intervalDays } = sourceOf(card)
    const before = this.last.get(card) ?? begin
    // A week's outage is a part of the wait of the cards that it hit.
    const spansOutage = before < begin + outage({ days }).until && now >= begin + outage({ days }).from
    const late = now - before - intervalDays * day - (spansOutage ? 7 * day : 0)
    this.latest = Math.max(this.latest, late)
    if (late > day) this.faults.push(`card ${card} after ${(now - before) / day} days, on day ${(now - begin) / day}`)
    const isIn = !isLeavers(card) || dayAt(now, timeZone) <= leavingDay({ days })
    if (!isIn) this.faults.push(`card ${card} of a person who left`)
    this.last.set(card, now)
    const isLapsed = dayAt(now, timeZone) > expiryOf(card, days)
    if (!isLapsed && this.verdicts.get(card) !== verdict) this.changes.set(card, (this.changes.get(card) ?? 0) + 1)
    this.verdicts.set(card, verdict)
    this.total += 1
    const recent = (this.#recent.get(credentialType) ?? []).filter((time) => time > now - minute)
    recent.push(now)
    this.#recent.set(credentialType, recent)
    this.most.set(credentialType, Math.max(this.most.get(credentialType) ?? 0, recent.length))
  }
}

/** The week without a worker, since the begin. */
const outage = ({ days }: Pick<Size, "days">) => {
  const from = Math.floor(days / 3) * day
  return { from, until: from + 7 * day }
}

/** The timers of the workers. */
class Timers {
  readonly #ends = new Set<{ readonly at: number }>()
  readonly clock: TestClock.TestClock

  constructor(clock: TestClock.TestClock) {
    const sleep: Clock.Clock["sleep"] = (duration) =>
      Effect.suspend(() => {
        const end = { at: clock.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
        this.#ends.add(end)
        return Effect.ensuring(
          clock.sleep(duration),
          Effect.sync(() => this.#ends.delete(end))
        )
      })
    this.clock = { ...clock, sleep }
  }

  /** The end of the first timer, or the latest time that is given. */
  next(latest: number): number {
    return Math.min(latest, ...Array.from(this.#ends, ({ at }) => at))
  }
}

/** Waits until nothing runs but timers. */
const settled = (processes: ReadonlySet<Process>) =>
  Effect.promise(async () => {
    for (let quiet = 0; quiet < 3; quiet++) {
      for (const process of processes) {
        for (let calls = process.quiet(); calls !== undefined; calls = process.quiet()) {
          await calls
          quiet = 0
        }
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  })

/** The registers, which answer at once. */
const registerOf = (asked: Asked, size: Size) => {
  const answer: Register["Service"]["ask"] = ({ identifier }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const card = Number(identifier)
      const isOver = isSuspended(card) && now >= begin + (size.days / 2) * day
      const statusDetail = isOver ? "SUSPENDED" : "VALID"
      asked.note(card, statusDetail, now, size)
      return { _tag: "Found", statusDetail, expiryDate: null } as const
    })
  const gateways = {
    probe: () => Effect.die(new Error("nobody tests")),
    ask: (question: RegisterQuestion) => answer(question, tenantId)
  }
  return SourcedAsking.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        RateLimiterMemory.layer(defaultRateLimits),
        Layer.succeed(DefaultSource, defaultSource),
        Layer.succeed(Register, { ask: answer }),
        Layer.succeed(TenantGateways, gateways)
      )
    )
  )
}

/** The stores that a worker uses. */
export type Stores = LeaseStore | ScheduleStore | WarningStore | VerificationStore

/** A worker that schedules, verifies and warns, and does nothing else. */
const working = Effect.all([Verifying.start, Scheduling.start, Warning.start]).pipe(
  // Many timers end within one move of the clock if it moves far, so no question may time out within one.
  Effect.provide(settings({ stopMillis: 0, leaseMillis: hour, questionMillis: day })),
  Effect.provideService(DefaultSchedule, { intervalDays: daily.intervalDays }),
  Effect.provideService(DefaultSource, defaultSource),
  Effect.provideService(References.MinimumLogLevel, "Error") // the dead complain that nobody answers
)

/**
 * Runs the program. Each worker has the stores of a process of its own, and dies at a transaction. Returns what the
 * registers were asked, and how many workers died.
 */
export const watch = Effect.fnUntraced(function* <R>(
  size: Size,
  storesOf: Effect.Effect<Context.Context<Stores>, never, R>
) {
  yield* TestClock.setTime(begin)
  yield* seed(size)
  const asked = new Asked()
  const register = yield* Layer.build(registerOf(asked, size))
  const timers = new Timers(yield* TestClock.testClockWith(Effect.succeed))
  const alive = new Map<Process, Scope.Closeable>()
  /** Those that are alive, and those that died in this round, whose transactions end. */
  const known = new Set<Process>()
  let deaths = 0
  let random = 1
  const upTo = (most: number): number => {
    random = (random * 48_271) % 2_147_483_647
    return 1 + (random % most)
  }

  const startOne = Effect.gen(function* () {
    const process = new Process(upTo(size.lifetime), deaths)
    const scope = yield* Scope.make()
    const stores = Context.merge(yield* TestClock.withLive(storesOf).pipe(Scope.provide(scope)), register)
    const ports = yield* Effect.provideContext(process.ports, stores)
    yield* working.pipe(
      Effect.provideService(Clock.Clock, timers.clock),
      Effect.provideContext(ports),
      Scope.provide(scope)
    )
    alive.set(process, scope)
    known.add(process)
  })

  const buryDead = Effect.gen(function* () {
    for (const [process, scope] of alive) {
      if (!process.isDead) continue
      alive.delete(process)
      known.delete(process)
      deaths += 1
      yield* Effect.forkDetach(TestClock.withLive(Scope.close(scope, Exit.void)))
    }
  })

  const { from, until } = outage(size)
  const end = begin + size.days * day
  const stops = [begin + from, begin + until, end]
  for (let now = begin; now < end; ) {
    const isAway = now >= begin + from && now < begin + until
    if (isAway) for (const process of alive.keys()) process.die()
    yield* buryDead
    while (!isAway && alive.size < size.workers) yield* startOne
    yield* settled(known)
    const stop = stops.find((time) => time > now) ?? end
    now = Math.min(stop, Math.max(now + size.leastMoveMillis, timers.next(stop)))
    yield* TestClock.setTime(now)
    yield* settled(known)
  }
  for (const scope of alive.values()) yield* TestClock.withLive(Scope.close(scope, Exit.void))
  return { asked, deaths }
})

/** The time in which another worker takes over a check: a lease, and the moves of the clock around it. */
const openMillis = 4 * hour

/** Checks what the program left: each card was asked to the end, and has each of its events once. */
export const check = Effect.fnUntraced(function* (size: Size, { changes, faults, last, latest, most, total }: Asked) {
  assert.deepStrictEqual(faults.slice(0, 10), [], `${faults.length} faults`)
  const { cards, days } = size
  const end = begin + days * day - hour
  for (let card = 0; card < cards; card++) {
    if (isLeavers(card)) continue
    const { intervalDays } = sourceOf(card)
    assert.isAtMost(
      end - (last.get(card) ?? begin),
      (Math.min(intervalDays, days) + 1) * day,
      `card ${card} at the end`
    )
  }
  for (const { callsPerMinute, credentialType } of [monthly, weekly, daily]) {
    assert.isAtMost(most.get(credentialType) ?? 0, callsPerMinute, credentialType)
  }
  const { verified, warnings } = yield* checkEvents(size)
  for (let card = 0; card < cards; card++) {
    const [told, changed] = [verified.get(card) ?? 0, changes.get(card) ?? 0]
    // A worker may have died after the question, or the program ended, before the answer was stored.
    const isOpen = (last.get(card) ?? begin) > end - openMillis && told === changed - 1
    assert.isTrue(told === changed || isOpen, `credential.verified of card ${card}: ${told} events, ${changed} changes`)
  }
  yield* checkHistories(size)
  return { total, latest, warnings, changes: [...changes.values()].reduce((sum, count) => sum + count, 0) }
})

/** The history of a card has each check, and no other. */
const checkHistories = Effect.fnUntraced(function* (size: Size) {
  const { cards } = size
  const store = yield* VerificationStore
  for (let card = 0; card < cards; card += Math.ceil(cards / 50)) {
    const { items } = yield* store.list(tenantId, cardId(card), { ...everything, pageSize: 1000 })
    const times = items.map(({ requestedAt }) => requestedAt)
    for (const { outcome, trigger } of items) {
      assert.strictEqual(trigger, "schedule")
      assert.include(["VALID", "SUSPENDED", "EXPIRED", undefined], outcome?.statusDetail)
    }
    const open = items.filter(({ outcome }) => outcome === null)
    assert.isAtMost(open.length, 1, `open verifications of card ${card}`)
    for (const [index, time] of times.entries()) {
      const before = times[index - 1]
      // What was late after the week without a worker is on time again.
      const { until } = outage(size)
      if (before === undefined || (before >= begin + until && before < begin + until + day)) continue
      assert.isAbove(time - before, (sourceOf(card).intervalDays - 1) * day, `card ${card}`)
    }
  }
})

const numberOf = (id: string): number => Number(id.slice(-8))

/** The last day that the workers have warned of. */
const lastDay = ({ days }: Size): string => dayAt(begin + days * day - hour, timeZone)

/** The days on which a card must give a warning, and those on which it may: on one of the days without a worker. */
const stagesOf = (card: number, size: Size): ReadonlyArray<number> => {
  const { daysBefore, repeatDays, repeatsMax } = WarningSettings.defaultValue()
  const expiry = expiryOf(card, size.days)
  return [...daysBefore.map((days) => -days), ...Array.from({ length: repeatsMax + 1 }, (_, n) => 1 + n * repeatDays)]
    .filter((stage) => dayAfter(expiry, stage) >= "2026-01-01" && dayAfter(expiry, stage) <= lastDay(size))
    .filter((stage) => !isLeavers(card) || dayAfter(expiry, stage) <= leavingDay(size))
}

const checkEvents = Effect.fnUntraced(function* (size: Size) {
  const store = yield* EventStore
  const warned = new Map<number, Array<string>>()
  const verified = new Map<number, number>()
  for (let after = 0; ; ) {
    const page = yield* store.events(tenantId, after, 1000)
    for (const { at, kind, position, subjectId } of page) {
      const card = numberOf(subjectId)
      after = position
      if (kind === "credential.verified") verified.set(card, (verified.get(card) ?? 0) + 1)
      else warned.set(card, [...(warned.get(card) ?? []), dayAt(at, timeZone)])
    }
    if (page.length < 1000) break
  }
  const away = outage(size)
  const [lastBefore, firstAfter] = [dayAt(begin + away.from, timeZone), dayAt(begin + away.until, timeZone)]
  for (let card = 0; card < size.cards; card++) {
    const expiry = expiryOf(card, size.days)
    // The stages of the days without a worker are one warning on the first day after.
    const due = stagesOf(card, size).map((stage) => {
      const at = dayAfter(expiry, stage)
      return at > lastBefore && at < firstAfter ? firstAfter : at
    })
    assert.deepStrictEqual(warned.get(card) ?? [], [...new Set(due)].toSorted(), `warnings of card ${card}`)
  }
  return { verified, warnings: [...warned.values()].reduce((sum, { length }) => sum + length, 0) }
})

/** The figures of a program, in one line. */
export const reported = (
  { cards, days }: Size,
  { asked, deaths }: Effect.Success<ReturnType<typeof watch>>,
  { changes, latest, total, warnings }: Effect.Success<ReturnType<typeof check>>
): string => {
  const most = [...asked.most].map(([type, count]) => `${count} of ${type}`).join(", ")
  const lateness = `at most ${Math.ceil(latest / minute)} minutes late`
  return `${cards} cards, ${days} days, ${deaths} kills: ${total} checks, ${lateness}, ${changes} changes, ${warnings} warnings; most in a minute: ${most}`
}
