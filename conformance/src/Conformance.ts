import { Effect, Layer, Queue, Random, Stream } from "effect"
import type { RuleId } from "./Catalogue.ts"
import type { Event } from "./Event.ts"
import * as Journal from "./Journal.ts"
import { limitsOf } from "./Limits.ts"
import * as NodeReceiver from "./NodeReceiver.ts"
import * as NodeWire from "./NodeWire.ts"
import type { Profile } from "./Profile.ts"
import * as Redaction from "./Redaction.ts"
import { run } from "./Run.ts"
import { secretsOf } from "./Secrets.ts"
import { exchangeRules, walks } from "./Walks.ts"

/** What is judged, and how. */
export interface Options {
  readonly profile: Profile
  /** Where the secrets are that the profile names. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** PEM of the issuers that are trusted beside the system's. */
  readonly ca?: string
  /** The rules that are asked about; all of them where it is left out. */
  readonly only?: ReadonlySet<RuleId>
  /** The run's id, part of every name that it makes; made up where it is left out. */
  readonly run?: string
  /** What the run makes is written here before it is made, for `sweep`; nowhere where it is left out. */
  readonly journalFile?: string
  /** Completes when the run is to end early. */
  readonly stop?: Effect.Effect<void>
}

const idLength = 6

/** A run's id: lower-case letters and digits. */
export const newRunId = Effect.map(Random.nextIntBetween(36 ** (idLength - 1), 36 ** idLength), (number) =>
  number.toString(36)
)

/**
 * Judges a deployment over its sockets and tells everything as it goes, redacted; the last event is `run-ended`. Fails
 * with `SecretsMissing` before anything is sent.
 */
export const judge = (options: Options) =>
  Stream.callback<Event, Effect.Error<ReturnType<typeof secretsOf>>>((queue) =>
    Effect.gen(function* () {
      const { ca, environment, only, profile } = options
      const secrets = yield* secretsOf(profile, environment)
      yield* Redaction.knowProfile(profile, secrets)
      const redaction = yield* Redaction.Redaction
      yield* run({
        run: options.run ?? (yield* newRunId),
        profile,
        secrets,
        walks,
        exchangeRules,
        ...(only === undefined ? {} : { only }),
        stop: options.stop ?? Effect.never,
        emit: (event) => Effect.flatMap(redaction.event(event), (told) => Queue.offer(queue, told)),
        learn: redaction.know
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            NodeReceiver.layer(profile.receiver),
            NodeWire.layer({
              ...(ca === undefined ? {} : { ca }),
              resolve: profile.resolve ?? {},
              secondsPerCall: limitsOf(profile).secondsPerCall
            }),
            options.journalFile === undefined ? Journal.layerMemory() : Journal.layerFile(options.journalFile)
          )
        )
      )
      yield* Queue.end(queue)
    }).pipe(Effect.provide(Redaction.layer))
  )

/**
 * The same for those who do not use Effect: `for await (const event of conformance({ profile, environment }))`.
 *
 * @public
 */
export const conformance = (options: Options): AsyncIterable<Event> => Stream.toAsyncIterable(judge(options))
