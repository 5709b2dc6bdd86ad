import { StartRefused } from "@wcs/node-server/StartRefused"
import { ConfigProvider, Context, Effect, Layer, Result } from "effect"
import * as Audit from "./settings/Audit.ts"
import * as FirstRun from "./settings/FirstRun.ts"
import * as Limits from "./settings/Limits.ts"
import * as Listening from "./settings/Listening.ts"
import * as Log from "./settings/Log.ts"
import * as Messages from "./settings/Messages.ts"
import * as Outgoing from "./settings/Outgoing.ts"
import * as Sources from "./settings/Sources.ts"
import * as Store from "./settings/Store.ts"
import * as Telemetry from "./settings/Telemetry.ts"
import { optional, type Variable } from "./settings/Variable.ts"
import * as Verification from "./settings/Verification.ts"
import * as Watching from "./settings/Watching.ts"
import * as Webhooks from "./settings/Webhooks.ts"

/** All settings, read once at start. */
export class Settings extends Context.Service<
  Settings,
  Store.StoreSettings &
    Listening.ListenSettings &
    Limits.LimitSettings &
    Outgoing.OutgoingSettings &
    Webhooks.WebhooksSettings &
    Verification.VerificationSettings &
    Watching.WatchSettings &
    Messages.MessageSettings &
    Audit.AuditLogSettings &
    FirstRun.FirstRunSettings &
    Log.LogSettings &
    Telemetry.TelemetrySettings
>()("@wcs/deployment/Settings") {}

/** The parts, in the order of the table in README.md. */
const parts = [
  Store,
  Listening,
  Limits,
  Outgoing,
  Webhooks,
  Verification,
  Watching,
  Messages,
  Audit,
  FirstRun,
  Log,
  Telemetry
] as const

/** All variables: the rows of the table in README.md. A test compares them. */
export const documentation = parts.flatMap(
  ({ variables }): ReadonlyArray<Variable<unknown>> => Object.values(variables)
)

/** Reads settings from these texts. */
const given = <A>(read: Effect.Effect<A, StartRefused>, texts: Sources.Sources["texts"]) =>
  Effect.provideService(read, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(texts))

/** Reads and checks the settings of these texts. Fails at the first invalid variable. */
const parse = (texts: Sources.Sources["texts"]) =>
  given(
    Effect.gen(function* () {
      return Settings.of({
        ...(yield* Listening.read),
        ...(yield* Store.read),
        ...(yield* Limits.read),
        ...(yield* Outgoing.read),
        ...(yield* Webhooks.read),
        ...(yield* Verification.read),
        ...(yield* Watching.read),
        ...(yield* Messages.read),
        ...(yield* Audit.read),
        ...(yield* FirstRun.read),
        ...(yield* Log.read),
        ...(yield* Telemetry.read)
      })
    }),
    texts
  )

/**
 * Reads and checks all settings, from the environment and from files. Fails at the first mistake with a message that
 * names the variable.
 */
export const make = Effect.gen(function* () {
  const { mistakes, texts } = yield* Sources.collect(documentation)
  const [mistake] = mistakes
  return mistake === undefined ? yield* parse(texts) : yield* new StartRefused({ message: mistake.message })
})

/** The mistakes of the settings, and the settings with defaults in their place. */
export interface Examination {
  readonly mistakes: ReadonlyArray<string>
  /** The variables that count as absent, because they are invalid or contradict others. */
  readonly ignored: ReadonlySet<string>
  readonly settings: Settings["Service"]
}

/** The variables that a message names. */
const namesIn = (message: string): ReadonlyArray<string> => message.match(/\b(?:WCS_[A-Z_]+|DATABASE_URL)\b/g) ?? []

/** Finds all mistakes at once. Defaults replace invalid values, so that the other settings can be checked. */
export const examine: Effect.Effect<Examination> = Effect.gen(function* () {
  const { mistakes: ofSources, texts } = yield* Sources.collect(documentation)
  const mistakes = ofSources.map(({ message }) => message)
  const ignored = new Set(ofSources.flatMap(({ names }) => names))
  const rest = () => Object.fromEntries(Object.entries(texts).filter(([name]) => !ignored.has(name)))
  const refusalsOf = <A>(read: Effect.Effect<A, StartRefused>) =>
    Effect.map(Effect.result(given(read, rest())), (read) =>
      Result.isFailure(read) ? [read.failure.message, ...(read.failure.others ?? [])] : []
    )
  for (const variable of documentation) {
    const found = yield* refusalsOf(optional(variable))
    if (found.length > 0) ignored.add(variable.name)
    mistakes.push(...found)
  }
  const invalid = new Set(ignored)
  for (const part of parts) {
    const read: Effect.Effect<unknown, StartRefused> = part.read
    let found = yield* refusalsOf(read)
    // A variable without its invalid counterpart contradicts nothing.
    mistakes.push(...found.filter((message) => !namesIn(message).some((name) => invalid.has(name))))
    while (found.length > 0) {
      const named = found.flatMap(namesIn).filter((name) => !ignored.has(name))
      const names = named.length > 0 ? named : Object.values(part.variables).map(({ name }) => name)
      for (const name of names) ignored.add(name)
      found = yield* refusalsOf(read)
    }
  }
  return { mistakes, ignored, settings: yield* Effect.orDie(parse(rest())) }
})

export const layer = Layer.effect(Settings, make)
