import { Effect, Scope } from "effect"
import type { BearerOf } from "./Bearers.ts"
import type { Finding } from "./Finding.ts"
import { Journal } from "./Journal.ts"
import { Blocked } from "./Judge.ts"
import type { Profile } from "./Profile.ts"
import type { Receiving } from "./Receiving.ts"
import { reveal, type Secrets } from "./Secrets.ts"
import { originOf, ready, type Send } from "./Sending.ts"
import { type Call, type Made, Session } from "./Session.ts"

/** What the walks of a run share. */
export interface Shared {
  readonly run: string
  readonly profile: Profile
  readonly secrets: Secrets
  readonly secondsToWait: number
  readonly send: Send
  readonly receiving: Receiving
  readonly bearer: BearerOf
  readonly find: (finding: Finding) => Effect.Effect<void>
  /** A number that no other name of the run has. */
  readonly nextName: Effect.Effect<number>
}

/** The `Authorization` header of a call; undefined for nobody's. */
const authorizationOf = Effect.fnUntraced(function* (shared: Shared, as: Call["as"]) {
  if (as === null) return undefined
  if (typeof as === "object") return as.authorization
  const principal = as ?? "admin"
  const token = yield* shared.bearer(principal)
  if (token === undefined) {
    return yield* new Blocked({ reason: `the profile has no ${principal}`, exchanges: [] })
  }
  return `Bearer ${token}`
})

/** One walk's session, and what it has made so far; its addresses are open as long as the scope lives. */
export const make = (walk: string, shared: Shared) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const made: Array<Made> = []
    const scope = yield* Effect.scope
    let step = 0
    let addresses = 0

    const sendAs = Effect.fnUntraced(function* (call: Call, isOwed: boolean) {
      step += 1
      const here = step
      const origin = originOf(shared.profile, call)
      if (origin === undefined) {
        return yield* new Blocked({
          reason: `the profile names no address for ${call.to ?? "the tenant"}`,
          exchanges: []
        })
      }
      const authorization = yield* authorizationOf(shared, call.as)
      return yield* shared.send(walk, here, { ...ready(call, origin, authorization), isOwed })
    })

    const session = Session.of({
      walk,
      profile: shared.profile,
      send: (call) => sendAs(call, false),
      bearer: shared.bearer,
      reveal: (text) => reveal(shared.secrets, text),
      unique: Effect.map(shared.nextName, (number) => `conf-${shared.run}-${number}`),
      intend: (type, unique, to) => journal.write({ entry: "intended", type, unique, ...(to && { to }) }),
      made: (one, unique) => {
        made.push(one)
        return journal.write({ entry: "made", unique, ...one })
      },
      refused: (type, unique) => journal.write({ entry: "refused", type, unique }),
      listen: (refuses = () => false) =>
        Effect.suspend(() => {
          addresses += 1
          return Effect.provideService(shared.receiving.listen(walk, addresses, refuses), Scope.Scope, scope)
        }),
      closedUrl: shared.receiving.closed,
      find: (finding) => shared.find({ ...finding, walk }),
      wait: (seconds) =>
        seconds > shared.secondsToWait ? Effect.succeed(false) : Effect.as(Effect.sleep(seconds * 1000), true)
    })

    return {
      session,
      made: (): ReadonlyArray<Made> => made,
      /** Sends what cleaning up takes, even where the run's requests are used up. */
      sendOwed: (call: Call) => sendAs(call, true)
    }
  })
