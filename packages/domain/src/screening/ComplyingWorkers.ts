import { Effect, Result } from "effect"
import type { Page, ResourceStore } from "../crud/ResourceStore.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Stored } from "../resource/Resource.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { type CheckResult, type KeptStatus, results } from "./KeptCompliance.ts"
import { certainIn, type KeptComplianceStore } from "./KeptComplianceStore.ts"
import { evaluatedTogether, makeEvaluateWorkers } from "./KeptEvaluation.ts"

/** A result in checks that are kept, or in all enabled checks. FAIL: the worker fails at least one of them. */
export interface Wanted {
  readonly result: CheckResult
  readonly checks?: ReadonlyArray<string> | undefined
}

const hasResult = ({ checks, result }: KeptStatus, wanted: Wanted): boolean => {
  if (wanted.checks === undefined || result === "NONE") return result === wanted.result
  const fails = wanted.checks.some((id) => Object.hasOwn(checks, id) && checks[id]?.result === "FAIL")
  return fails === (wanted.result === "FAIL")
}

/** A page of workers, with the cursor of the next one. */
export interface ComplyingPage extends Omit<Page<WorkerFields>, "hasMore"> {
  readonly nextCursor: string | null
  readonly warnings: ReadonlyArray<string>
}

/** Parses a parameter that names a result, if given. */
export const parseResult = (
  field: string,
  given: string | ReadonlyArray<string> | undefined
): Result.Result<CheckResult | undefined, InvalidArgument> => {
  if (given === undefined) return Result.succeed(undefined)
  if (typeof given !== "string") return Result.fail(new InvalidArgument({ field, reason: ListQuery.repeated }))
  return Result.map(ListQuery.among(field, results, given), (result) => result as CheckResult)
}

/** The maximum number of pages that one call reads while many statuses are evaluated. */
const roundsMax = 5

const behind = "statuses are being evaluated: the page may be short, and the total is not counted. Follow nextCursor"

/** Makes a function that returns a page of lists that have no worker in common. */
const makeMerged = (store: ResourceStore["Service"]) =>
  Effect.fnUntraced(function* (
    tenantId: string,
    selection: ListQuery.Selection,
    parts: ReadonlyArray<ListQuery.Complying>
  ) {
    const { offset, pageSize, sort } = selection
    const end = offset + pageSize
    const pages = yield* Effect.forEach(parts, (complying) =>
      store.list(Worker, tenantId, { ...selection, complying, offset: 0, pageSize: end })
    )
    const rows = pages.flatMap(({ items }) => items)
    const total = pages.reduce((sum, page) => sum + (page.total ?? 0), 0)
    return {
      items: ListQuery.sorted(Worker, sort, rows).slice(offset, end),
      hasMore: rows.length > end || pages.some(({ hasMore }) => hasMore),
      total: selection.includeTotal ? Math.min(total, ListQuery.totalLimit) : undefined
    }
  })

/**
 * Returns a function that lists the workers with a result. If few statuses are uncertain, these workers are evaluated, and
 * replace what is kept of them. Otherwise, as after a change of a check, the list is read in its order and each page is
 * evaluated.
 */
export const makeComplying = (store: ResourceStore["Service"], kept: KeptComplianceStore["Service"]) => {
  const evaluate = makeEvaluateWorkers(store, kept)
  const merged = makeMerged(store)

  /** The workers of a page that have the result. */
  const complyingOf = Effect.fnUntraced(function* (
    tenantId: string,
    workers: ReadonlyArray<Stored<WorkerFields>>,
    wanted: Wanted,
    today: string
  ) {
    const ids = workers.map(({ id }) => id)
    const rows = yield* kept.read(tenantId, ids)
    const { generation } = yield* kept.definitions(tenantId)
    const certain = new Map(
      [...rows.values()].flatMap((row) => {
        const status = certainIn(row, today)
        return status?.generation === generation ? [[row.workerId, status] as const] : []
      })
    )
    const evaluated = yield* evaluate(
      tenantId,
      ids.filter((id) => !certain.has(id)),
      today
    )
    return new Set(
      ids.filter((id) => {
        const status = certain.get(id) ?? evaluated.get(id)
        return status !== undefined && hasResult(status, wanted)
      })
    )
  })

  const walk = Effect.fnUntraced(function* (
    tenantId: string,
    selection: ListQuery.Selection,
    wanted: Wanted,
    today: string
  ): Effect.fn.Return<ComplyingPage, InvalidArgument> {
    if (selection.offset > 0) {
      const reason = "is not available while statuses are evaluated. Use cursor"
      return yield* new InvalidArgument({ field: "page", reason })
    }
    const items: Array<Stored<WorkerFields>> = []
    let { after } = selection
    let isMore = true
    for (let round = 0; isMore && round < roundsMax && items.length < selection.pageSize; round++) {
      const paging = { after, includeTotal: false, pageSize: evaluatedTogether }
      const page = yield* store.list(Worker, tenantId, { ...selection, ...paging })
      const complying = yield* complyingOf(tenantId, page.items, wanted, today)
      isMore = page.hasMore
      for (const [index, worker] of page.items.entries()) {
        after = ListQuery.cursorAfter(Worker, selection.sort, worker)
        if (!complying.has(worker.id)) continue
        items.push(worker)
        if (items.length < selection.pageSize) continue
        isMore ||= index < page.items.length - 1
        break
      }
    }
    const nextCursor = isMore && after !== undefined ? ListQuery.encodeCursor(Worker, selection.sort, after) : null
    return { items, nextCursor, total: undefined, warnings: [behind] }
  })

  return Effect.fnUntraced(function* (
    tenantId: string,
    selection: ListQuery.Selection,
    wanted: Wanted,
    today: string
  ): Effect.fn.Return<ComplyingPage, InvalidArgument> {
    const uncertain = yield* kept.uncertain(tenantId, today, evaluatedTogether + 1)
    if (uncertain.length > evaluatedTogether) return yield* walk(tenantId, selection, wanted, today)
    const statuses = yield* evaluate(tenantId, uncertain, today)
    const ids = [...statuses].filter(([, status]) => hasResult(status, wanted)).map(([id]) => id)
    const certain = { _tag: "Kept", ...wanted, except: uncertain } as const
    const page =
      ids.length === 0
        ? yield* store.list(Worker, tenantId, { ...selection, complying: certain })
        : yield* merged(tenantId, selection, [certain, { _tag: "Among", ids }])
    const nextCursor = ListQuery.nextCursor(Worker, selection, page)
    return { items: page.items, total: page.total, nextCursor, warnings: [] }
  })
}
