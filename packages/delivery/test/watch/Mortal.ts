import { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import { Register } from "@wcs/domain/verification/Register"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { WarningStore } from "@wcs/domain/watch/WarningStore"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"

/** When a worker dies: before its transaction, inside of it, so that it is rolled back, or after its commit. */
const moments = ["before", "inside", "after"] as const

/** Connections time out in real time. Each call has its time as an argument. */
const live = TestClock.withLive

/** A process: its death, and its calls of the stores that run. */
export class Process {
  isDead = false
  #running = 0
  #quiet = Promise.withResolvers<void>()
  /** The calls of transactions that are left until the death. */
  left: number
  readonly #moment: (typeof moments)[number]

  constructor(left: number, number: number) {
    this.left = left
    this.#moment = moments[number % moments.length] ?? "before"
  }

  die(): void {
    this.isDead = true
  }

  /** Waits until no call runs. Undefined if none runs now. */
  quiet(): Promise<void> | undefined {
    return this.#running > 0 ? this.#quiet.promise : undefined
  }

  /**
   * A call of a process. One that is dead makes no calls, and gets no answers: not even that of a call that was rolled
   * back, which must not reach the loop that retries.
   */
  readonly #calling = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      if (this.isDead) return Effect.never
      this.#running += 1
      const ended = Effect.sync(() => {
        this.#running -= 1
        if (this.#running > 0) return
        this.#quiet.resolve()
        this.#quiet = Promise.withResolvers()
      })
      const answer = Effect.exit(Effect.ensuring(call, ended))
      return Effect.flatMap(answer, (exit) => (this.isDead ? Effect.never : exit))
    })

  readonly #transaction = <A, E, R>(call: (passes: () => void) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      this.left -= 1
      const isLast = this.left === 0
      if (isLast && this.#moment === "before") this.die()
      const passes = () => {
        if (!isLast || this.#moment !== "inside") return
        this.die()
        throw new Error("the process is dead")
      }
      const end = Effect.sync(() => {
        if (isLast) this.die()
      })
      return this.#calling(Effect.tap(live(call(passes)), () => end))
    })

  /** The stores and the registers of the process. */
  readonly ports = Effect.gen({ self: this }, function* () {
    const register = yield* Register
    const leases = yield* LeaseStore
    const schedules = yield* ScheduleStore
    const warnings = yield* WarningStore
    const verifications = yield* VerificationStore
    const calling = this.#calling
    const transaction = this.#transaction
    return Context.empty().pipe(
      Context.add(Register, { ask: (...of) => calling(register.ask(...of)) }),
      Context.add(LeaseStore, { beat: (...of) => calling(live(leases.beat(...of))) }),
      Context.add(ScheduleStore, {
        ...schedules,
        tenants: (...of) => calling(live(schedules.tenants(...of))),
        start: (plan, due, limit, decide) =>
          transaction((passes) =>
            schedules.start(plan, due, limit, (...card) => {
              const decided = decide(...card)
              passes()
              return decided
            })
          )
      }),
      Context.add(WarningStore, {
        tenants: (...of) => calling(live(warnings.tenants(...of))),
        warn: (portion, decide) =>
          transaction((passes) =>
            warnings.warn(portion, (...card) => {
              const decided = decide(...card)
              passes()
              return decided
            })
          )
      }),
      Context.add(VerificationStore, {
        ...verifications,
        readDue: (...of) => calling(live(verifications.readDue(...of))),
        conclude: (tenantId, credentialId, authority, decide) =>
          transaction((passes) =>
            verifications.conclude(tenantId, credentialId, authority, (basis) => {
              const decided = decide(basis)
              passes()
              return decided
            })
          )
      })
    )
  })
}
