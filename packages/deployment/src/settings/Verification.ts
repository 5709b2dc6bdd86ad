import { sourceQuestionsMax } from "@wcs/domain/access/RateLimitTier"
import { isId } from "@wcs/domain/shared/Id"
import * as GatewayUrl from "@wcs/register/GatewayUrl"
import { defaultOptions, type HttpRegisterOptions } from "@wcs/register/HttpRegisterOptions"
import { Effect, Option } from "effect"
import {
  consistent,
  duration,
  durations,
  durationsRange,
  filePath,
  oneOf,
  optional,
  required,
  wholeNumber
} from "./Variable.ts"

/** The register that verifies credentials (DECISIONS.md#verification). */
export type RegisterSettings =
  | { readonly _tag: "Reference" }
  | ({
      readonly _tag: "Gateway"
      readonly url: GatewayUrl.GatewayUrl
      /** The user name, if the secret is a password. */
      readonly user: Option.Option<string>
      readonly secretFile: Option.Option<string>
      /** The tenant whose accounts the gateway has at registers that answer only accounts of an employer. */
      readonly accountsOf: Option.Option<string>
      /** The maximum number of queries per minute of all tenants together. */
      readonly callsPerMinute: Option.Option<number>
    } & Pick<HttpRegisterOptions, "timeoutMillis" | "totalMillis" | "tries" | "concurrency">)

/** The settings of verification. */
export interface VerificationSettings {
  readonly verifications: {
    readonly timeoutMillis: number
    readonly retryDelaysMillis: ReadonlyArray<number>
  }
  readonly register: RegisterSettings
}

const upToAMinute = (text: string) => Option.filter(duration(text), (millis) => millis >= 1 && millis <= 60_000)

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  verifyTimeout: {
    name: "WCS_VERIFY_TIMEOUT",
    must: "a time of at most 30s, such as 500ms or 5s",
    standard: "5s",
    meaning: "Timeout of a verify call. After it, the call returns and the verdict follows as an event.",
    read: (text: string) => Option.filter(duration(text), (millis) => millis <= 30_000)
  },
  verifyRetries: {
    name: "WCS_VERIFY_RETRIES",
    must: durationsRange,
    standard: "10s,1m,5m,30m",
    meaning: "Delays before the register is asked again, one per retry. If the last retry fails, verification fails.",
    read: durations
  },
  register: {
    name: "WCS_REGISTER",
    must: "reference or http",
    standard: "reference",
    meaning:
      "Register for verifications. `reference`: made-up registers with made-up cards, for development. `http`: calls your gateway.",
    read: oneOf("reference", "http")
  },
  registerUrl: {
    name: "WCS_REGISTER_URL",
    must: "an https URL without user, query and fragment, or an http URL of this machine",
    standard: "",
    meaning: "With `http`: URL of the gateway.",
    read: GatewayUrl.fromText,
    isSecret: true
  },
  registerUrlFile: {
    name: "WCS_REGISTER_URL_FILE",
    ...filePath,
    standard: "",
    meaning: "File with the value of `WCS_REGISTER_URL`. Replaces `WCS_REGISTER_URL`."
  },
  registerUser: {
    name: "WCS_REGISTER_USER",
    must: "1 to 200 visible ASCII characters other than a colon",
    standard: "",
    meaning: "With `http`: user name for password authentication. Omit it for token authentication.",
    read: (text: string) => Option.filter(Option.some(text), (user) => /^[!-9;-~]{1,200}$/.test(user))
  },
  registerSecretFile: {
    name: "WCS_REGISTER_SECRET_FILE",
    ...filePath,
    standard: "",
    meaning:
      "With `http`: file with the token or password. Must be [private](#secret-files). Without it, requests have no credentials."
  },
  registerAccountsOf: {
    name: "WCS_REGISTER_ACCOUNTS_OF",
    must: "the id of a tenant: tnt_ and 16 letters or digits",
    standard: "",
    meaning:
      "With `http`: id of the tenant whose accounts the gateway has at registers that answer only accounts of an employer (NSW, SA, NDIS). Other tenants need a source of their own there (`/verification-sources`).",
    read: (text: string) => Option.filter(Option.some(text), (id) => isId("tenant", id))
  },
  registerCallsPerMinute: {
    name: "WCS_REGISTER_CALLS_PER_MINUTE",
    ...wholeNumber(1, sourceQuestionsMax),
    standard: "",
    meaning:
      "With `http`: maximum queries per minute of all tenants without a source of their own. Without it there is no limit per minute."
  },
  registerTimeout: {
    name: "WCS_REGISTER_TIMEOUT",
    must: "a time from 1ms to 60s, such as 500ms or 4s",
    standard: `${defaultOptions.timeoutMillis / 1000}s`,
    meaning: "With `http`: timeout of one attempt.",
    read: upToAMinute
  },
  registerTotalTimeout: {
    name: "WCS_REGISTER_TOTAL_TIMEOUT",
    must: "a time from 1ms to 60s, such as 500ms or 4s",
    standard: `${defaultOptions.totalMillis / 1000}s`,
    meaning: "With `http`: timeout of one query with all its attempts and back-off.",
    read: upToAMinute
  },
  registerTries: {
    name: "WCS_REGISTER_TRIES",
    ...wholeNumber(1, 10),
    standard: String(defaultOptions.tries),
    meaning: "With `http`: maximum attempts per query. Use 1 if the register charges for each attempt."
  },
  registerConcurrency: {
    name: "WCS_REGISTER_CONCURRENCY",
    ...wholeNumber(1, 1000),
    standard: String(defaultOptions.concurrency),
    meaning:
      "With `http`: maximum requests in flight per process. Each credential type can use a quarter of them, at least one."
  }
} as const

const readRegister = Effect.gen(function* () {
  const choice = yield* required(variables.register)
  const url = yield* optional(variables.registerUrl)
  const user = yield* optional(variables.registerUser)
  const secretFile = yield* optional(variables.registerSecretFile)
  const accountsOf = yield* optional(variables.registerAccountsOf)
  const callsPerMinute = yield* optional(variables.registerCallsPerMinute)
  const timeoutMillis = yield* required(variables.registerTimeout)
  const totalMillis = yield* required(variables.registerTotalTimeout)
  const tries = yield* required(variables.registerTries)
  const concurrency = yield* required(variables.registerConcurrency)
  const isHttp = choice === "http"
  yield* consistent([
    !isHttp &&
      [url, user, secretFile, accountsOf, callsPerMinute].some((value) => Option.isSome<unknown>(value)) &&
      "WCS_REGISTER must be http when WCS_REGISTER_URL, WCS_REGISTER_USER, WCS_REGISTER_SECRET_FILE, WCS_REGISTER_ACCOUNTS_OF or WCS_REGISTER_CALLS_PER_MINUTE is set.",
    isHttp && Option.isNone(url) && "WCS_REGISTER_URL must be set when WCS_REGISTER is http.",
    isHttp &&
      Option.isSome(user) &&
      Option.isNone(secretFile) &&
      "WCS_REGISTER_SECRET_FILE must be set when WCS_REGISTER_USER is set.",
    isHttp && totalMillis < timeoutMillis && "WCS_REGISTER_TOTAL_TIMEOUT must not be shorter than WCS_REGISTER_TIMEOUT."
  ])
  if (!isHttp || Option.isNone(url)) return { _tag: "Reference" } satisfies RegisterSettings
  const limits = { timeoutMillis, totalMillis, tries, concurrency }
  return {
    _tag: "Gateway",
    url: url.value,
    user,
    secretFile,
    accountsOf,
    callsPerMinute,
    ...limits
  } satisfies RegisterSettings
})

export const read = Effect.gen(function* () {
  return {
    verifications: {
      timeoutMillis: yield* required(variables.verifyTimeout),
      retryDelaysMillis: yield* required(variables.verifyRetries)
    },
    register: yield* readRegister
  } satisfies VerificationSettings
})
