import { Effect, Result, type Scope, Semaphore } from "effect"
import type { Journal } from "../evidence/Journal.ts"
import { Blocked } from "../judgement/Blocked.ts"
import { Session } from "../judgement/Session.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"
import { isLost, pausesSeconds } from "../wire/Lost.ts"
import { mistakenAt } from "./Mistaken.ts"
import * as Sessions from "./Sessions.ts"

/** Whether an exchange leaves open what a repetition brings: its answer is lost or missing, or the deployment failed. */
const isOpen = (exchange: Exchange): boolean => isLost(exchange) || exchange.answer === null || isIn(exchange, 5)

/** Shared steps have a walk name of their own, so that they can be judged again. */
const prefix = "shared/"

/** Whether an exchange belongs to steps whose result walks share. */
export const isShared = ({ walk }: Pick<Exchange, "walk">): boolean => walk.startsWith(prefix)

/**
 * Runs an effect once, for one caller at a time. Later callers get the first result or failure: a run that is judged
 * again may ask in another order. An interruption is no result.
 */
const once = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const lock = Semaphore.makeUnsafe(1)
  let first: Result.Result<A, E> | undefined
  const running = Effect.map(Effect.result(effect), (result) => {
    first = result
    return result
  })
  const known = Effect.suspend(() => (first === undefined ? running : Effect.succeed(first)))
  const awaited = lock.withPermits(1)(known)
  return Effect.suspend(() =>
    first === undefined ? Effect.flatMap(awaited, Effect.fromResult) : Effect.fromResult(first)
  )
}

/** Names the entry of the profile that may be wrong, because the waiting walk does not know the refused call. */
const withEntry = (blocked: Blocked, shared: Sessions.Shared, sent: ReadonlyArray<Exchange>): Blocked => {
  const { exchanges, reason } = blocked
  const refused = sent.find(({ number }) => exchanges.includes(number))
  const entry = refused && mistakenAt(shared.profile, refused)
  return entry === undefined
    ? blocked
    : new Blocked({ exchanges, reason: `${reason}; look at ${entry} in the profile` })
}

/**
 * Runs shared steps in a session of their own. Repeats them after a pause if they lost an answer, or if the call that
 * stopped them is not decided.
 */
const running = <A>(
  walk: string,
  steps: Effect.Effect<A, Blocked, Session>,
  shared: Sessions.Shared,
  noteChange: () => void
) => {
  const sent: Array<Exchange> = []
  const send: Sessions.Shared["send"] = (...call) =>
    Effect.tap(shared.send(...call), (exchange) => Effect.sync(() => void sent.push(exchange)))
  let made: Effect.Success<ReturnType<typeof Sessions.make>> | undefined
  return Effect.gen(function* () {
    // one session, so that each attempt has further steps
    made ??= yield* Sessions.make(walk, { ...shared, send })
    const { changes, session } = made
    const attempt = Effect.gen(function* () {
      const before = sent.length
      const result = yield* Effect.result(steps)
      const isDecided = Result.isSuccess(result) ? !sent.slice(before).some(isLost) : !sent.slice(-1).some(isOpen)
      return { result, isDecided }
    }).pipe(Effect.provideService(Session, session))
    let last = yield* attempt
    for (const seconds of pausesSeconds) {
      if (last.isDecided) break
      yield* shared.sleep(seconds)
      last = yield* attempt
    }
    if (changes() > 0) noteChange()
    return yield* Effect.fromResult(Result.mapError(last.result, (blocked) => withEntry(blocked, shared, sent)))
  })
}

/** Adds to the state of a run the steps that walks share. What they create is deleted after all walks. */
export const sharing = Effect.fnUntraced(function* (state: Omit<Sessions.Shared, "share" | "isChanging">) {
  const context = yield* Effect.context<Journal | Scope.Scope>()
  const known = new Map<string, Effect.Effect<unknown, Blocked>>()
  const changing = new Set<string>()
  const shared: Sessions.Shared = {
    ...state,
    isChanging: (name) => changing.has(name),
    share: <A>(name: string, steps: Effect.Effect<A, Blocked, Session>) =>
      Effect.suspend(() => {
        const found =
          known.get(name) ??
          Effect.provideContext(
            once(running(`${prefix}${name}`, steps, shared, () => void changing.add(name))),
            context
          )
        known.set(name, found)
        // the same name always has the same steps
        return found as Effect.Effect<A, Blocked>
      })
  }
  return shared
})
