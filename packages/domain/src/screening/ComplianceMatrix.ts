import { Clock, Context, Effect, Layer, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { isEngaged } from "../people/Engaged.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { ResourceNotFound, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { codeFormat, isCode } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { ComplianceCheck, type ComplianceCheckFields } from "./ComplianceCheck.ts"
import { CheckDisabled, type Judgement, privilegesFor, tooMuchHeld } from "./ComplianceEvaluation.ts"
import { judgementsIn } from "./KeptCompliance.ts"
import { certainIn, KeptComplianceStore } from "./KeptComplianceStore.ts"
import { type Beyond, makeJudgeWorkers } from "./WorkerJudgements.ts"

/** The maximum number of workers on a page of the matrix. */
export const matrixWorkers = 50
/** The maximum number of checks of a matrix. */
export const matrixChecks = 20

/** The result of one worker in one check, equal to that of an evaluation. */
export interface Cell extends Judgement {
  readonly complianceCheckId: string
}

/** A row of the matrix. */
export type MatrixRow = {
  readonly worker: { readonly id: string; readonly externalId?: string; readonly displayName: string }
  readonly checks: ReadonlyArray<JsonObject & Cell>
}

/** Returns the ids in `checkId` without duplicates; undefined if absent. */
const parseChecks = (
  given: string | ReadonlyArray<string> | undefined
): Result.Result<ReadonlyArray<string> | undefined, InvalidArgument> => {
  if (given === undefined) return Result.succeed(undefined)
  const ids = [...new Set(typeof given === "string" ? [given] : given)]
  const refused = (reason: string) => Result.fail(new InvalidArgument({ field: "checkId", reason }))
  if (ids.length > matrixChecks) return refused(`must name at most ${matrixChecks} checks`)
  return ids.every(isCode) ? Result.succeed(ids) : refused(`must be ${codeFormat}`)
}

/** Compliance checks of many workers as a matrix. Read only. */
export class ComplianceMatrix extends Context.Service<
  ComplianceMatrix,
  {
    /**
     * Returns a page of workers by checks: those in `checkId`, or else the oldest enabled ones. Workers who have left are
     * in the page only with `includeDeleted`. Each cell equals the result of `ComplianceEvaluation.evaluate`. Fails with
     * Forbidden if exemptions count in a check and the caller may not read them.
     */
    readonly read: (
      query: ListQuery.Query
    ) => Effect.Effect<ShownPage<MatrixRow>, InvalidArgument | ResourceNotFound | CheckDisabled | Forbidden, Caller>
  }
>()("@wcs/domain/ComplianceMatrix") {}

/** The row of a worker. */
const rowOf = (
  worker: Stored<WorkerFields>,
  checks: ReadonlyArray<Stored<ComplianceCheckFields>>,
  judgementOf: (check: Stored<ComplianceCheckFields>) => Judgement
): MatrixRow => ({
  worker: summaryOf(worker),
  checks: checks.map((check) => ({ complianceCheckId: check.id, ...judgementOf(check) }))
})

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const judgeWorkers = makeJudgeWorkers(store)
  const keptStore = yield* KeptComplianceStore

  /** Returns the kept results of the workers whose status is right today and has all these checks. */
  const knownJudgements = Effect.fnUntraced(function* (
    tenantId: string,
    workers: ReadonlyArray<string>,
    checks: ReadonlyArray<Stored<ComplianceCheckFields>>,
    today: string
  ) {
    const known = new Map<string, { judgements: ReadonlyMap<string, Judgement>; beyond: ReadonlyArray<Beyond> }>()
    for (const row of (yield* keptStore.read(tenantId, workers)).values()) {
      const status = certainIn(row, today)
      const judgements = status && judgementsIn(status, checks)
      if (status && judgements) known.set(row.workerId, { judgements, beyond: status.beyond })
    }
    return known
  })

  const named = Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>) {
    const found = yield* store.findAll(ComplianceCheck, tenantId, ids)
    const checks: Array<Stored<ComplianceCheckFields>> = []
    for (const id of ids) {
      const check = found.get(id)
      if (check === undefined || !isVisible(check, false)) {
        return yield* new ResourceNotFound({ entityType: ComplianceCheck.type, id })
      }
      if (!check.fields.enabled) return yield* new CheckDisabled({ code: id })
      checks.push(check)
    }
    return checks
  })

  const enabled = Effect.fnUntraced(function* (tenantId: string) {
    const query = { enabled: "true", pageSize: String(matrixChecks) }
    const selection = Result.getOrThrow(ListQuery.parse(ComplianceCheck, query, ""))
    return yield* store.list(ComplianceCheck, tenantId, selection)
  })

  return ComplianceMatrix.of({
    read: Effect.fn("ComplianceMatrix.read")(function* (query) {
      const { account, privileges, tenantId, timeZone } = yield* Caller
      const today = dayAt(yield* Clock.currentTimeMillis, timeZone)
      const { checkId, ...rest } = query
      const ids = yield* Effect.fromResult(parseChecks(checkId))
      const asked = yield* Effect.fromResult(ListQuery.parse(Worker, rest, today))
      const selection = { ...asked, pageSize: Math.min(asked.pageSize, matrixWorkers) }
      const { hasMore, items: checks } =
        ids === undefined ? yield* enabled(tenantId) : { items: yield* named(tenantId, ids), hasMore: false }
      const exemptionsCount = checks.some(({ fields }) => fields.requirement.exemptionsCount)
      for (const { fields } of checks) {
        yield* Effect.fromResult(rules.authorize(account, privileges, privilegesFor(fields.requirement)))
      }
      const page = yield* store.list(Worker, tenantId, selection)
      const shown = page.items.filter(
        (person) => selection.includeDeleted || isEngaged({ type: "worker", person }, today)
      )
      const workerIds = shown.map(({ id }) => id)
      const known = yield* knownJudgements(tenantId, workerIds, checks, today)
      const unknown = shown.filter(({ id }) => !known.has(id))
      const judged = yield* judgeWorkers(tenantId, unknown, exemptionsCount, today)
      const documents = shown.map((worker) => {
        const kept = known.get(worker.id)
        const having = judged.get(worker.id)
        return rowOf(worker, checks, (check) => {
          const judgement = kept?.judgements.get(check.id) ?? having?.judge(check.fields.requirement)
          if (judgement === undefined) throw new Error(`${worker.id} was not judged by ${check.id}`)
          return judgement
        })
      })
      const isBeyond = (kinds: ReadonlyArray<Beyond> = []) =>
        kinds.includes("credentials") || (exemptionsCount && kinds.includes("exemptions"))
      const beyond = workerIds.filter((id) => isBeyond((known.get(id) ?? judged.get(id))?.beyond))
      return {
        documents,
        pageSize: selection.pageSize,
        nextCursor: ListQuery.nextCursor(Worker, selection, page),
        total: page.total,
        warnings: [
          ...(hasMore ? [`more than ${matrixChecks} checks are enabled: select checks with checkId`] : []),
          ...beyond.map(tooMuchHeld)
        ]
      }
    })
  })
})

const summaryOf = ({ fields, id }: Stored<WorkerFields>): MatrixRow["worker"] => {
  const { displayName } = fields.identity
  const externalId = fields.source?.externalId
  return externalId === undefined ? { id, displayName } : { id, externalId, displayName }
}

export const layer: Layer.Layer<ComplianceMatrix, never, ResourceStore | KeptComplianceStore | PrivilegeRules> =
  Layer.effect(ComplianceMatrix, make)
