import { VerificationSettings } from "@wcs/domain/holding/VerificationSettings"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { dayAt, momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { deliveryDue, Notifications, settled, verificationDue } from "@wcs/domain/shared/Notifications"
import { continuing } from "@wcs/domain/shared/TraceContext"
import { Register, type RegisterAnswer, RegisterFailed, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { afterAsking, questionFor } from "@wcs/domain/verification/VerificationRun"
import {
  type Conclusion,
  type DueRun,
  type RunBasis,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import { Cause, Clock, Effect, Fiber, Latch, Result } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as Loop from "./Loop.ts"
import * as Leases from "./lease/Leases.ts"
import * as Measures from "./Measures.ts"

const tooSlow = new RegisterFailed({
  fault: "SOURCE_TIMEOUT",
  isTransient: true,
  detail: "The register adapter timed out."
})

/** The cause is not logged, because it may contain personal data. */
const brokenDown = new RegisterFailed({
  fault: "INTERNAL_ERROR",
  isTransient: true,
  detail: "The register adapter threw an error."
})

/** The placeholder answer when no register can be asked. The conclusion does not depend on it. */
const notAsked = new RegisterFailed({ fault: "INTERNAL_ERROR", isTransient: false, detail: "No register was asked." })

/** How long a conclusion is tried again when it cannot be stored. In milliseconds. */
const insistMillis = 60_000

/** How long a run rests after its conclusion could not be stored, so that its register is not asked again at once. */
const restMillis = 120_000

/** The services of the loop. */
interface Worker {
  readonly settings: typeof EngineSettings.Service
  readonly retryDelaysMillis: (typeof VerificationSettings.Service)["retryDelaysMillis"]
  readonly store: VerificationStore["Service"]
  readonly register: Register["Service"]
  readonly notifications: Notifications["Service"]
  readonly leases: Leases.Leases
  readonly sources: Readonly<Record<"auditId" | "eventId" | "verificationId", ReturnType<Ids["Service"]["source"]>>>
  readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  readonly inFlight: Map<DueRun, Fiber.Fiber<void, unknown>>
  /** The runs that were not concluded, and when each may be carried out again. */
  readonly resting: Map<DueRun, Instant>
  readonly wake: Latch.Latch
}

const ask = (
  { register, settings }: Worker,
  question: RegisterQuestion,
  tenantId: string
): Effect.Effect<Result.Result<RegisterAnswer, RegisterFailed>> =>
  register.ask(question, tenantId).pipe(
    Effect.catchDefect(() => brokenDown),
    Effect.timeoutOrElse({ duration: settings.questionMillis, orElse: () => tooSlow }),
    Effect.tapError(({ detail, fault, isTransient }) =>
      Effect.logWarning("A register query failed.").pipe(Effect.annotateLogs({ fault, isTransient, detail }))
    ),
    Effect.withSpan("register", { kind: "client", attributes: { "wcs.credential_type": question.credentialType } }),
    Effect.result
  )

/** Notifies callers that wait, and the workers that deliver. */
const notify = Effect.fnUntraced(function* ({ notifications }: Worker, conclusion: Conclusion, open: RunBasis["open"]) {
  yield* Measures.asked(conclusion._tag)
  if (conclusion._tag !== "Postponed") for (const { id } of open) yield* notifications.notify(settled(id))
  if (conclusion._tag !== "Postponed" && conclusion.records.events.length > 0) yield* notifications.notify(deliveryDue)
  if (conclusion._tag === "Concluded" && conclusion.records.recheck !== undefined) {
    yield* notifications.notify(verificationDue)
  }
})

const carryOut = Effect.fnUntraced(function* (worker: Worker, run: DueRun) {
  const { retryDelaysMillis, sources, store } = worker
  const { attempt, credential, credentialId, tenantId, timeZone } = run
  const question = questionFor(credential, dayAt(yield* Clock.currentTimeMillis, timeZone))
  const answer =
    question === undefined ? Result.fail(notAsked) : yield* Measures.timing(ask(worker, question, tenantId))
  const by = { ...momentAt(yield* Clock.currentTimeMillis, timeZone), ...sources }
  let decided: { readonly conclusion: Conclusion; readonly open: RunBasis["open"] } | undefined
  const isOurs = yield* store
    .conclude(tenantId, credentialId, { _tag: "Worker", run }, (basis) => {
      const conclusion = afterAsking(basis, question, answer, attempt, retryDelaysMillis, by)
      decided = { conclusion, open: basis.open }
      return Result.succeed(conclusion)
    })
    .pipe(Loop.insisting("verify", insistMillis))
  if (isOurs && decided !== undefined) yield* notify(worker, decided.conclusion, decided.open)
})

/** A run that was not concluded is still due, but rests first. */
const rest = Effect.fnUntraced(function* ({ resting }: Worker, run: DueRun, cause: Cause.Cause<unknown>) {
  const { credentialId, tenantId } = run
  resting.set(run, (yield* Clock.currentTimeMillis) + restMillis)
  yield* Effect.logError("A verification run failed.", Cause.pretty(cause)).pipe(
    Effect.annotateLogs({ tenantId, credentialId })
  )
})

const begin = (worker: Worker, run: DueRun): void => {
  const { inFlight, leases, wake } = worker
  const { attempt, credentialId, tenantId, traceparent } = run
  const attributes = { "wcs.tenant_id": tenantId, "wcs.credential_id": credentialId, "wcs.attempt": attempt }
  const carriedOut = carryOut(worker, run).pipe(
    continuing(traceparent, { name: "verification", kind: "consumer", attributes }),
    Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : rest(worker, run, cause)))
  )
  const fiber = worker.runFork(carriedOut)
  inFlight.set(run, fiber)
  fiber.addObserver(() => {
    inFlight.delete(run)
    leases.settled()
    wake.openUnsafe()
  })
}

/** When the first resting run may be carried out again. */
const firstOf = (resting: Worker["resting"]): Instant | null =>
  resting.size === 0 ? null : Math.min(...resting.values())

/** Reads due runs for the free places and starts them. Returns how long to wait. */
const claim = Effect.fnUntraced(function* (worker: Worker) {
  const { inFlight, leases, resting, settings, store } = worker
  const { questionsMax } = settings
  const now = yield* Clock.currentTimeMillis
  for (const [run, until] of resting) if (until <= now) resting.delete(run)
  const partitions = leases.active()
  if (partitions.length === 0 || inFlight.size + resting.size >= questionsMax)
    return Loop.untilDue(firstOf(resting), now)
  const limits = { total: questionsMax, perType: Math.max(1, Math.floor(questionsMax / 4)) }
  const taken = [...inFlight.keys(), ...resting.keys()]
  const { nextDueAt, runs } = yield* store.readDue({ now, partitions, inFlight: taken, limits })
  for (const run of runs) if (leases.isActive(partitionOf(run.credentialId))) begin(worker, run)
  return Math.min(Loop.untilDue(nextDueAt, now), Loop.untilDue(firstOf(resting), now))
})

/** Carries out verifications: asks registers concurrently and stores the conclusion of each run. */
export const start = Effect.gen(function* () {
  const ids = yield* Ids
  const { retryDelaysMillis } = yield* VerificationSettings
  const inFlight: Worker["inFlight"] = new Map()
  const wake = Latch.makeUnsafe(true)
  const worker: Worker = {
    settings: yield* EngineSettings,
    retryDelaysMillis,
    store: yield* VerificationStore,
    register: yield* Register,
    notifications: yield* Notifications,
    leases: yield* Leases.make("verification", {
      busy: () => new Set(Array.from(inFlight.keys(), ({ credentialId }) => partitionOf(credentialId))),
      changed: () => wake.openUnsafe()
    }),
    sources: {
      auditId: ids.source("audit"),
      eventId: ids.source("event"),
      verificationId: ids.source("verification")
    },
    runFork: Effect.runForkWith(yield* Effect.context()),
    inFlight,
    resting: new Map(),
    wake
  }
  yield* Loop.start({
    name: "verify",
    topic: verificationDue,
    wake,
    round: (isStopping) =>
      isStopping ? Effect.as(Effect.sync(worker.leases.leave), Number.POSITIVE_INFINITY) : claim(worker),
    isIdle: () => inFlight.size === 0,
    abandon: Effect.suspend(() => Fiber.interruptAll([...inFlight.values()]))
  })
})
