import { Clock, Context, Effect, Layer, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { type CreatedAfter, makePast, type Past, type ReadsAsOf, ResourceHistory } from "../crud/ResourceHistory.ts"
import { type Page, ResourceStore } from "../crud/ResourceStore.ts"
import { isEngaged } from "../people/Engaged.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { requireOnly } from "../resource/AsOf.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { readsOf } from "../resource/DerivedAnswer.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type Resource, ResourceNotFound, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { codeFormat, idFormat, isCode, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { ComplianceCheck, type ComplianceCheckFields } from "./ComplianceCheck.ts"
import { CheckDisabled, type Judgement, privilegesFor, tooMuchHeld } from "./ComplianceEvaluation.ts"
import { makeComplying, parseResult, type Wanted } from "./ComplyingWorkers.ts"
import { judgementsIn, keptChecks } from "./KeptCompliance.ts"
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
     * in the page only with `includeDeleted`, or if `workerId` names them. `result` selects the workers that fail one of
     * the checks in `checkId`, or of all enabled ones, or that pass each of them. Each cell equals the result of
     * `ComplianceEvaluation.evaluate`. Fails with Forbidden if exemptions count in a check and the caller may not read
     * them.
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

/** Returns the ids in `workerId` without duplicates; undefined if absent. */
const parseWorkers = (
  given: string | ReadonlyArray<string> | undefined
): Result.Result<ReadonlyArray<string> | undefined, InvalidArgument> => {
  if (given === undefined) return Result.succeed(undefined)
  const ids = [...new Set(typeof given === "string" ? [given] : given)]
  const refused = (reason: string) => Result.fail(new InvalidArgument({ field: "workerId", reason }))
  if (ids.length > matrixWorkers) return refused(`must name at most ${matrixWorkers} workers`)
  return ids.every((id) => isId("worker", id)) ? Result.succeed(ids) : refused(`must be ${idFormat("worker")}`)
}

/** The resources of these ids in their order. Fails with the first one that does not exist. */
const requireAll = Effect.fnUntraced(function* <Fields extends JsonObject>(
  reads: MatrixReads,
  resource: Resource<Fields>,
  tenantId: string,
  ids: ReadonlyArray<string>
) {
  const found = yield* reads.findAll(resource, tenantId, ids)
  const items: Array<Stored<Fields>> = []
  for (const id of ids) {
    const item = found.get(id)
    if (item === undefined || !isVisible(item, false)) {
      return yield* new ResourceNotFound({ entityType: resource.type, id })
    }
    items.push(item)
  }
  return items
})

/** The reads of a matrix, now or as of a time. */
interface MatrixReads extends Pick<ReadsAsOf, "findAll" | "heldByEach"> {
  /** The oldest enabled checks. */
  readonly enabled: (tenantId: string) => Effect.Effect<Pick<Page<ComplianceCheckFields>, "items" | "hasMore">>
  readonly workers: (tenantId: string, selection: ListQuery.Selection) => Effect.Effect<WorkersPage>
  /** The kept results of those workers whose status is right and has all these checks. */
  readonly kept: (
    tenantId: string,
    workers: ReadonlyArray<string>,
    checks: ReadonlyArray<Stored<ComplianceCheckFields>>,
    today: string
  ) => Effect.Effect<ReadonlyMap<string, KeptResults>>
}

interface KeptResults {
  readonly judgements: ReadonlyMap<string, Judgement>
  readonly beyond: ReadonlyArray<Beyond>
}

/** Workers of a page, also those who have left. */
interface WorkersPage extends Pick<Page<WorkerFields>, "items" | "total"> {
  readonly nextCursor: string | null
  readonly warnings?: ReadonlyArray<string>
}

/** The parameters of a matrix as of a time. Others search the present. */
const ofPast = ["pageSize", "cursor", "includeDeleted", "checkId", "workerId"]

/** Fails if a query that names workers selects others, or a page that has no room for them. */
const requireRoom = (query: ListQuery.Query, workers: ReadonlyArray<string>): Result.Result<void, InvalidArgument> => {
  const refused = (field: string, reason: string) => Result.fail(new InvalidArgument({ field, reason }))
  const other = Object.keys(query).find((field) => field !== "pageSize")
  if (other !== undefined) return refused(other.slice(0, 100), "cannot be combined with workerId")
  const isShort = query["pageSize"] !== undefined && Number(query["pageSize"]) < workers.length
  return isShort ? refused("pageSize", "must not be less than the number of workers in workerId") : Result.void
}

/** The oldest checks that were enabled at a time. */
export const enabledChecksThen = Effect.fnUntraced(function* (reads: ReadsAsOf, tenantId: string) {
  const found: Array<Stored<ComplianceCheckFields>> = []
  let after: CreatedAfter | undefined
  do {
    const { items, next } = yield* reads.page(ComplianceCheck, tenantId, { after, pageSize: 100 })
    found.push(...items.filter((check) => isVisible(check, false) && check.fields.enabled))
    after = next
  } while (after !== undefined && found.length <= matrixChecks)
  return { items: found.slice(0, matrixChecks), hasMore: found.length > matrixChecks }
})

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const past = makePast(yield* ResourceHistory)
  const keptStore = yield* KeptComplianceStore
  const rules = yield* PrivilegeRules
  const complying = makeComplying(store, keptStore)

  const present: MatrixReads = {
    findAll: store.findAll,
    heldByEach: store.heldByEach,
    enabled: (tenantId) => {
      const query = { enabled: "true", pageSize: String(matrixChecks) }
      return store.list(ComplianceCheck, tenantId, Result.getOrThrow(ListQuery.parse(ComplianceCheck, query, "")))
    },
    workers: (tenantId, selection) =>
      Effect.map(store.list(Worker, tenantId, selection), (page) => ({
        ...page,
        nextCursor: ListQuery.nextCursor(Worker, selection, page)
      })),
    kept: Effect.fnUntraced(function* (tenantId, workers, checks, today) {
      const found = new Map<string, KeptResults>()
      for (const row of (yield* keptStore.read(tenantId, workers)).values()) {
        const status = certainIn(row, today)
        const judgements = status && judgementsIn(status, checks)
        if (status && judgements) found.set(row.workerId, { judgements, beyond: status.beyond })
      }
      return found
    })
  }

  const asOf = ({ reads }: Past): MatrixReads => ({
    findAll: reads.findAll,
    heldByEach: reads.heldByEach,
    enabled: (tenantId) => enabledChecksThen(reads, tenantId),
    workers: Effect.fnUntraced(function* (tenantId, { after, includeDeleted, pageSize, sort }) {
      const from = after && { createdAt: Number(after.key), id: after.id }
      const { items, next } = yield* reads.page(Worker, tenantId, { after: from, pageSize })
      return {
        items: items.filter((worker) => isVisible(worker, includeDeleted)),
        nextCursor: next ? ListQuery.encodeCursor(Worker, sort, { key: next.createdAt, id: next.id }) : null,
        total: undefined
      }
    }),
    kept: () => Effect.succeed(new Map())
  })

  /** Returns the reads, the day and the rest of the query. */
  const timed = Effect.fnUntraced(function* ({ asOf: text, ...query }: ListQuery.Query) {
    if (text === undefined) {
      const { timeZone } = yield* Caller
      return { reads: present, today: dayAt(yield* Clock.currentTimeMillis, timeZone), query }
    }
    yield* Effect.fromResult(requireOnly(query, ofPast))
    const then = yield* past(text, query)
    return { reads: asOf(then), today: then.moment.today, query }
  })

  const named = Effect.fnUntraced(function* (reads: MatrixReads, tenantId: string, ids: ReadonlyArray<string>) {
    const items = yield* requireAll(reads, ComplianceCheck, tenantId, ids)
    const disabled = items.find(({ fields }) => !fields.enabled)
    return disabled === undefined ? { items, hasMore: false } : yield* new CheckDisabled({ code: disabled.id })
  })

  /** The workers with a result in the named checks, or in all enabled ones, which needs the privileges of all. */
  const withResult = Effect.fnUntraced(function* (selection: ListQuery.Selection, wanted: Wanted, today: string) {
    const { account, privileges, tenantId } = yield* Caller
    if (wanted.checks === undefined) {
      yield* Effect.fromResult(rules.authorize(account, privileges, readsOf("evaluationWithExemptions")))
    } else {
      const known = new Set((yield* keptStore.definitions(tenantId)).checks.map(({ id }) => id))
      const other = wanted.checks.find((id) => !known.has(id))
      const reason = `cannot select by ${other}: only the ${keptChecks} oldest enabled checks can`
      if (other !== undefined) return yield* new InvalidArgument({ field: "result", reason })
    }
    return yield* complying(tenantId, selection, wanted, today)
  })

  return ComplianceMatrix.of({
    read: Effect.fn("ComplianceMatrix.read")(function* (given) {
      const { account, privileges, tenantId } = yield* Caller
      const { query, reads, today } = yield* timed(given)
      const { checkId, result, workerId, ...rest } = query
      const ids = yield* Effect.fromResult(parseChecks(checkId))
      const workerIds = yield* Effect.fromResult(parseWorkers(workerId))
      const wanted = yield* Effect.fromResult(parseResult("result", result))
      const others = wanted === undefined ? rest : { ...rest, result: wanted }
      if (workerIds !== undefined) yield* Effect.fromResult(requireRoom(others, workerIds))
      const asked = yield* Effect.fromResult(ListQuery.parse(Worker, rest, today))
      const selection = { ...asked, pageSize: Math.min(asked.pageSize, matrixWorkers) }
      const { hasMore, items: checks } =
        ids === undefined ? yield* reads.enabled(tenantId) : yield* named(reads, tenantId, ids)
      const exemptionsCount = checks.some(({ fields }) => fields.requirement.exemptionsCount)
      for (const { fields } of checks) {
        yield* Effect.fromResult(rules.authorize(account, privileges, privilegesFor(fields.requirement)))
      }
      const page: WorkersPage =
        workerIds !== undefined
          ? { items: yield* requireAll(reads, Worker, tenantId, workerIds), nextCursor: null, total: undefined }
          : wanted === undefined
            ? yield* reads.workers(tenantId, selection)
            : yield* withResult(selection, { result: wanted, checks: ids }, today)
      const isShown = selection.includeDeleted || workerIds !== undefined
      const shown = page.items.filter((person) => isShown || isEngaged({ type: "worker", person }, today))
      const shownIds = shown.map(({ id }) => id)
      const known = yield* reads.kept(tenantId, shownIds, checks, today)
      const unknown = shown.filter(({ id }) => !known.has(id))
      const judged = yield* makeJudgeWorkers(reads)(tenantId, unknown, exemptionsCount, today)
      const documents = shown.map((worker) =>
        rowOf(worker, checks, (check) => {
          const kept = known.get(worker.id)?.judgements.get(check.id)
          const judgement = kept ?? judged.get(worker.id)?.judge(check.fields.requirement)
          if (judgement === undefined) throw new Error(`${worker.id} was not judged by ${check.id}`)
          return judgement
        })
      )
      const isBeyond = (kinds: ReadonlyArray<Beyond> = []) =>
        kinds.includes("credentials") || (exemptionsCount && kinds.includes("exemptions"))
      const beyond = shownIds.filter((id) => isBeyond((known.get(id) ?? judged.get(id))?.beyond))
      return {
        documents,
        pageSize: workerIds?.length ?? selection.pageSize,
        nextCursor: page.nextCursor,
        total: page.total,
        warnings: [
          ...(page.warnings ?? []),
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

export const layer = Layer.effect(ComplianceMatrix, make)
