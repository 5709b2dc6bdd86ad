import type { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Schedule, Scope } from "effect"

/** The pause between two attempts to reach a further database. */
const again = Schedule.spaced("5 seconds")

/**
 * Builds the part of a process for a further database. If that fails, it is tried again in the background: a database that
 * is down must not keep a process from serving the others.
 */
export const joining = <R>(name: string, build: Effect.Effect<void, StartRefused, R | Scope.Scope>) =>
  Effect.gen(function* () {
    const whole = yield* Effect.scope
    const attempt = Effect.gen(function* () {
      const own = yield* Scope.fork(whole)
      yield* Effect.onExit(Scope.provide(build, own), (exit) =>
        exit._tag === "Failure" ? Scope.close(own, exit) : Effect.void
      )
    }).pipe(
      Effect.tapError(({ message }) =>
        Effect.logError(`the tenants of the database ${name} are not served yet: ${message}`)
      )
    )
    yield* Effect.catch(attempt, () => Effect.forkScoped(Effect.retry(attempt, again)))
  })
