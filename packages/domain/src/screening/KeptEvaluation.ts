import { Clock, Effect } from "effect"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { Worker } from "../people/Worker.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { type Cause, changesIn, eventOf, type KeptStatus, statusOf } from "./KeptCompliance.ts"
import type { KeptComplianceStore, KeptRow } from "./KeptComplianceStore.ts"
import { makeJudgeWorkers } from "./WorkerJudgements.ts"

/** The maximum number of workers that are evaluated together. */
export const evaluatedTogether = 100

/** Returns a function that evaluates workers by the present definitions and holdings, at most `evaluatedTogether`. */
export const makeEvaluateWorkers = (store: ResourceStore["Service"], kept: KeptComplianceStore["Service"]) => {
  const judgeWorkers = makeJudgeWorkers(store)
  return Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>, today: string) {
    if (ids.length === 0) return new Map<string, KeptStatus>()
    const definitions = yield* kept.definitions(tenantId)
    const isNeeded = definitions.checks.length > 0
    const found = isNeeded ? yield* store.findAll(Worker, tenantId, ids) : new Map<string, never>()
    const living = [...found.values()].filter((worker) => isVisible(worker, false))
    const readsExemptions = definitions.checks.some(({ fields }) => fields.requirement.exemptionsCount)
    const judged = yield* judgeWorkers(tenantId, living, readsExemptions, today)
    return new Map(ids.map((id) => [id, statusOf(definitions, judged.get(id))]))
  })
}

/** Returns the cause of a change of a status. Without a mark it is a new definition or a new day. */
const causeOf = ({ cause, status }: KeptRow, next: KeptStatus): Cause =>
  cause ?? (status?.generation === next.generation ? "DAY" : "CHECK")

/**
 * Returns a function that evaluates uncertain workers of a tenant and keeps their statuses. The marks are read before the
 * holdings, so a later change leaves a mark of its own. A row that another process has kept meanwhile is skipped.
 * Returns the numbers of uncertain workers and of events.
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
    if (uncertain.length === 0) return { uncertain: 0, events: 0 }
    const rows = yield* kept.read(tenantId, uncertain)
    const statuses = yield* evaluate(tenantId, uncertain, today)
    const keeping = [...rows.values()].flatMap((row) => {
      const status = statuses.get(row.workerId)
      if (status === undefined) return []
      const cause = causeOf(row, status)
      const changes = changesIn(row.status, status)
      return [{ row, status, events: changes.map((change) => eventOf(eventId(), row.workerId, change, cause, now)) }]
    })
    const stored = yield* kept.keep(tenantId, keeping)
    const events = keeping.filter(({ row }) => stored.has(row.workerId)).flatMap((each) => each.events)
    return { uncertain: uncertain.length, events: events.length }
  })
}
