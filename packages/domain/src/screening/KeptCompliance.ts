import { Schema } from "effect"
import type { EventDraft } from "../event/EventDraft.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"
import type { ComplianceCheckFields } from "./ComplianceCheck.ts"
import { type CountedBan, type Judgement, rulesVersion } from "./ComplianceEvaluation.ts"
import { type Beyond, endless, type Having } from "./WorkerJudgements.ts"

/** The maximum number of enabled checks whose results are kept: the oldest. */
export const keptChecks = 100

/** The results of all enabled checks together. NONE: no check is enabled, or the worker is deleted or has left. */
export const results = ["PASS", "FAIL"] as const
export type CheckResult = (typeof results)[number]
export type KeptResult = CheckResult | "NONE"

/** What changed a status. CHECK: a definition. DAY: a card or an exemption began or ended. RULES: `rulesVersion`. */
export const causes = ["CREDENTIAL", "EXEMPTION", "BAN", "WORKER", "CHECK", "DAY", "RULES"] as const
export const Cause = Schema.Literals(causes)
export type Cause = typeof Cause.Type

/** The enabled checks of a tenant, read together with the sum of the versions of all its checks. */
export interface Definitions {
  readonly checks: ReadonlyArray<Stored<ComplianceCheckFields>>
  /** Increases with each change of any check. */
  readonly generation: number
}

/** The status of a worker in each enabled check, equal to that of an evaluation on each day until `through`. */
export interface KeptStatus {
  /** The version of the rules of evaluation. */
  readonly rulesVersion: number
  /** The generation of the definitions. */
  readonly generation: number
  /** The last day on which the results stay. */
  readonly through: string
  readonly result: KeptResult
  readonly bans: ReadonlyArray<CountedBan>
  /** The kinds of holdings of which the worker has more than an evaluation reads. */
  readonly beyond: ReadonlyArray<Beyond>
  /** The result of each check by its id, with the version of the definition. */
  readonly checks: Readonly<Record<string, KeptCheck>>
}

export type KeptCheck = Omit<Judgement, "bans"> & { readonly version: number }

/** The status of an applicant, until a day. It has no results, so a change of the checks does not make it uncertain. */
export const statusWithoutChecks = (through: string): KeptStatus => ({
  ...{ rulesVersion, generation: Number.MAX_SAFE_INTEGER, through },
  ...{ result: "NONE", bans: [], beyond: [], checks: {} }
})

/** Returns the status to keep. `having` is undefined for a worker who is deleted or has left. */
export const statusOf = (
  { checks, generation }: Definitions,
  having: Omit<Having, "tasksAt"> | undefined
): KeptStatus => {
  const versions = { rulesVersion, generation }
  if (having === undefined) return { ...versions, through: endless, result: "NONE", bans: [], beyond: [], checks: {} }
  const judged = checks.map(({ fields, id, version }) => {
    const { bans: _, ...judgement } = having.judge(fields.requirement)
    return [id, { ...judgement, version }] as const
  })
  const passes = judged.every(([, { result }]) => result === "PASS")
  const { bans, beyond, through } = having
  const result = judged.length === 0 ? "NONE" : passes ? "PASS" : "FAIL"
  return { ...versions, through, result, bans, beyond, checks: Object.fromEntries(judged) }
}

/** Returns the results that a status keeps for checks; undefined if it lacks one of their versions. */
export const judgementsIn = (
  { bans, checks }: KeptStatus,
  asked: ReadonlyArray<Stored<ComplianceCheckFields>>
): ReadonlyMap<string, Judgement> | undefined => {
  const found = new Map<string, Judgement>()
  for (const { id, version: current } of asked) {
    const kept = Object.hasOwn(checks, id) ? checks[id] : undefined
    if (kept?.version !== current) return undefined
    const { version: _, ...judgement } = kept
    found.set(id, { ...judgement, bans })
  }
  return found
}

/** A check whose result changed. */
export interface StatusChange {
  readonly complianceCheckId: string
  readonly from: Judgement["result"]
  readonly to: Judgement["result"]
}

/** Returns the checks whose results changed. A check without an earlier result has not changed. */
export const changesIn = (before: KeptStatus | undefined, after: KeptStatus): ReadonlyArray<StatusChange> =>
  Object.entries(after.checks).flatMap(([complianceCheckId, { result: to }]) => {
    const from =
      before !== undefined && Object.hasOwn(before.checks, complianceCheckId)
        ? before.checks[complianceCheckId]?.result
        : undefined
    return from === undefined || from === to ? [] : [{ complianceCheckId, from, to }]
  })

/** Returns the event of a change. It has ids and results, no personal data. */
export const eventOf = (
  id: string,
  workerId: string,
  { complianceCheckId, from, to }: StatusChange,
  reason: Cause,
  at: Instant
) =>
  ({
    id,
    kind: "worker.complianceChanged",
    subjectId: workerId,
    correlationId: null,
    data: {
      worker: { id: workerId, type: "worker" },
      complianceCheck: { id: complianceCheckId, type: "complianceCheck" },
      from,
      to,
      reason
    },
    about: { credentialType: null, jurisdiction: null },
    at
  }) satisfies EventDraft
