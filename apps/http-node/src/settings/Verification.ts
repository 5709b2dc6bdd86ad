import * as GatewayUrl from "@wcs/register/GatewayUrl"
import * as HttpRegister from "@wcs/register/HttpRegister"
import { Effect, Option } from "effect"
import {
  contradiction,
  duration,
  durations,
  durationsRange,
  integer,
  oneOf,
  optional,
  path,
  required
} from "./Variable.ts"

/** What credentials are verified against (DECISIONS.md#verification). */
export type RegisterSettings =
  | { readonly _tag: "Simulator" }
  | ({
      readonly _tag: "Gateway"
      readonly url: GatewayUrl.GatewayUrl
      /** Who asks, where the secret is a password; a token needs no name. */
      readonly user: Option.Option<string>
      readonly secretFile: Option.Option<string>
    } & Pick<HttpRegister.HttpRegisterOptions, "timeoutMillis" | "totalMillis" | "tries" | "concurrency">)

/** How credentials are verified. */
export interface VerificationSettings {
  readonly verifications: {
    readonly patienceMillis: number
    readonly retryDelaysMillis: ReadonlyArray<number>
  }
  readonly register: RegisterSettings
}

const upToAMinute = (text: string) => Option.filter(duration(text), (millis) => millis >= 1 && millis <= 60_000)

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  verifyPatience: {
    name: "WCS_VERIFY_PATIENCE",
    must: "a time of at most 30s, such as 500ms or 5s",
    standard: "5s",
    meaning: "How long verify waits for the register before it answers that the verdict is awaited.",
    read: (text: string) => Option.filter(duration(text), (millis) => millis <= 30_000)
  },
  verifyRetries: {
    name: "WCS_VERIFY_RETRIES",
    must: durationsRange,
    standard: "10s,1m,5m,30m",
    meaning:
      "How long after each failed attempt a register is asked again; after the last of them there is no verdict.",
    read: durations
  },
  register: {
    name: "WCS_REGISTER",
    must: "simulator or http",
    standard: "simulator",
    meaning:
      "What credentials are verified against: `simulator` answers by the identifier's last two digits, for development; `http` asks a gateway of yours.",
    read: oneOf("simulator", "http")
  },
  registerUrl: {
    name: "WCS_REGISTER_URL",
    must: "an https URL without user, query and fragment, or an http one that leads to this machine",
    standard: "",
    meaning: "With `http`: where the gateway is asked.",
    read: GatewayUrl.fromText,
    isSecret: true
  },
  registerUser: {
    name: "WCS_REGISTER_USER",
    must: "1 to 200 visible ASCII characters other than a colon",
    standard: "",
    meaning: "With `http`: the user, where the gateway wants one and a password; left out where it wants a token.",
    read: (text: string) => Option.filter(Option.some(text), (user) => /^[!-9;-~]{1,200}$/.test(user))
  },
  registerSecretFile: {
    name: "WCS_REGISTER_SECRET_FILE",
    must: "the path of a file",
    standard: "",
    meaning:
      "With `http`: the file of the token, or of the user's password; no other user may be able to read it. Without it questions name nobody who asks.",
    read: path
  },
  registerTimeout: {
    name: "WCS_REGISTER_TIMEOUT",
    must: "a time from 1ms to 60s, such as 500ms or 4s",
    standard: `${HttpRegister.defaultOptions.timeoutMillis / 1000}s`,
    meaning: "With `http`: how long one try may take.",
    read: upToAMinute
  },
  registerTotalTimeout: {
    name: "WCS_REGISTER_TOTAL_TIMEOUT",
    must: "a time from 1ms to 60s, such as 500ms or 4s",
    standard: `${HttpRegister.defaultOptions.totalMillis / 1000}s`,
    meaning: "With `http`: how long all tries of a question may take, waits between them included.",
    read: upToAMinute
  },
  registerTries: {
    name: "WCS_REGISTER_TRIES",
    must: "a whole number from 1 to 10",
    standard: String(HttpRegister.defaultOptions.tries),
    meaning: "With `http`: how often a question is sent at most; 1 where the register counts them.",
    read: integer(1, 10)
  },
  registerConcurrency: {
    name: "WCS_REGISTER_CONCURRENCY",
    must: "a whole number from 1 to 1000",
    standard: String(HttpRegister.defaultOptions.concurrency),
    meaning:
      "With `http`: how many questions a process has on their way at the same time, of one kind of credential a quarter of them, at least one.",
    read: integer(1, 1000)
  }
} as const

const readRegister = Effect.gen(function* () {
  const choice = yield* required(variables.register)
  const url = yield* optional(variables.registerUrl)
  const user = yield* optional(variables.registerUser)
  const secretFile = yield* optional(variables.registerSecretFile)
  const timeoutMillis = yield* required(variables.registerTimeout)
  const totalMillis = yield* required(variables.registerTotalTimeout)
  const tries = yield* required(variables.registerTries)
  const concurrency = yield* required(variables.registerConcurrency)
  if (choice === "simulator") {
    return Option.isSome(url) || Option.isSome(user) || Option.isSome(secretFile)
      ? yield* contradiction(
          "WCS_REGISTER must be http where WCS_REGISTER_URL, WCS_REGISTER_USER or WCS_REGISTER_SECRET_FILE is given."
        )
      : ({ _tag: "Simulator" } satisfies RegisterSettings)
  }
  if (Option.isNone(url)) return yield* contradiction("WCS_REGISTER_URL must be given where WCS_REGISTER is http.")
  if (Option.isSome(user) && Option.isNone(secretFile)) {
    return yield* contradiction("WCS_REGISTER_SECRET_FILE must be given where WCS_REGISTER_USER is.")
  }
  if (totalMillis < timeoutMillis) {
    return yield* contradiction("WCS_REGISTER_TOTAL_TIMEOUT must be no shorter than WCS_REGISTER_TIMEOUT.")
  }
  const limits = { timeoutMillis, totalMillis, tries, concurrency }
  return { _tag: "Gateway", url: url.value, user, secretFile, ...limits } satisfies RegisterSettings
})

export const read = Effect.gen(function* () {
  return {
    verifications: {
      patienceMillis: yield* required(variables.verifyPatience),
      retryDelaysMillis: yield* required(variables.verifyRetries)
    },
    register: yield* readRegister
  } satisfies VerificationSettings
})
