import { Array as Arr, Effect } from "effect"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import type { BanFields } from "../holding/Ban.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { type Holdings, heldLimit } from "../holding/Holdings.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { Moment } from "../shared/CalendarDay.ts"
import { dayAfter } from "../shared/Instant.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ComplianceCheckFields } from "./ComplianceCheck.ts"
import {
  bansThatCount,
  type CountedBan,
  countingOf,
  type Judgement,
  judgeBy,
  makeBansOf,
  withBans
} from "./ComplianceEvaluation.ts"
import { openBanTasks, openTasks } from "./OpenTasks.ts"

/** The last day of results that no day changes. */
export const endless = "9999-12-31"

/** Holdings of which a worker has more than `heldLimit`. */
export type Beyond = "credentials" | "exemptions"

/** Returns the last day, from today, on which a worker, holdings and bans that nobody changes count as they do today. */
export const lastDayOf = (
  { employment }: Pick<WorkerFields, "employment">,
  { credentials, exemptions }: Holdings,
  bans: ReadonlyArray<Stored<BanFields>>,
  today: string
): string =>
  [
    ...bans.flatMap(({ fields }) => fields.decision?.endsOn ?? []),
    ...(employment?.endDate === undefined ? [] : [employment.endDate]),
    ...credentials.flatMap(({ fields }) => fields.attributes.expiryDate ?? []),
    ...credentials.flatMap(({ fields }) => fields.attributes.decision?.endsOn ?? []),
    ...exemptions.flatMap(({ fields }) => fields.expiryDate ?? []),
    ...exemptions.flatMap(({ fields: { issueDate = "" } }) => (issueDate > today ? dayAfter(issueDate, -1) : []))
  ].reduce((first, day) => (day >= today && day < first ? day : first), endless)

/** What a worker has on a day, as an evaluation counts it. */
export interface Having {
  readonly judge: (requirement: ComplianceCheckFields["requirement"]) => Judgement
  readonly bans: ReadonlyArray<CountedBan>
  /** The last day on which each result stays if nothing is written. */
  readonly through: string
  /** The kinds of holdings of which the worker has more than `heldLimit`. */
  readonly beyond: ReadonlyArray<Beyond>
  /** The tasks about the worker's cards and bans. */
  readonly tasksAt: (moment: Moment, timeZone: string) => ReturnType<typeof openTasks>
}

/** The workers whose holdings are in memory together, up to 2,000 each. More would cost long garbage collections. */
const workersPerRead = 5

/** Returns a function that judges many workers. The types that each satisfies are found once, not per check. */
export const makeJudgeWorkers = (store: Pick<ResourceStore["Service"], "heldByEach">) => {
  const bansOf = makeBansOf(store)

  /** Returns the oldest rows of each worker, and the workers that have more. */
  const held = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    workers: ReadonlyArray<string>
  ) {
    const found = yield* store.heldByEach(resource, tenantId, workers, heldLimit + 1)
    return {
      of: (worker: string): ReadonlyArray<Stored<Fields>> => found.get(worker)?.slice(0, heldLimit) ?? [],
      isBeyond: (worker: string) => (found.get(worker)?.length ?? 0) > heldLimit
    }
  })

  /** `readsExemptions`: whether a check counts them. Without them, `judge` must not be called for such a check. */
  return Effect.fnUntraced(function* (
    tenantId: string,
    workers: ReadonlyArray<Stored<WorkerFields>>,
    readsExemptions: boolean,
    today: string
  ) {
    const judged = new Map<string, Having>()
    const bansByWorker = yield* bansOf(
      tenantId,
      workers.map(({ id }) => id)
    )
    for (const some of Arr.chunksOf(workers, workersPerRead)) {
      const ids = some.map(({ id }) => id)
      const credentials = yield* held(Credential, tenantId, ids)
      const exemptions = yield* held(Exemption, tenantId, readsExemptions ? ids : [])
      for (const worker of some) {
        const { id } = worker
        const holdings = { credentials: credentials.of(id), exemptions: exemptions.of(id) }
        const counting = (exemptionsCount: boolean) => countingOf(exemptionsCount, worker, holdings, today)
        const [byCredentials, byAll] = [counting(false), counting(true)]
        const bans = bansByWorker.get(id) ?? []
        const counted = bansThatCount(bans, today)
        judged.set(id, {
          judge: (requirement) =>
            withBans(judgeBy(requirement, requirement.exemptionsCount ? byAll : byCredentials), counted),
          bans: counted,
          tasksAt: (moment, timeZone) => [
            ...openTasks({ type: "worker", person: worker }, holdings, moment, timeZone),
            ...openBanTasks(worker, bans, moment, timeZone)
          ],
          through: lastDayOf(worker.fields, holdings, bans, today),
          beyond: [
            ...(credentials.isBeyond(id) ? (["credentials"] as const) : []),
            ...(exemptions.isBeyond(id) ? (["exemptions"] as const) : [])
          ]
        })
        yield* Effect.yieldNow
      }
    }
    return judged
  })
}
