import { Ids } from "@wcs/domain/shared/Id"
import { deliveryDue, Notices, settled, verificationDue } from "@wcs/domain/shared/Notices"
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
  detail: "The register's adapter did not end in time."
})

/** What was thrown is not told: it may say who the question was about. */
const brokenDown = new RegisterFailed({
  fault: "INTERNAL_ERROR",
  isTransient: true,
  detail: "The register's adapter broke down."
})

/** Stands where nobody was asked: what becomes of the run does not depend on it. */
const nobodyAsked = new RegisterFailed({ fault: "INTERNAL_ERROR", isTransient: false, detail: "Nobody was asked." })

/** Carries out verifications: asks registers, many at once, and writes what becomes of each run. */
export const start = Effect.gen(function* () {
  const { leaseMillis, pollMillis, questionMillis, questionsMax, questionsPerType } = yield* EngineSettings
  const { retryDelaysMillis } = yield* VerificationSettings
  const store = yield* VerificationStore
  const register = yield* Register
  const notices = yield* Notices
  const ids = yield* Ids
  const sources = { auditId: ids.source("audit"), eventId: ids.source("event") }
  const runFork = Effect.runForkWith(yield* Effect.context())
  const flying = new Map<DueRun, Fiber.Fiber<void, unknown>>()
  const word = Latch.makeUnsafe(true)

  const ask = (question: RegisterQuestion): Effect.Effect<Result.Result<RegisterAnswer, RegisterFailed>> =>
    register.ask(question).pipe(
      Effect.catchDefect(() => brokenDown),
      Effect.timeoutOrElse({ duration: questionMillis, orElse: () => tooSlow }),
      Effect.tapError(({ detail, fault, isTransient }) =>
        Effect.logWarning("A register gave no answer.").pipe(Effect.annotateLogs({ fault, isTransient, detail }))
      ),
      Effect.result
    )

  /** Whoever waits is told, and so is who delivers. */
  const tell = Effect.fnUntraced(function* (conclusion: Conclusion, open: RunBasis["open"]) {
    yield* Measures.asked(conclusion._tag)
    if (conclusion._tag !== "Postponed") for (const { id } of open) yield* notices.tell(settled(id))
    if (conclusion._tag !== "Postponed" && conclusion.records.events.length > 0) yield* notices.tell(deliveryDue)
  })

  const carryOut = Effect.fnUntraced(function* (run: DueRun) {
    const { attempt, credential, credentialId, lease, tenantId } = run
    const question = questionFor(credential)
    const answer = question === undefined ? Result.fail(nobodyAsked) : yield* ask(question)
    const by = { now: yield* Clock.currentTimeMillis, ...sources }
    let decided: { readonly conclusion: Conclusion; readonly open: RunBasis["open"] } | undefined
    const isOurs = yield* store
      .conclude(tenantId, credentialId, { _tag: "Lease", lease }, (basis) => {
        const conclusion = afterAsking(basis, question, answer, attempt, retryDelaysMillis, by)
        decided = { conclusion, open: basis.open }
        return Result.succeed(conclusion)
      })
      .pipe(Loop.insisting("verify", leaseMillis - questionMillis))
    if (isOurs && decided !== undefined) yield* tell(decided.conclusion, decided.open)
  })

  /** What was not concluded is left to its lease: somebody asks again then. */
  const land = (run: DueRun, exit: Exit.Exit<void, unknown>): void => {
    flying.delete(run)
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
      const { credentialId, tenantId } = run
      runFork(
        Effect.logError("A verification could not be carried out.", Cause.pretty(exit.cause)).pipe(
          Effect.annotateLogs({ tenantId, credentialId })
        )
      )
    }
    word.openUnsafe()
  }

  const begin = (run: DueRun): void => {
    const fiber = runFork(carryOut(run))
    flying.set(run, fiber)
    fiber.addObserver((exit) => land(run, exit))
  }

  const claim = Effect.gen(function* () {
    const all = { limit: questionsMax, perType: questionsPerType, takenByType: new Map<string, number>() }
    const places = placesAfter(
      all,
      Array.from(flying.keys(), ({ credentialType }) => credentialType)
    )
    if (places.limit <= 0) return pollMillis
    const now = yield* Clock.currentTimeMillis
    const { nextDueAt, runs } = yield* store.claim({ now, lease: yield* ids.ulid, leaseMillis, places })
    runs.forEach(begin)
    return runs.length === places.limit ? pollMillis : Loop.untilDue(nextDueAt, now)
  })

  yield* Loop.start({
    name: "verify",
    topic: verificationDue,
    word,
    round: (isStopping) => (isStopping ? Effect.succeed(pollMillis) : claim),
    isIdle: () => flying.size === 0,
    abandon: Effect.gen(function* () {
      const unfinished = [...flying.keys()]
      yield* Fiber.interruptAll([...flying.values()])
      const now = yield* Clock.currentTimeMillis
      yield* Effect.forEach(unfinished, (run) => store.release(run, now), { discard: true })
    })
  })
})
