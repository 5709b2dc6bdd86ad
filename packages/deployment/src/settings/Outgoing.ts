import { Effect, type Option } from "effect"
import { optional, path } from "./Variable.ts"

/** The settings of all outgoing connections. */
export interface OutgoingSettings {
  /** A PEM file with the certificates of further authorities. */
  readonly authoritiesFile: Option.Option<string>
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  authoritiesFile: {
    name: "WCS_CA_FILE",
    must: "the path of a PEM file",
    standard: "",
    meaning:
      "Certificates of further authorities that all outgoing connections trust: to webhook receivers, register, OpenID providers, collector and database. Default: only the authorities that Node trusts, and those of `NODE_EXTRA_CA_CERTS`.",
    read: path
  }
} as const

export const read = Effect.gen(function* () {
  return { authoritiesFile: yield* optional(variables.authoritiesFile) } satisfies OutgoingSettings
})
