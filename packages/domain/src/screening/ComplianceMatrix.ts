import { Array as Arr, Clock, Context, Effect, Layer, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { type Holdings, heldLimit } from "../holding/Holdings.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type Resource, ResourceNotFound, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { codeFormat, isCode } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { isEngaged } from "../watch/Engaged.ts"
import { ComplianceCheck, type ComplianceCheckFields } from "./ComplianceCheck.ts"
import {
  CheckDisabled,
  type CountedBan,
  countingOf,
  type Judgement,
  judgeBy,
  makeBansOf,
  privilegesFor,
  tooMuchHeld,
  withBans
} from "./ComplianceEvaluation.ts"

/** The maximum number of workers on a page of the matrix. */
export const matrixWorkers = 50
/** The maximum number of checks of a matrix. */
export const matrixChecks = 20

/** The workers whose holdings are in memory together, up to 2,000 each. More would cost long garbage collections. */
const workersPerRead = 5

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
     * in the page only with `includeDeleted`. Each cell equals the
     * result of `ComplianceEvaluation.evaluate`. Fails with Forbidden if exemptions count in a check and the caller may
     * not read them.
     */
    readonly read: (
      query: ListQuery.Query
    ) => Effect.Effect<ShownPage<MatrixRow>, InvalidArgument | ResourceNotFound | CheckDisabled | Forbidden, Caller>
  }
>()("@wcs/domain/ComplianceMatrix") {}

/** Judges a worker. The types that it satisfies are found once, not per check. */
const rowOf = (
  worker: Stored<WorkerFields>,
  checks: ReadonlyArray<Stored<ComplianceCheckFields>>,
  holdings: Holdings,
  bans: ReadonlyArray<CountedBan>,
  today: string
): MatrixRow => {
  const counting = (exemptionsCount: boolean) => countingOf(exemptionsCount, worker, holdings, today)
  const [byCredentials, byAll] = [counting(false), counting(true)]
  return {
    worker: summaryOf(worker),
    checks: checks.map(({ fields: { requirement }, id }) => ({
      complianceCheckId: id,
      ...withBans(judgeBy(requirement, requirement.exemptionsCount ? byAll : byCredentials), bans)
    }))
  }
}

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const bansOf = makeBansOf(store)

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

  /** Returns the oldest rows of each worker, and the workers that have more. */
  const held = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    workers: ReadonlyArray<string>
  ) {
    const found = yield* store.heldByEach(resource, tenantId, workers, heldLimit + 1)
    return {
      of: (worker: string): ReadonlyArray<Stored<Fields>> => found.get(worker)?.slice(0, heldLimit) ?? [],
      beyond: workers.filter((worker) => (found.get(worker)?.length ?? 0) > heldLimit)
    }
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
      const bans = yield* bansOf(
        tenantId,
        shown.map(({ id }) => id)
      )
      const documents: Array<MatrixRow> = []
      const beyond = new Set<string>()
      for (const workers of Arr.chunksOf(shown, workersPerRead)) {
        const ids = workers.map(({ id }) => id)
        const credentials = yield* held(Credential, tenantId, ids)
        const exemptions = yield* held(Exemption, tenantId, exemptionsCount ? ids : [])
        for (const worker of workers) {
          const holdings = { credentials: credentials.of(worker.id), exemptions: exemptions.of(worker.id) }
          documents.push(rowOf(worker, checks, holdings, bans.get(worker.id) ?? [], today))
          yield* Effect.yieldNow
        }
        for (const worker of [...credentials.beyond, ...exemptions.beyond]) beyond.add(worker)
      }
      return {
        documents,
        pageSize: selection.pageSize,
        nextCursor: ListQuery.nextCursor(Worker, selection, page),
        total: page.total,
        warnings: [
          ...(hasMore ? [`more than ${matrixChecks} checks are enabled: select checks with checkId`] : []),
          ...[...beyond].map(tooMuchHeld)
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

export const layer: Layer.Layer<ComplianceMatrix, never, ResourceStore | PrivilegeRules> = Layer.effect(
  ComplianceMatrix,
  make
)
