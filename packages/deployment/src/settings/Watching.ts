import { DefaultSchedule } from "@wcs/domain/schedule/Plan"
import { WarningSettings } from "@wcs/domain/watch/ExpiryWarning"
import { Effect, Option } from "effect"
import { integer, list, required, wholeNumber } from "./Variable.ts"

/** The settings of what the worker watches. */
export interface WatchSettings {
  readonly warnings: (typeof WarningSettings)["Service"]
  readonly defaultSchedule: (typeof DefaultSchedule)["Service"]
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  daysBefore: {
    name: "WCS_WARNING_DAYS",
    must: "a comma-separated list of 1 to 10 whole numbers from 1 to 365, such as 60,30,7",
    standard: WarningSettings.defaultValue().daysBefore.join(","),
    meaning: "Days before the last valid day of a credential on which an event `credential.expiring` is sent.",
    read: (text: string) => Option.filter(list(integer(1, 365))(text), (days) => days.length >= 1 && days.length <= 10)
  },
  repeatDays: {
    name: "WCS_WARNING_REPEAT_DAYS",
    ...wholeNumber(1, 90),
    standard: String(WarningSettings.defaultValue().repeatDays),
    meaning: "Days between two events `credential.expired` of a credential that does not change."
  },
  repeatsMax: {
    name: "WCS_WARNING_REPEATS",
    ...wholeNumber(0, 520),
    standard: String(WarningSettings.defaultValue().repeatsMax),
    meaning: "Maximum number of events `credential.expired` after the first one of a credential that does not change."
  },
  intervalDays: {
    name: "WCS_REGISTER_INTERVAL_DAYS",
    ...wholeNumber(0, 31),
    standard: String(DefaultSchedule.defaultValue().intervalDays),
    meaning:
      "Days until a card is verified again by `WCS_REGISTER`; 0 for never. A verification source has an interval of its own (`/verification-sources`)."
  }
} as const

export const read = Effect.gen(function* () {
  const warnings = {
    daysBefore: yield* required(variables.daysBefore),
    repeatDays: yield* required(variables.repeatDays),
    repeatsMax: yield* required(variables.repeatsMax)
  }
  const defaultSchedule = { intervalDays: yield* required(variables.intervalDays) }
  return { warnings, defaultSchedule } satisfies WatchSettings
})
