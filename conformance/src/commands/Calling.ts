import { Effect, Layer } from "effect"
import * as Bearers from "../Bearers.ts"
import type { Exchange } from "../Exchange.ts"
import * as Journal from "../Journal.ts"
import { limitsOf } from "../Limits.ts"
import * as NodeWire from "../NodeWire.ts"
import type { Loaded } from "../ProfileFile.ts"
import { secretsOf } from "../Secrets.ts"
import * as Sending from "../Sending.ts"
import * as Sessions from "../Sessions.ts"
import { Refused } from "./Refused.ts"

/** Calls to a deployment outside a run, in a session of the name `walk`; every exchange is told to `record`. */
export const sessionOf = Effect.fnUntraced(function* (
  walk: string,
  { profile }: Loaded,
  record: (exchange: Exchange) => void
) {
  const limits = limitsOf(profile)
  const secrets = yield* Effect.mapError(secretsOf(profile, process.env), ({ message }) => new Refused({ message }))
  const send = yield* Sending.make(limits, (exchange) => Effect.sync(() => record(exchange)))
  const bearer = yield* Bearers.make(profile, secrets, send, () => Effect.void)
  return yield* Sessions.make(walk, {
    run: walk,
    profile,
    secrets,
    secondsToWait: limits.secondsToWait,
    send,
    bearer,
    find: () => Effect.void,
    nextName: Effect.succeed(0)
  })
})

/** The sockets that a profile asks for, and the journal in a file or in memory. */
export const layerOf = ({ ca, profile }: Loaded, journalFile?: string) =>
  Layer.merge(
    NodeWire.layer({
      ...(ca === undefined ? {} : { ca }),
      resolve: profile.resolve ?? {},
      secondsPerCall: limitsOf(profile).secondsPerCall
    }),
    journalFile === undefined ? Journal.layerMemory() : Journal.layerFile(journalFile)
  )
