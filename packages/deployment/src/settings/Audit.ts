import { AuditSettings } from "@wcs/domain/audit/AuditSeal"
import { Effect } from "effect"
import { required, wholeNumber } from "./Variable.ts"

/** The settings of the audit log. */
export interface AuditLogSettings {
  readonly audit: { readonly sealMillis: number }
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  sealSeconds: {
    name: "WCS_AUDIT_SEAL_SECONDS",
    ...wholeNumber(1, 3600),
    standard: String(AuditSettings.defaultValue().sealMillis / 1000),
    meaning:
      "Seconds between two rounds that seal new entries of the audit log. `wcs audit verify` finds tampering with sealed entries."
  }
} as const

export const read = Effect.map(
  required(variables.sealSeconds),
  (seconds): AuditLogSettings => ({ audit: { sealMillis: seconds * 1000 } })
)
