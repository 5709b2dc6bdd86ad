import { Schema } from "effect"
import * as CredentialType from "../holding/CredentialType.ts"
import type { Resource } from "../resource/Resource.ts"
import { Code } from "../shared/Id.ts"
import { line } from "../shared/Text.ts"

const severities = ["CRITICAL", "WARNING", "INFO"] as const

export const ComplianceCheckFields = Schema.Struct({
  code: Code.annotateKey({
    description: "The caller's name for the check, equal to `id`. It cannot change. A deleted check keeps its code."
  }),
  displayName: line(200).annotateKey({ description: "Name for people. Lists search and sort by it." }),
  description: Schema.optionalKey(line(2000)).annotateKey({ description: "Explanation for people. Absent if none." }),
  severity: Schema.Literals(severities).annotate({
    description: "How serious a FAIL is, for people and filters; WARNING by default. Results do not depend on it."
  }),
  enabled: Schema.Boolean.annotate({
    description: "Whether the check can be evaluated; true by default. The evaluation of a disabled check is 422."
  }),
  requirement: Schema.Struct({
    credentialTypes: CredentialType.Codes.check(
      Schema.isMinLength(1, { message: "must have at least one type" })
    ).annotateKey({ description: "Codes of the credential types that a worker needs." }),
    mode: Schema.Literals(["ANY", "ALL"]).annotate({
      description: "ALL: a worker needs every type. ANY: one type is enough. ALL by default."
    }),
    exemptionsCount: Schema.Boolean.annotate({
      description:
        "true: an exemption in force replaces the credential, and evaluation needs exemption READ. false by default."
    })
  }).annotate({ description: "The credentials that pass the check." })
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
    query: { by: "words" }
  },
  searched: { names: [["displayName"]], ids: [["code"]] },
  sorts: { displayName: "display_name" }
} as const satisfies Resource<ComplianceCheckFields>
