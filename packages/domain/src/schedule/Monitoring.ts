import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { enumeration } from "../resource/Enumeration.ts"
import { timeOrNull } from "../resource/ShownFields.ts"
import { type Instant, toRfc3339OrNull } from "../shared/Instant.ts"
import { DefaultSource } from "../verification/DefaultSource.ts"
import { DefaultSchedule, haltOf, type Plan, plansOf } from "./Plan.ts"
import { dueSince, reachedAt } from "./Schedule.ts"
import { ScheduleStore } from "./ScheduleStore.ts"

/** Each reason why cards wait, for people. */
const reasonTexts = {
  PAUSED: "The source is paused. No card is verified until it is resumed.",
  NOT_CONFIGURED: "The source has no secret. No card is verified until one is set.",
  NO_WORKER: "No worker has looked at the schedule for two hours.",
  AWAY: "The gateway could not be reached. One card at a time is tried until it answers.",
  REFUSED: "The gateway refused the last question. One card at a time is tried until it answers.",
  BUSY: "As many verifications are open as the schedule allows. The next ones start when these end."
} as const

type Reason = keyof typeof reasonTexts
const reasons = Object.keys(reasonTexts) as ReadonlyArray<Reason>

const states = ["NEW", "ON_TIME", "LATE", "PAUSED"] as const

/** The greatest number that is counted. */
const countMax = 1000

const count = (description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: countMax })).annotate({ description })

/** How the scheduled verifications of a source go. */
export const MonitoredSchedule = Schema.Struct({
  sourceId: Schema.NullOr(Schema.String).annotate({
    description: "Id of the verification source, `src_…`. Null for the deployment's register."
  }),
  credentialTypes: Schema.Array(Schema.String)
    .check(Schema.isMaxLength(100))
    .annotate({ description: "Codes of the credential types that it is asked about." }),
  intervalDays: Schema.Int.annotate({ description: "Days until a card is verified again." }),
  state: enumeration("ScheduleState", states).annotateKey({
    description:
      "NEW: no worker has begun it; one does within 15 minutes. ON_TIME: each card was verified in its time. LATE: cards " +
      "have waited for more than two hours. PAUSED: nothing starts."
  }),
  reason: Schema.NullOr(enumeration("ScheduleReason", reasons)).annotate({
    description: "Why cards wait, or soon will. Null without a reason."
  }),
  message: Schema.NullOr(Schema.String).annotate({ description: "The reason in one or two sentences." }),
  due: count(`Cards of these types whose time has come and that were not looked at. At most ${countMax} are counted.`),
  running: count(
    `Open verifications of these types, with those that calls started. At most ${countMax} are counted. Those that wait for a person are not.`
  ),
  reachedAt: timeOrNull("All cards whose time came before this were looked at. Null before the first round."),
  lookedAt: timeOrNull("Last time that a worker looked at the schedule, to the hour. Null before the first.")
})
export type MonitoredSchedule = typeof MonitoredSchedule.Type

/** How old a schedule, or a look at it, is when it is late. Rounds without a card are stored once an hour. */
const lateMillis = 2 * 3_600_000

/** What is said of a plan with this backlog. */
export const monitored = (
  plan: Plan,
  backlog: Pick<MonitoredSchedule, "due" | "running">,
  now: Instant
): MonitoredSchedule => {
  const { intervalDays, lookedAt, source, stand, types } = plan
  const reached = stand === null ? null : reachedAt(plan, stand)
  const isLate = reached !== null && now - reached > lateMillis
  const isAlone = lookedAt !== null && now - lookedAt > lateMillis
  const halt = haltOf(plan)
  const failing = source?.fields.state === "AWAY" || source?.fields.state === "REFUSED" ? source.fields.state : null
  const reason = halt ?? (isAlone ? "NO_WORKER" : (failing ?? (isLate ? "BUSY" : null)))
  const moving = reached === null ? "NEW" : isLate ? "LATE" : "ON_TIME"
  return {
    sourceId: source?.id ?? null,
    credentialTypes: types,
    intervalDays,
    state: halt === undefined ? moving : "PAUSED",
    reason,
    message: reason === null ? null : reasonTexts[reason],
    ...backlog,
    reachedAt: toRfc3339OrNull(reached),
    lookedAt: toRfc3339OrNull(lookedAt)
  }
}

/** Shows how the scheduled verifications of the caller's tenant go, source by source. */
export class Monitoring extends Context.Service<
  Monitoring,
  { readonly schedules: Effect.Effect<ReadonlyArray<MonitoredSchedule>, never, Caller> }
>()("@wcs/domain/Monitoring") {}

export const make = Effect.gen(function* () {
  const settings = { ...(yield* DefaultSource), ...(yield* DefaultSchedule) }
  const store = yield* ScheduleStore

  return Monitoring.of({
    schedules: Effect.gen(function* () {
      const tenant = yield* store.tenant((yield* Caller).tenantId)
      const now = yield* Clock.currentTimeMillis
      const plans = tenant === undefined ? [] : plansOf(tenant, settings)
      return yield* Effect.forEach(plans, (plan) =>
        Effect.map(store.backlog(plan, dueSince(plan, now), countMax), (backlog) => monitored(plan, backlog, now))
      )
    }).pipe(Effect.withSpan("Monitoring.schedules"))
  })
})

export const layer = Layer.effect(Monitoring, make)
