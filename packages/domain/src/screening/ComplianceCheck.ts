import { Schema } from "effect"
import * as CredentialType from "../credential/CredentialType.ts"
import type { Resource } from "../resource/Resource.ts"
import { Code } from "../shared/Id.ts"
import { line } from "../shared/Text.ts"

const severities = ["CRITICAL", "WARNING", "INFO"] as const

export const ComplianceCheckFields = Schema.Struct({
  code: Code,
  displayName: line(200),
  description: Schema.optionalKey(line(2000)),
  severity: Schema.Literals(severities),
  enabled: Schema.Boolean,
  requirement: Schema.Struct({
    credentialTypes: CredentialType.Codes.check(Schema.isMinLength(1, { message: "must have at least one type" })),
    mode: Schema.Literals(["ANY", "ALL"]),
    exemptionsCount: Schema.Boolean
  })
})
export type ComplianceCheckFields = typeof ComplianceCheckFields.Type

/** Credentials that every worker needs, and the severity of lacking them (DECISIONS.md#fields). */
export const ComplianceCheck = {
  type: "complianceCheck",
  naming: { by: "code", path: ["code"] },
  collection: "compliance-checks",
  fields: ComplianceCheckFields,
  computed: [],
  fixed: [{ path: ["code"] }],
  defaults: [
    { path: ["severity"], value: "WARNING" },
    { path: ["enabled"], value: true },
    { path: ["requirement", "mode"], value: "ALL" },
    { path: ["requirement", "exemptionsCount"], value: false }
  ],
  links: [],
  verbatim: {},
  columns: {
    display_name: { path: ["displayName"], folded: true },
    severity: { path: ["severity"] },
    enabled: { path: ["enabled"] }
  },
  filters: {
    severity: { by: "equal", column: "severity", among: severities },
    enabled: { by: "equal", column: "enabled", among: ["true", "false"] },
    query: { by: "prefix", columns: ["display_name"] }
  },
  sorts: { displayName: "display_name" }
} as const satisfies Resource<ComplianceCheckFields>
