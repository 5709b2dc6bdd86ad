import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Ban, type BanFields } from "@wcs/domain/holding/Ban"
import type { BanDecision } from "@wcs/domain/holding/BanDecision"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import type { Decision } from "@wcs/domain/holding/Decision"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { Worker } from "@wcs/domain/people/Worker"
import { fromCursorText } from "@wcs/domain/resource/ListQuery"
import { ComplianceCheck, type ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import * as ComplianceEvaluation from "@wcs/domain/screening/ComplianceEvaluation"
import * as ComplianceMatrix from "@wcs/domain/screening/ComplianceMatrix"
import { makeComplying } from "@wcs/domain/screening/ComplyingWorkers"
import { results } from "@wcs/domain/screening/KeptCompliance"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { makeKeepNext } from "@wcs/domain/screening/KeptEvaluation"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { Clock, Effect } from "effect"
import { created, credentialFields, idFor, mint, put, revise, select, start, workerFields } from "../Fixtures.ts"

export const timeZone = "Australia/Sydney"
export const types = ["WWCC_NSW", "FIRST_AID", "POLICE_CHECK_NATIONAL"] as const

/** Some millis of a day after the start. */
export const timeOn = (day: number): number => start + day * 86_400_000

export const dayOn = (day: number): string => dayAt(timeOn(day), timeZone)

/** Runs use cases at a time. */
export const at = <A, E, R>(day: number, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) =>
    Effect.provideService(effect, Clock.Clock, {
      ...clock,
      sleep: clock.sleep.bind(clock),
      currentTimeNanos: clock.currentTimeNanos,
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      currentTimeMillis: Effect.succeed(timeOn(day)),
      currentTimeMillisUnsafe: () => timeOn(day)
    })
  )

/** A card that clears its owner until its last day. */
export const card = (worker: string | null, type: (typeof types)[number], lastDay?: number): CredentialFields =>
  credentialFields(
    { worker, applicant: "app_00000000000000aa" },
    {
      credentialType: type,
      eligibility: "MAY_ENGAGE",
      statusDetail: "VALID",
      ...(lastDay === undefined ? {} : { expiryDate: dayOn(lastDay) })
    }
  )

/** A decision about a card that is CONDITIONAL. */
export const decision = (endsOn: string, lets: boolean): Decision => ({
  ...{ outcome: lets ? "MAY_ENGAGE" : "MAY_NOT_ENGAGE", reason: "because", endsOn, about: ["CONDITIONAL"] },
  ...{ decidedAt: "2026-01-20T10:00:00.000Z", account: "urn:wcs:account:acc_1" }
})

export const checkFields = (
  code: string,
  requirement: Partial<ComplianceCheckFields["requirement"]> = {},
  enabled = true
): ComplianceCheckFields => ({
  code,
  displayName: code,
  severity: "WARNING",
  enabled,
  requirement: { credentialTypes: ["WWCC_NSW"], mode: "ALL", exemptionsCount: false, ...requirement }
})

export const putWorker = (tenant: string, workerType?: "EMPLOYEE" | "VOLUNTEER") =>
  Effect.map(
    put(Worker, tenant, created(mint("worker"), workerFields(workerType && { employment: { workerType } }))),
    ({ id }) => id
  )

export const putCheck = (
  tenant: string,
  code: string,
  requirement: Partial<ComplianceCheckFields["requirement"]> = {}
) => put(ComplianceCheck, tenant, created(code, checkFields(code, requirement)))

export const putCard = (tenant: string, fields: CredentialFields) =>
  Effect.map(put(Credential, tenant, created(mint("credential"), fields)), ({ id }) => id)

export const putExemption = (tenant: string, worker: string, from: number, to: number) =>
  put(
    Exemption,
    tenant,
    created(mint("exemption"), {
      exemptionType: "MEDICAL",
      worker: { id: worker },
      exemptedCredentialTypes: [...types],
      issueDate: dayOn(from),
      expiryDate: dayOn(to)
    })
  )

export const putBan = (tenant: string, worker: string, eligibility: BanFields["eligibility"] = "MAY_NOT_ENGAGE") =>
  put(
    Ban,
    tenant,
    created(idFor(Ban), {
      register: "test",
      worker: { id: worker },
      checkedAt: "2026-01-30T00:00:00.000Z",
      eligibility,
      matches: []
    })
  )

/** Decides about the oldest ban of a worker, if there is one. */
export const decideBan = Effect.fnUntraced(function* (
  tenant: string,
  worker: string,
  decided: Pick<BanDecision, "outcome" | "endsOn">
) {
  const [ban] = (yield* (yield* ResourceStore).heldByEach(Ban, tenant, [worker], 1)).get(worker) ?? []
  if (ban === undefined) return
  const decision = {
    ...decided,
    reason: "test",
    decidedAt: "2026-01-30T00:00:00.000Z",
    account: "urn:wcs:account:acc_1"
  }
  yield* revise(Ban, tenant, ban.id, (current) => ({
    ...current,
    version: current.version + 1,
    fields: { ...current.fields, decision }
  }))
})

/** Keeps one batch of a tenant's statuses, as a worker does. */
export const keepNext = (tenant: string, day: number) =>
  Effect.gen(function* () {
    const next = makeKeepNext(yield* ResourceStore, yield* KeptComplianceStore, () => mint("event"))
    return yield* at(day, next(tenant, timeZone))
  })

/** Keeps all statuses of a tenant. */
export const keepAll = (tenant: string, day: number) =>
  Effect.gen(function* () {
    const { uncertain } = yield* KeptComplianceStore
    while ((yield* uncertain(tenant, dayOn(day), 1)).length > 0) yield* keepNext(tenant, day)
  })

const everyRead = (tenantId: string) =>
  Caller.of({
    tenantId,
    timeZone,
    account: "urn:wcs:account:acc_1",
    privileges: Privilege.privilegesOf("Super Admin"),
    bearer: { kind: "personal", id: "pat_1" },
    rateLimitKey: "acc_1",
    rateLimit: null,
    workerId: null
  })

const asCaller = <A, E, R>(tenant: string, day: number, effect: Effect.Effect<A, E, R>) =>
  at(day, effect).pipe(Effect.provideService(Caller, everyRead(tenant)), Effect.provide(Privilege.layer))

/** The results that an evaluation gives: by check and worker. */
export const evaluated = (tenant: string, day: number, checks: ReadonlyArray<string>) =>
  asCaller(
    tenant,
    day,
    Effect.gen(function* () {
      const { evaluate } = yield* ComplianceEvaluation.make
      const found: Record<string, ReadonlyArray<unknown>> = {}
      for (const check of checks) {
        const { items } = yield* evaluate(check, {}, {})
        for (const { worker, ...judgement } of items) {
          found[worker.id] = [...(found[worker.id] ?? []), { complianceCheckId: check, ...judgement }]
        }
      }
      return found
    })
  )

/** The same from the matrix. */
export const matrix = (tenant: string, day: number, pageSize = 25) =>
  asCaller(
    tenant,
    day,
    Effect.gen(function* () {
      const { read } = yield* ComplianceMatrix.make
      const { documents } = yield* read({ pageSize: String(pageSize) })
      return Object.fromEntries(documents.map(({ checks, worker }) => [worker.id, checks]))
    })
  )

/** The warnings of an evaluation on the first day. */
export const warningsOf = (tenant: string, check: string) =>
  asCaller(
    tenant,
    0,
    Effect.gen(function* () {
      const { evaluate } = yield* ComplianceEvaluation.make
      return (yield* evaluate(check, {}, {})).warnings
    })
  )

/** The workers that each value of the filter finds, in all enabled checks or in some. */
export const filtered = (tenant: string, day: number, pageSize = 2, checks?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const complying = makeComplying(yield* ResourceStore, yield* KeptComplianceStore)
    const found: Record<string, ReadonlyArray<string>> = {}
    for (const result of results) {
      const ids: Array<string> = []
      let after: ReturnType<typeof select>["after"]
      for (;;) {
        const selection = select({ pageSize, after })
        const page = yield* complying(tenant, selection, { result, checks }, dayOn(day))
        ids.push(...page.items.map(({ id }) => id))
        if (page.nextCursor === null) break
        const [key = "", id = ""] = fromCursorText(page.nextCursor).slice(3).map(String)
        after = { key, id }
      }
      found[result] = ids
    }
    return found
  })
