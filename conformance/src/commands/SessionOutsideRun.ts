import { Effect, Ref } from "effect"
import * as Bearers from "../engine/Bearers.ts"
import { newRunId } from "../engine/Conformance.ts"
import * as Sending from "../engine/Sending.ts"
import * as Sessions from "../engine/Sessions.ts"
import { sharing } from "../engine/Sharing.ts"
import * as Receiving from "../judgement/Receiving.ts"
import type { Session } from "../judgement/Session.ts"
import { limitsOf, timeoutSecondsOf } from "../profile/Limits.ts"
import type { Loaded } from "../profile/ProfileFile.ts"
import { secretsOf } from "../profile/Secrets.ts"
import type { Exchange } from "../wire/Exchange.ts"
import * as Handles from "../wire/Handles.ts"
import { Refused } from "./Refused.ts"

/**
 * Makes a session named `walk` for calls outside a run. Passes every exchange to `record`. Reads lists at once: to measure
 * how far they lag takes a worker, and only a run deletes what it created.
 */
export const sessionOf = Effect.fnUntraced(function* (
  walk: string,
  { profile }: Loaded,
  record: (exchange: Exchange) => void
) {
  const limits = limitsOf(profile)
  const secrets = yield* Effect.mapError(secretsOf(profile, process.env), ({ message }) => new Refused({ message }))
  const handles = Handles.make(profile, secrets)
  const numbers = yield* Ref.make(0)
  const names = yield* Ref.make(0)
  const noted = (exchange: Exchange) => Effect.sync(() => record(exchange))
  const send = yield* Sending.make(limits, handles, noted, numbers)
  const receiving = yield* Receiving.make({
    timeoutSeconds: timeoutSecondsOf(profile),
    numbers,
    delivered: handles.delivered,
    record: noted
  })
  const bearer = yield* Bearers.make(profile, handles, send)
  const shared = yield* sharing({
    run: yield* newRunId, // a name that an earlier session made may be taken
    profile,
    handles,
    isAsked: () => true,
    secondsToWait: limits.secondsToWait,
    send,
    receiving,
    bearer,
    find: () => Effect.void,
    sleep: (seconds) => Effect.sleep(seconds * 1000),
    nextName: () => Ref.getAndUpdate(names, (count) => count + 1),
    note: () => Effect.void
  })
  const { session, ...made } = yield* Sessions.make(walk, shared)
  const atOnce: Session["Service"] = { ...session, send: (call) => session.send({ ...call, isAtOnce: true }) }
  return { ...made, session: atOnce }
})
