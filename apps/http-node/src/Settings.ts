import { ConfigProvider, Context, Effect, Layer } from "effect"
import { StartRefused } from "./StartRefused.ts"
import * as Audit from "./settings/Audit.ts"
import * as FirstRun from "./settings/FirstRun.ts"
import * as Limits from "./settings/Limits.ts"
import * as Listening from "./settings/Listening.ts"
import * as Log from "./settings/Log.ts"
import * as Sources from "./settings/Sources.ts"
import * as Store from "./settings/Store.ts"
import type { Variable } from "./settings/Variable.ts"
import * as Verification from "./settings/Verification.ts"
import * as Webhooks from "./settings/Webhooks.ts"

/** All settings, read once at start. */
export class Settings extends Context.Service<
  Settings,
  Store.StoreSettings &
    Listening.ListenSettings &
    Limits.LimitSettings &
    Webhooks.WebhooksSettings &
    Verification.VerificationSettings &
    Audit.AuditLogSettings &
    FirstRun.FirstRunSettings &
    Log.LogSettings
>()("@wcs/http-node/Settings") {}

/** The parts, in the order of the table in README.md. */
const parts = [Store, Listening, Limits, Webhooks, Verification, Audit, FirstRun, Log] as const

/** All variables. */
export const variables = parts.flatMap(({ variables }): ReadonlyArray<Variable<unknown>> => Object.values(variables))

/**
 * The rows of the table in README.md. A test compares them.
 *
 * @public
 */
export const documentation: ReadonlyArray<Pick<Variable<unknown>, "name" | "must" | "standard" | "meaning">> = variables

/** Reads and checks the settings of these texts. Fails at the first invalid variable. */
export const parse = (texts: Sources.Sources["texts"]) =>
  Effect.gen(function* () {
    return Settings.of({
      ...(yield* Listening.read),
      ...(yield* Store.read),
      ...(yield* Limits.read),
      ...(yield* Webhooks.read),
      ...(yield* Verification.read),
      ...(yield* Audit.read),
      ...(yield* FirstRun.read),
      ...(yield* Log.read)
    })
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(texts)))

/**
 * Reads and checks all settings, from the environment and from files. Fails at the first mistake with a message that
 * names the variable.
 */
export const make = Effect.gen(function* () {
  const { mistakes, texts } = yield* Sources.collect(variables)
  const [mistake] = mistakes
  return mistake === undefined ? yield* parse(texts) : yield* new StartRefused({ message: mistake })
})

export const layer: Layer.Layer<Settings, StartRefused> = Layer.effect(Settings, make)
