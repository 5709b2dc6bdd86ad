import type { Stored } from "@wcs/domain/resource/Resource"
import type { ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import { statusOf } from "@wcs/domain/screening/KeptCompliance"
import { createdAtOf, idAt } from "./Ids.ts"
import type { FilledRow } from "./PostgresFill.ts"

/** The number of checks. Each asks for the card that workers of a data set hold. */
export const judgedChecks = 10

const checkAt = (n: number): Stored<ComplianceCheckFields> => ({
  id: `check-${n}`,
  version: 1,
  createdAt: createdAtOf(n),
  updatedAt: createdAtOf(n),
  deletedAt: null,
  fields: {
    code: `check-${n}`,
    displayName: `Check ${n}`,
    severity: "WARNING",
    enabled: true,
    requirement: { credentialTypes: ["WWCC_NSW"], mode: "ALL", exemptionsCount: false }
  }
})

const judgement = (isCleared: boolean) =>
  isCleared
    ? ({ result: "PASS", missingCredentialTypes: [], reviews: [], failingCredentials: [], bans: [] } as const)
    : ({ result: "FAIL", missingCredentialTypes: ["WWCC_NSW"], reviews: [], failingCredentials: [], bans: [] } as const)

/** The checks, and what an evaluation gives: workers with a card pass, and the newest have none. */
export const judgedRows = (
  tenantId: string,
  { credentials, workers }: { readonly credentials: number; readonly workers: number }
) => {
  const checks = Array.from({ length: judgedChecks }, (_, n) => checkAt(n))
  const statuses = [true, false].map((isCleared) =>
    statusOf(
      { checks, generation: judgedChecks },
      { judge: () => judgement(isCleared), bans: [], beyond: [], through: "2099-03-01" }
    )
  )
  const statusAt = (n: number) => statuses[n < credentials ? 0 : 1]
  const results = new Map(
    Array.from({ length: workers }, (_, n) => [idAt("worker", n), statusAt(n)?.result ?? ""] as const)
  )
  return {
    checks,
    ofWorker: ({ id }: { readonly id: string }): FilledRow => ({ compliance: results.get(id) ?? "" }),
    failures: function* (): Generator<FilledRow> {
      for (let n = credentials; n < workers; n++) {
        for (const { id } of checks) yield { tenant_id: tenantId, check_id: id, worker_id: idAt("worker", n) }
      }
    },
    statuses: function* (): Generator<FilledRow> {
      for (let n = 0; n < workers; n++) {
        const { generation: _g, rulesVersion: _r, through, ...document } = statusAt(n) ?? {}
        yield {
          ...{ tenant_id: tenantId, worker_id: idAt("worker", n), version: 1, rules_version: rulesVersion },
          ...{ generation: judgedChecks, through: through ?? "", document: JSON.stringify(document) }
        }
      }
    }
  }
}
