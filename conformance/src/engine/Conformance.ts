import { Effect, Layer, Queue, Random, Stream } from "effect"
import type { Event } from "../evidence/Event.ts"
import { type Evidence, evidenceVersion } from "../evidence/Evidence.ts"
import * as Journal from "../evidence/Journal.ts"
import type { Walk } from "../judgement/Walk.ts"
import { forwarding } from "../network/Forwarding.ts"
import * as NodeWire from "../network/NodeWire.ts"
import { limitsOf } from "../profile/Limits.ts"
import type { Profile } from "../profile/Profile.ts"
import type { ClientCertificate } from "../profile/ProfileFile.ts"
import { secretsOf } from "../profile/Secrets.ts"
import { exchangeRules, walks } from "../walks/Walks.ts"
import * as Handles from "../wire/Handles.ts"
import * as NodeReceiver from "../wire/NodeReceiver.ts"
import type { Wire } from "../wire/Wire.ts"
import { isAsked, run, specification } from "./Run.ts"
import type { Suite } from "./Suite.ts"

/** The rules of the specification and their walks. */
const ofSpecification: Suite = { ...specification, walks, exchangeRules }

/** The options of a run. */
export interface Options {
  /** Default: the rules of the specification. */
  readonly suite?: Suite
  readonly profile: Profile
  /** The values of the environment variables that the profile names. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** PEM of trusted issuers, in addition to those that Node and the system know. */
  readonly ca?: string | undefined
  readonly clientCertificate?: ClientCertificate | undefined
  /** The selected rules; default: all. */
  readonly only?: ReadonlySet<string>
  /** Whether a walk may run; default: all. */
  readonly among?: (walk: Walk<string>) => boolean
  /** The run's id, part of every name that the run creates; default: random. */
  readonly run?: string
  /** The journal of resources, for `sweep`; default: none. Entries are written before the resource is created. */
  readonly journalFile?: string
  /** Completes when the run has to end early. */
  readonly stop?: Effect.Effect<void>
  /** The longest wait in seconds until the deployment is ready; default: none. */
  readonly secondsToReady?: number
}

const idLength = 6

/** Returns a random run id of lower-case letters and digits. */
export const newRunId = Effect.map(Random.nextIntBetween(36 ** (idLength - 1), 36 ** idLength), (number) =>
  number.toString(36)
)

/**
 * Judges a deployment over the given wire and passes events to `offer`. The last event is `run-ended`. Fails
 * with `SecretsMissing` before it sends anything.
 */
const judgeTo = Effect.fnUntraced(function* (
  options: Omit<Options, "ca" | "clientCertificate" | "journalFile">,
  offer: (event: Event) => Effect.Effect<unknown>
) {
  const { among = () => true, environment, only, profile, suite = ofSpecification } = options
  const handles = Handles.make(profile, yield* secretsOf(profile, environment))
  const evidence: Evidence = { of: "profile", version: evidenceVersion, profile, secrets: handles.ofProfile }
  const selected = only === undefined ? {} : { only }
  yield* run({
    run: options.run ?? (yield* newRunId),
    profile,
    handles,
    suite,
    walks: suite.walks.filter(among),
    exchangeRules: suite.exchangeRules.filter(({ rule }) => isAsked(selected, rule)),
    ...selected,
    secondsToReady: options.secondsToReady ?? 0,
    stop: options.stop ?? Effect.never,
    emit: (event) => {
      if (event.type === "run-started") return Effect.andThen(offer(event), offer({ type: "evidence", evidence }))
      return event.type === "finding" && !isAsked(selected, event.finding.rule) ? Effect.void : offer(event)
    }
  })
})

/** Like `judgeTo`, with a stream of the events. */
export const judgeOver = (options: Omit<Options, "ca" | "clientCertificate" | "journalFile">) =>
  Stream.callback<Event, Effect.Error<ReturnType<typeof judgeTo>>, Wire | Journal.Journal>((queue) =>
    Effect.andThen(
      judgeTo(options, (event) => Queue.offer(queue, event)),
      Queue.end(queue)
    )
  )

/** The proxies of the environment. This machine, and hosts with an address in the profile, are reached directly. */
const proxiesIn = (environment: Options["environment"], direct: ReadonlyArray<string>) => {
  const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY, http_proxy, https_proxy, no_proxy } = environment
  const [plain, secure] = [http_proxy ?? HTTP_PROXY, https_proxy ?? HTTPS_PROXY]
  if (plain === undefined && secure === undefined) return undefined
  const without = [no_proxy ?? NO_PROXY ?? "", "localhost", ".localhost", "127.0.0.1", "::1", ...direct]
  return {
    ...(plain && { HTTP_PROXY: plain }),
    ...(secure && { HTTPS_PROXY: secure }),
    NO_PROXY: without.filter((host) => host !== "").join(",")
  }
}

/** The sockets for a profile, and a journal in a file or in memory. */
export const sockets = ({
  ca,
  clientCertificate,
  environment = process.env,
  journalFile,
  profile
}: {
  readonly ca?: string | undefined
  readonly clientCertificate?: ClientCertificate | undefined
  readonly environment?: Options["environment"]
  readonly journalFile?: string
  readonly profile: Profile
}) =>
  Layer.mergeAll(
    NodeReceiver.layer(profile.receiver),
    NodeWire.layer({
      ...(ca === undefined ? {} : { ca }),
      ...(clientCertificate === undefined ? {} : { clientCertificate }),
      resolve: profile.resolve ?? {},
      proxies: proxiesIn(environment, Object.keys(profile.resolve ?? {})),
      forwarded: forwarding(profile, (text) => environment[/^\$\{(\w+)\}$/.exec(text)?.[1] ?? ""] ?? text),
      secondsPerCall: limitsOf(profile).secondsPerCall
    }),
    journalFile === undefined ? Journal.layerMemory() : Journal.layerFile(journalFile)
  )

/** Judges a deployment over sockets. */
export const judge = (options: Options) => Stream.provide(judgeOver(options), sockets(options))

/** Does the same, and passes each event to `told`. This is faster than a stream. */
export const judgeInto = (options: Options, told: (event: Event) => void) =>
  Effect.provide(
    judgeTo(options, (event) => Effect.sync(() => told(event))),
    sockets(options)
  )

/**
 * Judges a deployment for callers without Effect: `for await (const event of conformance({ profile, environment }))`.
 *
 * @public
 */
export const conformance = (options: Options): AsyncIterable<Event> => Stream.toAsyncIterable(judge(options))
