import { Array as Arr, Clock, Effect } from "effect"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential } from "../holding/Credential.ts"
import { heldLimit } from "../holding/Holdings.ts"
import { Applicant } from "../people/Applicant.ts"
import { isEngaged } from "../people/Engaged.ts"
import { Worker } from "../people/Worker.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { isId } from "../shared/Id.ts"
import { type Cause, changesIn, eventOf, type KeptStatus, statusOf, statusWithoutChecks } from "./KeptCompliance.ts"
import type { KeptComplianceStore, KeptRow } from "./KeptComplianceStore.ts"
import { openTasks } from "./OpenTasks.ts"
import { endless, type Having, lastDayOf, makeJudgeWorkers } from "./WorkerJudgements.ts"

/** The maximum number of people that are evaluated together. */
export const evaluatedTogether = 100

/** The status of a worker or an applicant, and the tasks about the person's cards. */
interface Evaluated extends Pick<Having, "tasksAt"> {
  readonly status: KeptStatus
}

const noTasks = () => []

/** The applicants whose cards are in memory together: up to 5,000 cards. */
const applicantsPerRead = 5

/** Returns a function that finds the tasks of applicants. No check counts for them. */
const makeEvaluateApplicants = (store: Pick<ResourceStore["Service"], "findAll" | "heldByEach">) =>
  Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>, today: string) {
    const evaluated = new Map<string, Evaluated>(
      ids.map((id) => [id, { status: statusWithoutChecks(endless), tasksAt: noTasks }])
    )
    const found = yield* store.findAll(Applicant, tenantId, ids)
    const engaged = [...found.values()].filter((person) => isEngaged({ type: "applicant", person }, today))
    for (const some of Arr.chunksOf(engaged, applicantsPerRead)) {
      const cards = yield* store.heldByEach(
        Credential,
        tenantId,
        some.map(({ id }) => id),
        heldLimit,
        "applicant"
      )
      for (const person of some) {
        const holdings = { credentials: cards.get(person.id) ?? [], exemptions: [] }
        evaluated.set(person.id, {
          status: statusWithoutChecks(lastDayOf({}, holdings, [], today)),
          tasksAt: (moment, timeZone) => openTasks({ type: "applicant", person }, holdings, moment, timeZone)
        })
      }
      yield* Effect.yieldNow
    }
    return evaluated
  })

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
        return [id, { status: statusOf(definitions, having), tasksAt: having?.tasksAt ?? noTasks }]
      })
    )
  })
}

/**
 * Returns a function that evaluates people by the present definitions and holdings, at most `evaluatedTogether`. An
 * applicant has tasks, and no result.
 */
export const makeEvaluate = (store: ResourceStore["Service"], kept: KeptComplianceStore["Service"]) => {
  const [workers, applicants] = [makeEvaluateWorkers(store, kept), makeEvaluateApplicants(store)]
  return Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>, today: string) {
    const isApplicant = (id: string) => isId("applicant", id)
    const applying = ids.filter(isApplicant)
    const evaluated = yield* workers(
      tenantId,
      ids.filter((id) => !isApplicant(id)),
      today
    )
    return applying.length === 0
      ? evaluated
      : new Map([...evaluated, ...(yield* applicants(tenantId, applying, today))])
  })
}

/** Returns the cause of a change of a status. Without a mark it is new rules, a new definition or a new day. */
const causeOf = ({ cause, status }: KeptRow, next: KeptStatus): Cause => {
  if (cause !== undefined) return cause
  if (status?.rulesVersion !== next.rulesVersion) return "RULES"
  return status.generation === next.generation ? "DAY" : "CHECK"
}

/**
 * Returns a function that evaluates uncertain people of a tenant and keeps their statuses. The marks are read before the
 * holdings, so a later change leaves a mark of its own. A row that another process has kept meanwhile is skipped, and so
 * is a person whose marks were not read because others have too many. Returns the number of events, and whether more
 * people may be uncertain.
 */
export const makeKeepNext = (
  store: ResourceStore["Service"],
  kept: KeptComplianceStore["Service"],
  eventId: () => string
) => {
  const evaluate = makeEvaluate(store, kept)
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
