import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Register, type RegisterDetail, RegisterFailed, type RegisterFault } from "@wcs/domain/verification/Register"
import { Clock, Effect, Layer } from "effect"

/** The answer to identifiers that end in these two digits. */
export interface Simulated {
  /** The last two digits. */
  readonly digits: string
  readonly says: RegisterDetail | RegisterFault
  /** The expiry date in days from today; null for none. */
  readonly expiresInDays: number | null
  /** The latency; the default of the deployment when missing. */
  readonly latencyMillis?: number
}

/** The answer to identifiers without digits, or with digits that are not in the table. */
export const usual = { says: "VALID", expiresInDays: 730 } as const satisfies Omit<Simulated, "digits">

const row = (
  digits: string,
  says: Simulated["says"],
  expiresInDays: number | null = null,
  latencyMillis?: number
): Simulated => ({ digits, says, expiresInDays, ...(latencyMillis === undefined ? {} : { latencyMillis }) })

/** The table that README.md shows. */
export const simulated: ReadonlyArray<Simulated> = [
  row("01", "VALID"),
  row("02", "VALID_EXPIRING", 30),
  row("03", "VALID", 0),
  row("04", "VALID", -1),
  row("10", "EXPIRED", -30),
  row("11", "SUSPENDED", 365),
  row("12", "CANCELLED"),
  row("13", "REVOKED"),
  row("14", "SURRENDERED"),
  row("15", "BARRED"),
  row("16", "INTERIM_BARRED"),
  row("17", "NEGATIVE_NOTICE"),
  row("18", "EXCLUDED"),
  row("19", "WITHDRAWN"),
  row("20", "NOT_FOUND"),
  row("21", "NAME_MISMATCH"),
  row("22", "DETAILS_MISMATCH"),
  row("30", "APPLICATION_IN_PROGRESS"),
  row("31", "CONDITIONAL", 365),
  row("32", "VOLUNTEER_ONLY", 365),
  row("33", "POSSIBLE_MATCH"),
  row("34", "MANUAL_REVIEW_REQUIRED"),
  row("40", "SOURCE_UNAVAILABLE"),
  row("41", "SOURCE_TIMEOUT", null, 1000),
  row("42", "INTERNAL_ERROR"),
  row("43", "SOURCE_UNAVAILABLE", null, 6000),
  row("50", "VALID", 730, 0),
  row("51", "VALID", 730, 50),
  row("52", "VALID", 730, 1000),
  row("53", "VALID", 730, 6000),
  row("54", "BARRED", null, 6000)
]

const byDigits = new Map(simulated.map((one) => [one.digits, one]))

/** The last two digits of an identifier, padded with a 0. */
const lastDigits = (identifier: string): string => identifier.replace(/\D/g, "").slice(-2).padStart(2, "0")

/** The answer to an identifier. */
export const simulatedFor = (identifier: string | null): Omit<Simulated, "digits"> =>
  byDigits.get(lastDigits(identifier ?? "")) ?? usual

export interface SimulatorOptions {
  /** The default latency. */
  readonly latencyMillis: number
}

export const defaultOptions: SimulatorOptions = { latencyMillis: 10 }

const isFault = (says: Simulated["says"]): says is RegisterFault =>
  says === "SOURCE_UNAVAILABLE" || says === "SOURCE_TIMEOUT" || says === "INTERNAL_ERROR"

/**
 * A register for development and tests. The answer depends only on the identifier, so the same query always has the
 * same answer, faults included.
 */
export const make = ({ latencyMillis }: SimulatorOptions = defaultOptions): Register["Service"] =>
  Register.of({
    ask: Effect.fn("Simulator.ask")(function* ({ identifier }) {
      const { says, expiresInDays, latencyMillis: ownLatencyMillis } = simulatedFor(identifier)
      yield* Effect.sleep(ownLatencyMillis ?? latencyMillis)
      if (isFault(says)) {
        return yield* new RegisterFailed({ fault: says, isTransient: says !== "INTERNAL_ERROR", detail: "simulated" })
      }
      const today = dayAt(yield* Clock.currentTimeMillis, defaultTimeZone)
      const expiryDate = expiresInDays === null ? null : dayAfter(today, expiresInDays)
      return { _tag: "Found", statusDetail: says, expiryDate } as const
    })
  })

/** @public */
export const layer = (options?: SimulatorOptions): Layer.Layer<Register> => Layer.succeed(Register, make(options))
