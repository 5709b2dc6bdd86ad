import { Clock, Effect } from "effect"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { isEngaged } from "../people/Engaged.ts"
import { Worker } from "../people/Worker.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { type Cause, changesIn, eventOf, type KeptStatus, statusOf } from "./KeptCompliance.ts"
import type { KeptComplianceStore, KeptRow } from "./KeptComplianceStore.ts"
import { type Having, makeJudgeWorkers } from "./WorkerJudgements.ts"

/** The maximum number of workers that are evaluated together. */
export const evaluatedTogether = 100

/** The status of a worker, and the tasks about the worker's cards. */
interface Evaluated extends Pick<Having, "tasksAt"> {
  readonly status: KeptStatus
}

/** Returns a function that evaluates workers by the present definitions and holdings, at most `evaluatedTogether`. */
export const makeEvaluateWorkers = (store: ResourceStore["Service"], kept: KeptComplianceStore["Service"]) => {
  const judgeWorkers = makeJudgeWorkers(store)
  return Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>, today: string) {
    if (ids.length === 0) return new Map<string, Evaluated>()
    const definitions = yield* kept.definitions(tenantId)
    const found = yield* store.findAll(Worker, tenantId, ids)
    const engaged = [...found.values()].filter((person) => isEngaged({ type: "worker", person }, today))
    const readsExemptions = definitions.checks.some(({ fields }) => fields.requirement.exemptionsCount)
    const judged = yield* judgeWorkers(tenantId, engaged, readsExemptions, today)
    return new Map(
      ids.map((id): [string, Evaluated] => {
        const having = judged.get(id)
        return [id, { status: statusOf(definitions, having), tasksAt: having?.tasksAt ?? (() => []) }]
      })
    )
  })
}

/** Returns the cause of a change of a status. Without a mark it is new rules, a new definition or a new day. */
const causeOf = ({ cause, status }: KeptRow, next: KeptStatus): Cause => {
  if (cause !== undefined) return cause
  if (status?.rulesVersion !== next.rulesVersion) return "RULES"
  return status.generation === next.generation ? "DAY" : "CHECK"
}

/**
 * Returns a function that evaluates uncertain workers of a tenant and keeps their statuses. The marks are read before the
 * holdings, so a later change leaves a mark of its own. A row that another process has kept meanwhile is skipped, and so
 * is a worker whose marks were not read because others have too many. Returns the number of events, and whether more
 * workers may be uncertain.
 */
export const makeKeepNext = (
  store: ResourceStore["Service"],
  kept: KeptComplianceStore["Service"],
  eventId: () => string
) => {
  const evaluate = makeEvaluateWorkers(store, kept)
  return Effect.fn("KeptEvaluation.keepNext")(function* (tenantId: string, timeZone: string) {
    const { now, today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const uncertain = yield* kept.uncertain(tenantId, today, evaluatedTogether)
    if (uncertain.length === 0) return { isMore: false, events: 0 }
    const rows = [...(yield* kept.read(tenantId, uncertain)).values()]
    const whole = rows.filter(({ isCut, marks }) => !isCut || marks.length > 0)
    const evaluated = yield* evaluate(
      tenantId,
      whole.map(({ workerId }) => workerId),
      today
    )
    const keeping = whole.flatMap((row) => {
      const found = evaluated.get(row.workerId)
      if (found === undefined) return []
      const { status, tasksAt } = found
      const tasks = tasksAt({ now, today }, timeZone)
      const cause = causeOf(row, status)
      const changes = changesIn(row.status, status)
      return [
        { row, status, tasks, events: changes.map((change) => eventOf(eventId(), row.workerId, change, cause, now)) }
      ]
    })
    const stored = yield* kept.keep(tenantId, keeping)
    const events = keeping.filter(({ row }) => stored.has(row.workerId)).flatMap((each) => each.events)
    return { isMore: uncertain.length === evaluatedTogether || rows.some(({ isCut }) => isCut), events: events.length }
  })
}
