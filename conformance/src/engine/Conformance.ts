import { Effect, Layer, Queue, Random, Redacted, Stream } from "effect"
import type { RuleId } from "../catalogue/Catalogue.ts"
import { type Evidence, evidenceVersion } from "../evidence/Evidence.ts"
import * as Journal from "../evidence/Journal.ts"
import * as Redaction from "../evidence/Redaction.ts"
import { limitsOf } from "../profile/Limits.ts"
import type { Profile } from "../profile/Profile.ts"
import { type Secrets, secretsOf } from "../profile/Secrets.ts"
import { exchangeRules, walks } from "../Walks.ts"
import type { Exchange } from "../wire/Exchange.ts"
import * as NodeReceiver from "../wire/NodeReceiver.ts"
import * as NodeWire from "../wire/NodeWire.ts"
import type { Wire } from "../wire/Wire.ts"
import type { Event } from "./Event.ts"
import { run } from "./Run.ts"

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

/** The evidence of what is judged: the profile, with stand-ins for its secrets. */
const profileEvidence = Effect.fnUntraced(function* (profile: Profile, secrets: Secrets) {
  const { standIn } = yield* Redaction.Redaction
  const standIns: Record<string, string> = {}
  for (const [reference, secret] of secrets) {
    standIns[reference.slice(2, -1)] = yield* standIn(Redacted.value(secret))
  }
  const evidence: Evidence = { of: "profile", version: evidenceVersion, profile, standIns }
  return evidence
})

/** What came from outside in an exchange, with stand-ins for its secrets. */
const standingEvidence = ({ answer, kind, number: exchange, request }: Exchange): Evidence => {
  const { body, headers, url } = request
  return kind === "delivery"
    ? { of: "delivery", exchange, url, headers, body }
    : { of: "answer", exchange, headers: answer?.headers ?? {}, text: answer?.text ?? "" }
}

/** Tells events redacted, and of each exchange what judging it again takes beside it. */
const telling = Effect.fnUntraced(function* (offer: (event: Event) => Effect.Effect<unknown>) {
  const redaction = yield* Redaction.Redaction
  return Effect.fnUntraced(function* (event: Event) {
    yield* offer(yield* redaction.event(event))
    if (event.type !== "exchange") return
    const standing = yield* redaction.disguised(event.exchange)
    if (standing !== undefined) yield* offer({ type: "evidence", evidence: standingEvidence(standing) })
  })
})

/**
 * Judges a deployment over whatever wire there is and tells everything as it goes, redacted; the last event is
 * `run-ended`. Fails with `SecretsMissing` before anything is sent.
 */
export const judgeOver = (options: Omit<Options, "ca" | "journalFile">) =>
  Stream.callback<Event, Effect.Error<ReturnType<typeof secretsOf>>, Wire | Journal.Journal>((queue) =>
    Effect.gen(function* () {
      const { environment, only, profile } = options
      const secrets = yield* secretsOf(profile, environment)
      yield* Redaction.knowProfile(profile, secrets)
      const { know } = yield* Redaction.Redaction
      const tell = yield* telling((event) => Queue.offer(queue, event))
      const evidence = yield* profileEvidence(profile, secrets)
      yield* run({
        run: options.run ?? (yield* newRunId),
        profile,
        secrets,
        walks,
        exchangeRules,
        ...(only === undefined ? {} : { only }),
        stop: options.stop ?? Effect.never,
        emit: (event) =>
          event.type === "run-started"
            ? Effect.andThen(tell(event), tell({ type: "evidence", evidence }))
            : tell(event),
        learn: know
      })
      yield* Queue.end(queue)
    }).pipe(Effect.provide(Redaction.layer))
  )

/** Judges a deployment over its sockets. */
export const judge = (options: Options) => {
  const { ca, journalFile, profile } = options
  return judgeOver(options).pipe(
    Stream.provide(
      Layer.mergeAll(
        NodeReceiver.layer(profile.receiver),
        NodeWire.layer({
          ...(ca === undefined ? {} : { ca }),
          resolve: profile.resolve ?? {},
          secondsPerCall: limitsOf(profile).secondsPerCall
        }),
        journalFile === undefined ? Journal.layerMemory() : Journal.layerFile(journalFile)
      )
    )
  )
}

/**
 * The same for those who do not use Effect: `for await (const event of conformance({ profile, environment }))`.
 *
 * @public
 */
export const conformance = (options: Options): AsyncIterable<Event> => Stream.toAsyncIterable(judge(options))
