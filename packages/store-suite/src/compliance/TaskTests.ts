import { assert } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Ban } from "@wcs/domain/holding/Ban"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Applicant, type ApplicantFields } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { makeEvaluateWorkers } from "@wcs/domain/screening/KeptEvaluation"
import { Task, taskIdOf } from "@wcs/domain/screening/Task"
import { VerificationSource, type VerificationSourceFields } from "@wcs/domain/verification/VerificationSource"
import { Effect } from "effect"
import {
  applicantFields,
  created,
  credentialFields,
  find,
  mint,
  put,
  remove,
  revise,
  select,
  type TenantTest
} from "../Fixtures.ts"
import { changeOwner } from "../ownership/Owning.ts"
import { sampleOf } from "../resource/RandomFields.ts"
import * as World from "./ComplianceWorld.ts"

/** The cards that wait for a decision, by the plain words of the rule. */
export const waitingIn = Effect.fnUntraced(function* ({
  cards,
  day,
  tenant,
  workers
}: {
  readonly tenant: string
  readonly workers: ReadonlyArray<string>
  readonly cards: ReadonlyArray<string>
  readonly day: number
}) {
  const today = World.dayOn(day)
  const isPast = (last: string | undefined) => last !== undefined && last < today
  const waiting: Array<string> = []
  for (const id of cards) {
    const card = yield* find(Credential, tenant, id)
    const { decision, expiryDate, owners, statusDetail } = card?.fields.attributes ?? assert.fail()
    const holder = yield* find(Worker, tenant, owners.worker ?? "")
    const { endDate, status } = holder?.fields.employment ?? {}
    const hasLeft = holder?.deletedAt !== null || status === "TERMINATED" || isPast(endDate)
    const isDecided = decision !== undefined && !isPast(decision.endsOn)
    if (card?.deletedAt !== null || hasLeft || isDecided || isPast(expiryDate)) continue
    if (statusDetail === "CONDITIONAL") waiting.push(id)
  }
  const bans = yield* (yield* ResourceStore).heldByEach(Ban, tenant, workers, 100)
  for (const id of workers) {
    const worker = yield* find(Worker, tenant, id)
    const { endDate, status } = worker?.fields.employment ?? {}
    if (worker?.deletedAt !== null || status === "TERMINATED" || isPast(endDate)) continue
    const open = bans.get(id)?.find(({ fields: { decision, eligibility } }) => {
      const isDecided = decision !== undefined && !isPast(decision.endsOn)
      return eligibility === "REVIEW_REQUIRED" && !isDecided
    })
    if (open !== undefined) waiting.push(open.id)
  }
  return waiting.sort()
})

/** The tasks of a tenant, at most 100. */
export const tasksOf = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* ResourceStore
  return (yield* store.list(Task, tenant, select({ pageSize: 100 }))).items
})

/** Evaluates one worker, and returns what keeps the result. */
const evaluationOf = Effect.fnUntraced(function* (tenant: string, worker: string) {
  const [resources, store] = [yield* ResourceStore, yield* KeptComplianceStore]
  const row = (yield* store.read(tenant, [worker])).get(worker) ?? assert.fail()
  const now = World.timeOn(0)
  const evaluate = makeEvaluateWorkers(resources, store)
  const found = (yield* evaluate(tenant, [worker], World.dayOn(0))).get(worker) ?? assert.fail()
  const tasks = found.tasksAt({ now, today: World.dayOn(0) }, World.timeZone)
  return store.keep(tenant, [{ row, status: found.status, tasks, events: [] }])
})

/** Each task: its id, its worker and its owner. */
const heldIn = (tenant: string) =>
  Effect.map(tasksOf(tenant), (tasks) => tasks.map(({ fields, id }) => [id, fields.worker?.id, fields.assignee.id]))

/** An assigned task about a card that is about to move to another worker. */
const movingTask = Effect.fnUntraced(function* (tenant: string) {
  const [from, to] = [yield* World.putWorker(tenant), yield* World.putWorker(tenant)]
  const asking = { eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" } as const
  const { attributes } = World.card(from, "WWCC_NSW")
  const card = yield* World.putCard(tenant, { attributes: { ...attributes, ...asking } })
  yield* World.keepAll(tenant, 0)
  const owner = mint("account")
  yield* revise(Task, tenant, taskIdOf(card), (current) => ({
    ...current,
    version: current.version + 1,
    fields: { ...current.fields, assignee: { id: owner } }
  }))
  return {
    ...{ card, from, owner, to },
    keepOf: (worker: string) => Effect.flatten(evaluationOf(tenant, worker)),
    move: changeOwner(tenant, card, {
      _tag: "Transfer",
      from: { type: "worker", id: from },
      to: { type: "worker", id: to }
    })
  }
})

/** Makes a user the owner of the task about a card. */
const assignTo = (tenant: string, card: string, owner: string) =>
  revise(Task, tenant, taskIdOf(card), (current) => ({
    ...current,
    version: current.version + 1,
    fields: { ...current.fields, assignee: { id: owner } }
  }))

/** An applicant with a card that asks a person. */
const applying = Effect.fnUntraced(function* (
  tenant: string,
  attributes: Partial<CredentialFields["attributes"]> = {}
) {
  const applicant = mint("applicant")
  yield* put(Applicant, tenant, created(applicant, applicantFields()))
  const asking = { eligibility: "REVIEW_REQUIRED", statusDetail: "POSSIBLE_MATCH" } as const
  const card = yield* World.putCard(
    tenant,
    credentialFields({ worker: null, applicant }, { credentialType: "WWCC_NSW", ...asking, ...attributes })
  )
  return {
    ...{ applicant, card },
    setStatus: (status: ApplicantFields["status"]) =>
      revise(Applicant, tenant, applicant, (current) => ({
        ...current,
        version: current.version + 1,
        fields: { ...current.fields, status }
      })),
    /** The tasks after the evaluation on a day: id, worker, applicant and owner. */
    read: Effect.fnUntraced(function* (day: number) {
      yield* World.keepAll(tenant, day)
      return (yield* tasksOf(tenant)).map(({ fields, id }) => [
        ...[id, fields.worker?.id ?? null, fields.applicant?.id, fields.assignee.id]
      ])
    })
  }
})

/** Tests the tasks that are kept with the compliance of workers, and those about sources. */
export const taskTests = (it: TenantTest): void => {
  it("a task begins with its state, keeps its owner while the state lasts, and ends with it", function* (tenant) {
    const worker = yield* World.putWorker(tenant)
    const asking = { eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" } as const
    const { attributes } = World.card(worker, "WWCC_NSW")
    const lastVerifiedAt = "2026-01-20T10:00:00.000Z"
    const id = yield* World.putCard(tenant, { attributes: { ...attributes, ...asking, lastVerifiedAt } })
    const read = (change: object) =>
      Effect.gen(function* () {
        yield* revise(Credential, tenant, id, (current) => ({
          ...current,
          version: current.version + 1,
          fields: { attributes: { ...current.fields.attributes, ...change } }
        }))
        yield* World.keepAll(tenant, 0)
        const [task] = yield* tasksOf(tenant)
        return task && [task.fields.reason, task.createdAt, task.fields.assignee.id]
      })
    assert.deepStrictEqual(yield* read({}), ["CONDITIONAL", Date.parse(lastVerifiedAt), null])
    const owner = mint("account")
    yield* revise(Task, tenant, taskIdOf(id), (current) => ({
      ...current,
      version: current.version + 1,
      fields: { ...current.fields, assignee: { id: owner } }
    }))
    const later = "2026-01-25T10:00:00.000Z"
    const again = yield* read({ category: "other", lastVerifiedAt: later })
    assert.deepStrictEqual(again, ["CONDITIONAL", Date.parse(lastVerifiedAt), owner])
    const to = { type: "worker", id: yield* World.putWorker(tenant) } as const
    yield* changeOwner(tenant, id, { _tag: "Transfer", from: { type: "worker", id: worker }, to })
    assert.deepStrictEqual(yield* read({}), again, "another worker holds the card now")
    const other = yield* read({ statusDetail: "POSSIBLE_MATCH" })
    assert.deepStrictEqual(other, ["POSSIBLE_MATCH", Date.parse(later), owner])
    assert.isUndefined(yield* read({ eligibility: "MAY_ENGAGE", statusDetail: "VALID" }))
    assert.deepStrictEqual(yield* read(asking), ["CONDITIONAL", Date.parse(later), null])
  })

  it("a task stays with the card when another worker's evaluation began before the card moved", function* (tenant) {
    const { card, from, keepOf, move, owner, to } = yield* movingTask(tenant)
    const early = yield* evaluationOf(tenant, from)
    yield* move
    yield* keepOf(to)
    const held = [taskIdOf(card), to, owner]
    assert.deepStrictEqual(yield* heldIn(tenant), [held], "the worker who holds the card now was evaluated")
    yield* early
    assert.deepStrictEqual(yield* heldIn(tenant), [held], "an evaluation of before the move is kept late")
    yield* World.keepAll(tenant, 0)
    assert.deepStrictEqual(yield* heldIn(tenant), [held])
  })

  it("a task keeps its owner when the worker who gave the card away is evaluated first", function* (tenant) {
    const { card, from, keepOf, move, owner, to } = yield* movingTask(tenant)
    yield* move
    yield* keepOf(from)
    yield* keepOf(to)
    assert.deepStrictEqual(yield* heldIn(tenant), [[taskIdOf(card), to, owner]])
  })

  it("a task about a card that moved ends if the card leaves no question to its new holder", function* (tenant) {
    const { card, from, keepOf, move, to } = yield* movingTask(tenant)
    yield* move
    yield* revise(Credential, tenant, card, (current) => ({
      ...current,
      version: current.version + 1,
      fields: {
        attributes: { ...current.fields.attributes, eligibility: "MAY_ENGAGE" as const, statusDetail: "VALID" as const }
      }
    }))
    yield* keepOf(from)
    yield* keepOf(to)
    assert.deepStrictEqual(yield* heldIn(tenant), [])
  })

  it("a card that only an applicant owns has a task, which goes with the card to the worker", function* (tenant) {
    const { applicant, card, read, setStatus } = yield* applying(tenant)
    assert.deepStrictEqual(yield* read(0), [[taskIdOf(card), null, applicant, null]])
    const owner = mint("account")
    yield* assignTo(tenant, card, owner)
    yield* setStatus("WITHDRAWN")
    assert.deepStrictEqual(yield* read(0), [], "the applicant withdrew")
    yield* setStatus("SCREENING")
    assert.deepStrictEqual(yield* read(0), [[taskIdOf(card), null, applicant, null]])
    yield* assignTo(tenant, card, owner)
    const worker = yield* World.putWorker(tenant)
    const [hired, applied] = [{ type: "worker", id: worker } as const, { type: "applicant", id: applicant } as const]
    yield* changeOwner(tenant, card, { _tag: "Link", to: hired })
    assert.deepStrictEqual(yield* read(0), [[taskIdOf(card), worker, undefined, owner]], "both own the card")
    yield* changeOwner(tenant, card, { _tag: "Unlink", from: hired })
    assert.deepStrictEqual(yield* read(0), [[taskIdOf(card), null, applicant, owner]], "the worker has left it")
    yield* changeOwner(tenant, card, { _tag: "Transfer", from: applied, to: hired })
    assert.deepStrictEqual(yield* read(0), [[taskIdOf(card), worker, undefined, owner]], "the applicant is hired")
  })

  it("a task about an applicant's card begins and ends with a day, and with the card", function* (tenant) {
    const { applicant, card, read } = yield* applying(tenant, {
      ...{ eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" },
      decision: World.decision(World.dayOn(2), true)
    })
    assert.deepStrictEqual(yield* read(2), [], "decided")
    assert.deepStrictEqual(yield* read(3), [[taskIdOf(card), null, applicant, null]], "the decision has ended")
    yield* World.putCheck(tenant, "base")
    const { uncertain } = yield* KeptComplianceStore
    assert.deepStrictEqual(yield* uncertain(tenant, World.dayOn(3), 9), [], "no check counts for applicants")
    yield* remove(Credential, tenant, card)
    assert.deepStrictEqual(yield* read(3), [])
  })

  it("a source that fails has a task until it works or is deleted", function* (tenant) {
    const id = mint("verificationSource")
    const fields = sampleOf(VerificationSource) as VerificationSourceFields
    yield* put(VerificationSource, tenant, created(id, { ...fields, state: "OK" }))
    const after = (state: VerificationSourceFields["state"], deletedAt: number | null = null) =>
      Effect.gen(function* () {
        yield* revise(VerificationSource, tenant, id, (current) => ({
          ...current,
          version: current.version + 1,
          updatedAt: current.updatedAt + 7,
          deletedAt,
          fields: { ...current.fields, state }
        }))
        return (yield* tasksOf(tenant)).map(({ fields: { reason, verificationSource }, ...task }) => [
          ...[task.id, reason, verificationSource?.id]
        ])
      })
    const task = [taskIdOf(id), "SOURCE_FAILED", id]
    assert.deepStrictEqual(yield* after("PAUSED"), [])
    assert.deepStrictEqual(yield* after("REFUSED"), [task])
    assert.deepStrictEqual(yield* after("AWAY"), [task])
    assert.deepStrictEqual(yield* after("OK"), [])
    assert.deepStrictEqual(yield* after("NOT_CONFIGURED"), [task])
    assert.deepStrictEqual(yield* after("NOT_CONFIGURED", 1), [])
  })
}
