import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notifications, settled, verificationDue } from "@wcs/domain/shared/Notifications"
import { Register, type RegisterAnswer, RegisterFailed, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { afterAsking, questionFor, VerificationSettings } from "@wcs/domain/verification/VerificationRun"
import {
  type Conclusion,
  type DueRun,
  type RunBasis,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import { placesAfter } from "@wcs/domain/verification/VerificationTurns"
import { Cause, Clock, Effect, Exit, Fiber, Latch, Result } from "effect"
import { EngineSettings } from "./EngineSettings.ts"
import * as Loop from "./Loop.ts"
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

/** What the loop works with. */
interface Worker {
  readonly settings: typeof EngineSettings.Service
  readonly retryDelaysMillis: (typeof VerificationSettings.Service)["retryDelaysMillis"]
  readonly store: VerificationStore["Service"]
  readonly register: Register["Service"]
  readonly notifications: Notifications["Service"]
  readonly ids: Ids["Service"]
  readonly sources: Readonly<Record<"auditId" | "eventId", ReturnType<Ids["Service"]["source"]>>>
  readonly runFork: ReturnType<typeof Effect.runForkWith<never>>
  readonly inFlight: Map<DueRun, Fiber.Fiber<void, unknown>>
  readonly wake: Latch.Latch
}

const ask = (
  { register, settings }: Worker,
  question: RegisterQuestion
): Effect.Effect<Result.Result<RegisterAnswer, RegisterFailed>> =>
  register.ask(question).pipe(
    Effect.catchDefect(() => brokenDown),
    Effect.timeoutOrElse({ duration: settings.questionMillis, orElse: () => tooSlow }),
    Effect.tapError(({ detail, fault, isTransient }) =>
      Effect.logWarning("A register query failed.").pipe(Effect.annotateLogs({ fault, isTransient, detail }))
    ),
    Effect.result
  )

/** Notifies callers that wait, and the workers that deliver. */
const notify = Effect.fnUntraced(function* ({ notifications }: Worker, conclusion: Conclusion, open: RunBasis["open"]) {
  yield* Measures.asked(conclusion._tag)
  if (conclusion._tag !== "Postponed") for (const { id } of open) yield* notifications.notify(settled(id))
  if (conclusion._tag !== "Postponed" && conclusion.records.events.length > 0) yield* notifications.notify(deliveryDue)
})

const carryOut = Effect.fnUntraced(function* (worker: Worker, run: DueRun) {
  const { retryDelaysMillis, settings, sources, store } = worker
  const { attempt, credential, credentialId, lease, tenantId } = run
  const question = questionFor(credential)
  const answer = question === undefined ? Result.fail(notAsked) : yield* ask(worker, question)
  const by = { now: yield* Clock.currentTimeMillis, ...sources }
  let decided: { readonly conclusion: Conclusion; readonly open: RunBasis["open"] } | undefined
  const isOurs = yield* store
    .conclude(tenantId, credentialId, { _tag: "Lease", lease }, (basis) => {
      const conclusion = afterAsking(basis, question, answer, attempt, retryDelaysMillis, by)
      decided = { conclusion, open: basis.open }
      return Result.succeed(conclusion)
    })
    .pipe(Loop.insisting("verify", settings.runLeaseMillis - settings.questionMillis))
  if (isOurs && decided !== undefined) yield* notify(worker, decided.conclusion, decided.open)
})

/** A run that was not concluded is retried when its lease expires. */
const onExit = ({ inFlight, runFork, wake }: Worker, run: DueRun, exit: Exit.Exit<void, unknown>): void => {
  inFlight.delete(run)
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
    const { credentialId, tenantId } = run
    runFork(
      Effect.logError("A verification run failed.", Cause.pretty(exit.cause)).pipe(
        Effect.annotateLogs({ tenantId, credentialId })
      )
    )
  }
  wake.openUnsafe()
}

const begin = (worker: Worker, run: DueRun): void => {
  const fiber = worker.runFork(carryOut(worker, run))
  worker.inFlight.set(run, fiber)
  fiber.addObserver((exit) => onExit(worker, run, exit))
}

/** Claims runs for the free places. Returns how long to wait. */
const claim = Effect.fnUntraced(function* (worker: Worker) {
  const { ids, inFlight, settings, store } = worker
  const { pollMillis, questionsMax, questionsPerType, runLeaseMillis } = settings
  const all = { limit: questionsMax, perType: questionsPerType, takenByType: new Map<string, number>() }
  const places = placesAfter(
    all,
    Array.from(inFlight.keys(), ({ credentialType }) => credentialType)
  )
  if (places.limit <= 0) return pollMillis
  const now = yield* Clock.currentTimeMillis
  const { nextDueAt, runs } = yield* store.claim({ now, lease: yield* ids.ulid, leaseMillis: runLeaseMillis, places })
  for (const run of runs) begin(worker, run)
  return runs.length === places.limit ? pollMillis : Loop.untilDue(nextDueAt, now)
})

/** Interrupts the queries in flight and releases their runs. */
const abandon = Effect.fnUntraced(function* ({ inFlight, store }: Worker) {
  const unfinished = [...inFlight.keys()]
  yield* Fiber.interruptAll([...inFlight.values()])
  const now = yield* Clock.currentTimeMillis
  yield* Effect.forEach(unfinished, (run) => store.release(run, now), { discard: true })
})

/** Carries out verifications: asks registers concurrently and stores the conclusion of each run. */
export const start = Effect.gen(function* () {
  const ids = yield* Ids
  const { retryDelaysMillis } = yield* VerificationSettings
  const worker: Worker = {
    settings: yield* EngineSettings,
    retryDelaysMillis,
    store: yield* VerificationStore,
    register: yield* Register,
    notifications: yield* Notifications,
    ids,
    sources: { auditId: ids.source("audit"), eventId: ids.source("event") },
    runFork: Effect.runForkWith(yield* Effect.context()),
    inFlight: new Map(),
    wake: Latch.makeUnsafe(true)
  }
  const { inFlight, settings, wake } = worker
  yield* Loop.start({
    name: "verify",
    topic: verificationDue,
    wake,
    round: (isStopping) => (isStopping ? Effect.succeed(settings.pollMillis) : claim(worker)),
    isIdle: () => inFlight.size === 0,
    abandon: abandon(worker)
  })
})
