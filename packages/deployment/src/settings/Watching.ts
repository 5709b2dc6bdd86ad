import { WarningSettings } from "@wcs/domain/watch/ExpiryWarning"
import { Effect, Option } from "effect"
import { integer, list, required } from "./Variable.ts"

/** The settings of what the worker watches. */
export interface WatchSettings {
  readonly warnings: (typeof WarningSettings)["Service"]
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  daysBefore: {
    name: "WCS_WARNING_DAYS",
    must: "a comma-separated list of 1 to 10 whole numbers from 1 to 365, such as 60,30,7",
    standard: WarningSettings.defaultValue().daysBefore.join(","),
    meaning: "Days before the last valid day of a credential on which an event `credential.expiring` is sent.",
    read: (text: string) => Option.filter(list(integer(1, 365))(text), (days) => days.length >= 1 && days.length <= 10)
  }
} as const

export const read = Effect.map(
  required(variables.daysBefore),
  (daysBefore): WatchSettings => ({ warnings: { ...WarningSettings.defaultValue(), daysBefore } })
)
