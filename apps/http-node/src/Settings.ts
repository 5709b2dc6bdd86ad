import { Context, Effect, Layer } from "effect"
import type { StartRefused } from "./StartRefused.ts"
import * as Audit from "./settings/Audit.ts"
import * as FirstRun from "./settings/FirstRun.ts"
import * as Limits from "./settings/Limits.ts"
import * as Listening from "./settings/Listening.ts"
import * as Log from "./settings/Log.ts"
import * as Store from "./settings/Store.ts"
import * as Telemetry from "./settings/Telemetry.ts"
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
    Log.LogSettings &
    Telemetry.TelemetrySettings
>()("@wcs/http-node/Settings") {}

/** The parts, in the order of the table in README.md. */
const parts = [Store, Listening, Limits, Webhooks, Verification, Audit, FirstRun, Log, Telemetry] as const

/**
 * The rows of the table in README.md. A test compares them.
 *
 * @public
 */
export const documentation = parts.flatMap(
  ({ variables }): ReadonlyArray<Pick<Variable<unknown>, "name" | "must" | "standard" | "meaning">> =>
    Object.values(variables)
)

/** Reads and checks all settings. Fails at the first invalid variable with a message that names the variable. */
export const make = Effect.gen(function* () {
  return Settings.of({
    ...(yield* Listening.read),
    ...(yield* Store.read),
    ...(yield* Limits.read),
    ...(yield* Webhooks.read),
    ...(yield* Verification.read),
    ...(yield* Audit.read),
    ...(yield* FirstRun.read),
    ...(yield* Log.read),
    ...(yield* Telemetry.read)
  })
})

export const layer: Layer.Layer<Settings, StartRefused> = Layer.effect(Settings, make)
