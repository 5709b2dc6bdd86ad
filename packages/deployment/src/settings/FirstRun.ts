import { isEmail } from "@wcs/domain/access/Account"
import { defaultTimeZone, isTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect, Option } from "effect"
import { consistent, optional, path, required } from "./Variable.ts"

/** The credentials that the first run creates (DECISIONS.md#operation). */
export interface Bootstrap {
  readonly admin: Option.Option<{ readonly email: string; readonly tokenFile: string }>
  readonly clientFile: Option.Option<string>
}

/** The settings of the first run. */
export interface FirstRunSettings {
  readonly tenantTimeZone: string
  readonly bootstrap: Bootstrap
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  tenantTimeZone: {
    name: "WCS_TENANT_TIME_ZONE",
    must: "an IANA name of a time zone",
    standard: defaultTimeZone,
    meaning:
      "First run: time zone of the tenant to create. Its calendar days decide expiry dates and verdicts. Change it later by `wcs admin set-time-zone`.",
    read: (text: string) => Option.filter(Option.some(text), isTimeZone)
  },
  adminEmail: {
    name: "WCS_ADMIN_EMAIL",
    must: "an email address",
    standard: "",
    meaning: "First run: email of the Super Admin to create. Requires `WCS_ADMIN_TOKEN_FILE`.",
    read: (text: string) => Option.filter(Option.some(text.trim()), isEmail)
  },
  adminTokenFile: {
    name: "WCS_ADMIN_TOKEN_FILE",
    must: "the path of a file that does not exist yet",
    standard: "",
    meaning: "First run: file for the personal token of that Super Admin. Created with mode 0600.",
    read: path
  },
  clientFile: {
    name: "WCS_CLIENT_FILE",
    must: "the path of a file that does not exist yet",
    standard: "",
    meaning: 'First run: file for the first OAuth client, `{ "clientId", "clientSecret" }`. Created with mode 0600.',
    read: path
  }
} as const

const readBootstrap = Effect.gen(function* () {
  const email = yield* optional(variables.adminEmail)
  const tokenFile = yield* optional(variables.adminTokenFile)
  yield* consistent([
    Option.isSome(email) !== Option.isSome(tokenFile) &&
      "WCS_ADMIN_EMAIL and WCS_ADMIN_TOKEN_FILE must be set together."
  ])
  const clientFile = yield* optional(variables.clientFile)
  return { admin: Option.all({ email, tokenFile }), clientFile } satisfies Bootstrap
})

export const read = Effect.gen(function* () {
  return {
    tenantTimeZone: yield* required(variables.tenantTimeZone),
    bootstrap: yield* readBootstrap
  } satisfies FirstRunSettings
})
