import { Array as Arr, Clock, Context, Data, Effect, Layer, Option, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { type EntityType, type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { makeHeldBy } from "../crud/HeldBy.ts"
import { LinkNotFound, makeHolders } from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Ban, type BanFields, banLimit } from "../holding/Ban.ts"
import { eligibilityOn } from "../holding/BanDecision.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import {
  type FailingCredential,
  failingIn,
  type Holdings,
  heldLimit,
  reviewsIn,
  satisfiedTypes
} from "../holding/Holdings.ts"
import type { Eligibility, StatusDetail } from "../holding/Verification.ts"
import { isEngaged } from "../people/Engaged.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { derivedAnswers, readsOf } from "../resource/DerivedAnswer.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type Resource, ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { WorkerId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { ComplianceCheck, type ComplianceCheckFields } from "./ComplianceCheck.ts"

/**
 * The version of the rules of evaluation. Raise it when the same rows give other results than in the release before: kept
 * results of lower versions are then evaluated again. `KeptCompliance.test.ts` fails until it is raised.
 */
export const rulesVersion = 2

/** The maximum number of workers that one evaluation may name. */
export const namedLimit = 100

/** A worker by id or by external id. */
export const WorkerReference = Schema.Struct({
  id: Schema.optionalKey(WorkerId),
  externalId: Schema.optionalKey(Schema.String).annotateKey({
    description: "`source.externalId` of the worker, instead of `id`. Exactly one worker must have it."
  })
}).check(
  Schema.makeFilter(
    ({ externalId, id }: { readonly id?: string; readonly externalId?: string }) =>
      (id === undefined) !== (externalId === undefined) || "must have an id or an externalId, but not both"
  )
)
export type WorkerReference = typeof WorkerReference.Type

/** The workers to evaluate: the named ones, or a page of all. */
export const EvaluationRequest = Schema.Struct({
  workers: Schema.optionalKey(
    Schema.Array(WorkerReference).check(
      Schema.isMinLength(1, { message: "must name at least one worker" }),
      Schema.isMaxLength(namedLimit, { message: `must name at most ${namedLimit} workers` })
    )
  ).annotateKey({
    description:
      "The workers to evaluate, with one result each in this order. If absent, a page of all workers. " +
      "A page leaves out those who have left, so it can have fewer results than `pageSize`."
  })
})
export type EvaluationRequest = typeof EvaluationRequest.Type

/** The check exists but is disabled. */
export class CheckDisabled extends Data.TaggedError("CheckDisabled")<{ readonly code: string }> {}

/** The result of one worker in one check. */
export interface Judgement {
  readonly result: "PASS" | "FAIL"
  /** The unsatisfied credential types in the check's order; empty on PASS. */
  readonly missingCredentialTypes: ReadonlyArray<string>
  /** Those whose card of the worker needs a review, in the same order. */
  readonly reviews: ReadonlyArray<Review>
  /** The gravest card that does not count for each missing type, in the same order. A type without a card is left out. */
  readonly failingCredentials: ReadonlyArray<FailingCredential>
  /** The bans of the worker, which fail every check, and the possible ones, which need a review. */
  readonly bans: ReadonlyArray<CountedBan>
}

/** A record of a register of bans that keeps a check from passing. */
export type CountedBan = { readonly id: string; readonly eligibility: Eligibility }

/** Of a worker's records, those that keep each check from passing on a day. A record that clears the worker does not. */
export const bansThatCount = (bans: ReadonlyArray<Stored<BanFields>>, today: string): ReadonlyArray<CountedBan> =>
  bans
    .map(({ fields, id }) => ({ id, eligibility: eligibilityOn(fields, today) }))
    .filter(({ eligibility }) => eligibility === "MAY_NOT_ENGAGE" || eligibility === "REVIEW_REQUIRED")

/** The result of a check for a worker with these bans. */
export const withBans = (judged: Omit<Judgement, "bans">, bans: ReadonlyArray<CountedBan>): Judgement => ({
  ...judged,
  result: bans.length === 0 ? judged.result : "FAIL",
  bans
})

/** A type whose card of the worker needs a review, and why. */
export type Review = { readonly credentialType: string; readonly statusDetail: StatusDetail }

/** What a worker has that counts in a check. */
export interface Counting {
  readonly satisfied: ReadonlySet<string>
  readonly reviews: ReadonlyMap<string, StatusDetail>
  readonly failing: ReadonlyMap<string, FailingCredential>
}

/** Returns what a worker has on a day of the holdings that it owns, with exemptions only if they count. */
export const countingOf = (
  exemptionsCount: boolean,
  { fields, id }: Judged,
  { credentials, exemptions }: Holdings,
  today: string
): Counting => {
  const workerType = fields.employment?.workerType
  const own = {
    credentials: credentials.filter(({ fields }) => fields.attributes.owners.worker === id),
    exemptions: exemptionsCount ? exemptions.filter(({ fields }) => fields.worker?.id === id) : []
  }
  return {
    satisfied: satisfiedTypes(own, today, workerType),
    reviews: reviewsIn(own, today, workerType),
    failing: failingIn(own, today, workerType)
  }
}

/** A worker as far as a result depends on it. */
type Judged = Pick<Stored<Pick<WorkerFields, "employment">>, "id" | "fields">

/** Judges a worker by the satisfied types and by mode: ALL types must be satisfied, or ANY of them. */
export const judgeBy = (
  requirement: ComplianceCheckFields["requirement"],
  { failing, reviews, satisfied }: Counting
): Omit<Judgement, "bans"> => {
  const asked = [...new Set(requirement.credentialTypes)]
  const missing = asked.filter((type) => !satisfied.has(type))
  const passes = requirement.mode === "ALL" ? missing.length === 0 : missing.length < asked.length
  if (passes) return { result: "PASS", missingCredentialTypes: [], reviews: [], failingCredentials: [] }
  const open = missing.flatMap((credentialType) => {
    const statusDetail = reviews.get(credentialType)
    return statusDetail === undefined ? [] : [{ credentialType, statusDetail }]
  })
  const failingCredentials = missing.flatMap((credentialType) => failing.get(credentialType) ?? [])
  return { result: "FAIL", missingCredentialTypes: missing, reviews: open, failingCredentials }
}

/** Judges a worker on a day. */
export const judge = (
  requirement: ComplianceCheckFields["requirement"],
  worker: Judged,
  holdings: Holdings,
  today: string
): Omit<Judgement, "bans"> => judgeBy(requirement, countingOf(requirement.exemptionsCount, worker, holdings, today))

const answerOf = ({ exemptionsCount }: ComplianceCheckFields["requirement"]) =>
  exemptionsCount ? "evaluationWithExemptions" : "evaluation"

/** Returns the privileges needed to evaluate a requirement. */
export const privilegesFor = (requirement: ComplianceCheckFields["requirement"]) => readsOf(answerOf(requirement))

/** Returns the kinds of record from which the verdict of a requirement follows. */
export const kindsOf = (requirement: ComplianceCheckFields["requirement"]): ReadonlyArray<EntityType> =>
  derivedAnswers[answerOf(requirement)]

/** A judged worker. */
export interface Evaluated extends Judgement {
  readonly worker: { readonly id: string; readonly externalId?: string }
}

/** A page of results. */
export interface Evaluation {
  readonly items: ReadonlyArray<Evaluated>
  readonly pageSize: number
  /** The cursor of the next page of workers; null on the last page and for named workers. */
  readonly nextCursor: string | null
  readonly warnings: ReadonlyArray<string>
}

const nothingHeld = { items: [], isWhole: true }

export const tooMuchHeld = (worker: string): string =>
  `${worker} holds more than ${heldLimit} credentials or exemptions: only the ${heldLimit} oldest were evaluated`

/** Returns a function that reads the bans of each of these workers. */
export const makeBansOf = (store: Pick<ResourceStore["Service"], "heldByEach">) =>
  Effect.fnUntraced(function* (tenantId: string, workers: ReadonlyArray<string>) {
    const bansOf = new Map<string, ReadonlyArray<Stored<BanFields>>>()
    for (const some of Arr.chunksOf(workers, 50)) {
      const found = yield* store.heldByEach(Ban, tenantId, some, banLimit)
      for (const [worker, bans] of found) bansOf.set(worker, bans)
    }
    return bansOf
  })

/** Evaluates compliance checks. Read only. */
export class ComplianceEvaluation extends Context.Service<
  ComplianceEvaluation,
  {
    /**
     * Judges the named workers, one item per name, or else a page of all workers in the order of creation, without those
     * who have left. A worker with more than `heldLimit` credentials or exemptions is judged by the oldest, with a
     * warning. Fails with Forbidden if exemptions count and the caller may not read them.
     */
    readonly evaluate: (
      code: string,
      query: ListQuery.Query,
      request: EvaluationRequest
    ) => Effect.Effect<
      Evaluation,
      InvalidArgument | ResourceNotFound | CheckDisabled | Forbidden | LinkNotFound,
      Caller
    >
  }
>()("@wcs/domain/ComplianceEvaluation") {}

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const holdersOf = makeHolders(store)
  const heldBy = makeHeldBy(store)
  const bansOf = makeBansOf(store)

  const find = <Fields extends JsonObject>(resource: Resource<Fields>, tenantId: string, id: string) =>
    Effect.map(
      store.find(resource, tenantId, id),
      Option.filter((found) => isVisible(found, false))
    )

  const enabledCheck = Effect.fnUntraced(function* (tenantId: string, code: string) {
    const found = yield* find(ComplianceCheck, tenantId, code)
    if (Option.isNone(found)) return yield* new ResourceNotFound({ entityType: ComplianceCheck.type, id: code })
    return found.value.fields.enabled ? found.value.fields : yield* new CheckDisabled({ code })
  })

  const named = Effect.fnUntraced(function* (
    tenantId: string,
    { externalId, id = "" }: WorkerReference,
    field: string
  ) {
    const holders =
      externalId === undefined
        ? Option.toArray(yield* find(Worker, tenantId, id))
        : yield* holdersOf(Worker, "externalId", tenantId, externalId)
    const [worker] = holders
    if (worker !== undefined && holders.length === 1) return worker
    const found = worker === undefined ? "none" : "several"
    return yield* new LinkNotFound({ field, entityType: Worker.type, found })
  })

  /** Returns the oldest rows that a worker owns, and whether these are all. */
  const allHeldBy = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    worker: string
  ) {
    let page = yield* heldBy(resource, tenantId, worker)
    const items = [...page.items]
    while (page.nextCursor !== null && items.length < heldLimit) {
      page = yield* heldBy(resource, tenantId, worker, page.nextCursor)
      items.push(...page.items)
    }
    return { items, isWhole: page.nextCursor === null }
  })

  const evaluated = Effect.fnUntraced(function* (
    requirement: ComplianceCheckFields["requirement"],
    tenantId: string,
    stored: Stored<WorkerFields>,
    bans: ReadonlyArray<CountedBan>,
    today: string
  ) {
    const { fields, id } = stored
    const credentials = yield* allHeldBy(Credential, tenantId, id)
    const exemptions = requirement.exemptionsCount ? yield* allHeldBy(Exemption, tenantId, id) : nothingHeld
    const holdings = { credentials: credentials.items, exemptions: exemptions.items }
    const externalId = fields.source?.externalId
    const worker = externalId === undefined ? { id } : { id, externalId }
    const item: Evaluated = { worker, ...withBans(judge(requirement, stored, holdings, today), bans) }
    return { item, warnings: credentials.isWhole && exemptions.isWhole ? [] : [tooMuchHeld(id)] }
  })

  return ComplianceEvaluation.of({
    evaluate: Effect.fnUntraced(function* (code, query, request) {
      const { account, privileges, tenantId, timeZone } = yield* Caller
      const today = dayAt(yield* Clock.currentTimeMillis, timeZone)
      yield* Effect.fromResult(requireId(ComplianceCheck, code))
      const selection = yield* Effect.fromResult(ListQuery.parsePage(Worker, query))
      const [parameter] = Object.keys(query)
      if (request.workers !== undefined && parameter !== undefined) {
        return yield* new InvalidArgument({ field: parameter, reason: "cannot be combined with workers in the body" })
      }
      const { requirement } = yield* enabledCheck(tenantId, code)
      yield* Effect.fromResult(rules.authorize(account, privileges, privilegesFor(requirement)))
      const { items: workers, hasMore } =
        request.workers === undefined
          ? yield* store.list(Worker, tenantId, selection)
          : {
              items: yield* Effect.forEach(request.workers, (worker, index) =>
                named(tenantId, worker, `workers.${index}`)
              ),
              hasMore: false
            }
      const asked =
        request.workers === undefined
          ? workers.filter((person) => isEngaged({ type: "worker", person }, today))
          : workers
      // A worker that is named several times is judged once and listed each time.
      const distinct = new Map(asked.map((worker) => [worker.id, worker]))
      const bans = yield* bansOf(tenantId, [...distinct.keys()])
      const done = yield* Effect.forEach(distinct.values(), (worker) =>
        evaluated(requirement, tenantId, worker, bansThatCount(bans.get(worker.id) ?? [], today), today)
      )
      const itemOf = new Map(done.map(({ item }) => [item.worker.id, item]))
      return {
        items: asked.flatMap(({ id }) => itemOf.get(id) ?? []),
        pageSize: request.workers?.length ?? selection.pageSize,
        nextCursor: ListQuery.nextCursor(Worker, selection, { items: workers, hasMore }),
        warnings: done.flatMap(({ warnings }) => warnings)
      }
    })
  })
})

export const layer = Layer.effect(ComplianceEvaluation, make)
