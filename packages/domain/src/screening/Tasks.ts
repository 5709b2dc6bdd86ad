import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { nameOf, type Privileges } from "../access/Privilege.ts"
import { LinkNotFound } from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { Ban, type BanFields } from "../holding/Ban.ts"
import { Credential, type CredentialFields, readOn } from "../holding/Credential.ts"
import { Applicant, type ApplicantFields } from "../people/Applicant.ts"
import { isEngaged, type Owner } from "../people/Engaged.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import type { Shown, ShownPage } from "../resource/Collection.ts"
import { readsOf } from "../resource/DerivedAnswer.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type Document, ResourceNotFound, requireId, type Stored, toDocument } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { AccountId, ApplicantId, WorkerId } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { RequestId } from "../shared/RequestId.ts"
import { UserStore } from "../user/UserStore.ts"
import { Answer, type AnswerFields, isUndecided } from "./Answer.ts"
import { askedOwner, isOpenBan, openIn, workerTypeOf } from "./OpenTasks.ts"
import { Task, TaskFields, type TaskReason } from "./Task.ts"

const Assignee = Schema.NullOr(
  Schema.Struct({ id: AccountId.annotateKey({ description: "Id of an active user." }) })
).annotate({ description: "The user who owns the task; null if nobody does." })

/** The body of an assignment. */
export const Assignment = Schema.Struct({
  assignee: Assignee,
  previous: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ id: AccountId.annotateKey({ description: "Id of the owner." }) }))
  ).annotateKey({
    description:
      "The owner that the caller has seen; null for none. If another user owns the task meanwhile, the call is refused. " +
      "Without it, the last assignment counts."
  })
})
export type Assignment = typeof Assignment.Type

const { applicant: _, assignee: __, worker: ___, ...kept } = TaskFields.fields

/** The task has another owner than the caller has seen. */
export class TaskTaken extends Data.TaggedError("TaskTaken")<{
  readonly taskId: string
  readonly ownerId: string | null
}> {}

/** A task as the API shows it. */
export const TaskView = Schema.Struct({
  ...kept,
  worker: Schema.optionalKey(
    Schema.Struct({
      id: WorkerId,
      displayName: Schema.String.annotate({ description: "`identity.displayName` of the worker." })
    })
  ).annotateKey({ description: "The worker whose card, ban or answer it is." }),
  applicant: Schema.optionalKey(
    Schema.Struct({
      id: ApplicantId,
      displayName: Schema.String.annotate({ description: "`displayName` of the applicant, or the email address." })
    })
  ).annotateKey({ description: "The applicant whose answer it is, or whose card, if no worker owns the card." }),
  assignee: Assignee
})
export type TaskView = typeof TaskView.Type

/** The rows that a page of tasks is about. */
interface About {
  readonly credentials: ReadonlyMap<string, Stored<CredentialFields>>
  readonly bans: ReadonlyMap<string, Stored<BanFields>>
  readonly answers: ReadonlyMap<string, Stored<AnswerFields>>
  readonly workers: ReadonlyMap<string, Stored<WorkerFields>>
  readonly applicants: ReadonlyMap<string, Stored<ApplicantFields>>
  readonly today: string
}

const isBan = (subject: Stored<CredentialFields> | Stored<BanFields>): subject is Stored<BanFields> =>
  "register" in subject.fields

/** Whether a card or a ban still leaves something open for the person. */
const isOpenFor = (
  owner: Owner,
  reason: TaskReason,
  subject: Stored<CredentialFields> | Stored<BanFields> | undefined,
  today: string
): boolean => {
  if (subject === undefined || !isVisible(subject, false)) return false
  const { id } = owner.person
  if (isBan(subject)) return subject.fields.worker.id === id && isOpenBan(subject.fields, today)
  const read = readOn(subject, today).fields
  return askedOwner(read.attributes.owners)?.id === id && openIn(read, workerTypeOf(owner)) === reason
}

/** The person that a task is about, with the name. */
const personOf = (
  { applicant, worker }: TaskFields,
  { applicants, workers }: About
): readonly [Owner, displayName: string] | undefined => {
  const hired = workers.get(worker?.id ?? "")
  if (hired !== undefined) return [{ type: "worker", person: hired }, hired.fields.identity.displayName]
  const applying = worker === undefined ? applicants.get(applicant?.id ?? "") : undefined
  if (applying === undefined) return undefined
  const { displayName, emailAddress } = applying.fields
  return [{ type: "applicant", person: applying }, displayName ?? emailAddress]
}

/** Whether the reason of a task still holds for the person. Answers of people who have left are decided, too. */
const goesOn = ({ answer, ban, credential, reason }: TaskFields, owner: Owner, about: About): boolean => {
  if (answer !== undefined) {
    const found = about.answers.get(answer.id)
    return isVisible(owner.person, false) && found !== undefined && isVisible(found, false) && isUndecided(found.fields)
  }
  const subject = about.credentials.get(credential?.id ?? "") ?? about.bans.get(ban?.id ?? "")
  return isEngaged(owner, about.today) && isOpenFor(owner, reason, subject, about.today)
}

/** Returns the task as the API shows it; undefined if its state has ended and the person is not yet evaluated again. */
const shownTask = (task: Stored<TaskFields>, about: About): Document<TaskView> | undefined => {
  const { applicant: _, assignee, worker: __, ...document } = toDocument(Task, task)
  const assigned = { assignee: assignee.id === null ? null : { id: assignee.id } }
  if (task.fields.verificationSource !== undefined) return { ...document, ...assigned }
  const found = personOf(task.fields, about)
  if (found === undefined) return undefined
  const [owner, displayName] = found
  const person = { [owner.type]: { id: owner.person.id, displayName } }
  return goesOn(task.fields, owner, about) ? { ...document, ...person, ...assigned } : undefined
}

/** The tasks that a caller may see, by their kinds. */
const readable = (privileges: Privileges) => {
  const reads = (answer: "applicantTasks" | "cardTasks" | "sourceTasks") =>
    readsOf(answer).every((one) => privileges.has(nameOf(one)))
  return {
    answers: privileges.has("answer:READ"),
    applicants: reads("applicantTasks"),
    cards: reads("cardTasks"),
    sources: reads("sourceTasks")
  }
}

const without = (reason: TaskReason): ListQuery.Condition => ({ _tag: "Unequal", column: "reason", value: reason })
const withoutApplicant: ListQuery.Condition = { _tag: "Equal", column: "applicant_id", value: "" }

/** The conditions on the tasks about people and sources, for a caller who may see those about workers. */
const withSources = (privileges: Privileges): ReadonlyArray<ListQuery.Condition> => {
  const { answers, applicants } = readable(privileges)
  return [...(answers ? [] : [without("ANSWER_WAITING")]), ...(applicants ? [] : [withoutApplicant])]
}

/** The conditions on the tasks about people, for a caller who may see those about workers. */
export const ofPeople = (privileges: Privileges): ReadonlyArray<ListQuery.Condition> => [
  without("SOURCE_FAILED"),
  ...withSources(privileges)
]

/** The conditions on the tasks that a caller may see; undefined if the caller may see none. */
const visibleTo = (privileges: Privileges): ReadonlyArray<ListQuery.Condition> | undefined => {
  const { cards, sources } = readable(privileges)
  if (cards) return sources ? withSources(privileges) : ofPeople(privileges)
  return sources ? [{ _tag: "Equal", column: "reason", value: "SOURCE_FAILED" }] : undefined
}

/** Whether a caller may see a task, by what it is about. */
export const mayReadTask = (privileges: Privileges, { fields }: Stored<TaskFields>): boolean => {
  const { answers, applicants, cards, sources } = readable(privileges)
  if (fields.verificationSource !== undefined) return sources
  if (fields.answer !== undefined && !answers) return false
  return fields.applicant === undefined ? cards : applicants
}

/** Work that needs a person (DECISIONS.md#tasks). */
export class Tasks extends Context.Service<
  Tasks,
  {
    /** GET of a page of the tasks that the caller may see. Those that have ended since they were stored are left out. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<Document<TaskView>>, InvalidArgument, Caller>
    /**
     * Makes an active user the owner of a task, or nobody. Fails with LinkNotFound if there is no such user, and with
     * TaskTaken if the owner is not the `previous` one.
     */
    readonly assign: (
      id: string,
      assignment: Assignment
    ) => Effect.Effect<
      Shown<TaskView>,
      InvalidArgument | ResourceNotFound | LinkNotFound | TaskTaken,
      Caller | RequestId
    >
  }
>()("@wcs/domain/Tasks") {}

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const resources = yield* Resources
  const users = yield* UserStore

  const aboutOf = Effect.fnUntraced(function* (tasks: ReadonlyArray<typeof TaskFields.Type>) {
    const { tenantId } = yield* Caller
    const credentials = tasks.flatMap(({ credential }) => credential?.id ?? [])
    const bans = tasks.flatMap(({ ban }) => ban?.id ?? [])
    const answers = tasks.flatMap(({ answer }) => answer?.id ?? [])
    const workers = [...new Set(tasks.flatMap(({ worker }) => worker?.id ?? []))]
    const applicants = [...new Set(tasks.flatMap(({ applicant }) => applicant?.id ?? []))]
    return {
      credentials: yield* store.findAll(Credential, tenantId, credentials),
      bans: bans.length === 0 ? new Map() : yield* store.findAll(Ban, tenantId, bans),
      answers: answers.length === 0 ? new Map() : yield* store.findAll(Answer, tenantId, answers),
      workers: yield* store.findAll(Worker, tenantId, workers),
      applicants: applicants.length === 0 ? new Map() : yield* store.findAll(Applicant, tenantId, applicants)
    }
  })

  return Tasks.of({
    list: Effect.fnUntraced(function* (query) {
      const { privileges, tenantId, timeZone } = yield* Caller
      const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
      const selection = yield* Effect.fromResult(ListQuery.parse(Task, query, today))
      const further = visibleTo(privileges)
      const conditions = selection.conditions && further && [...selection.conditions, ...further]
      const page = yield* store.list(Task, tenantId, { ...selection, conditions })
      const about = yield* aboutOf(page.items.map(({ fields }) => fields))
      return {
        documents: page.items.flatMap((task) => shownTask(task, { ...about, today }) ?? []),
        pageSize: selection.pageSize,
        nextCursor: ListQuery.nextCursor(Task, selection, page),
        total: page.total,
        warnings: []
      }
    }),
    assign: Effect.fn("Tasks.assign")(function* (id, { assignee, previous }) {
      const { privileges, tenantId, timeZone } = yield* Caller
      const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
      yield* Effect.fromResult(requireId(Task, id))
      const missing = () => new ResourceNotFound({ entityType: Task.type, id })
      const found = yield* store.find(Task, tenantId, id)
      if (Option.isNone(found) || !mayReadTask(privileges, found.value)) return yield* missing()
      const about = yield* aboutOf([found.value.fields])
      const shown = shownTask(found.value, { ...about, today })
      if (shown === undefined) return yield* missing()
      if (assignee !== null) {
        const user = yield* users.find(tenantId, assignee.id)
        if (!Option.exists(user, ({ account }) => account.deactivatedAt === null)) {
          return yield* new LinkNotFound({ field: "assignee.id", entityType: "user", found: "none" })
        }
      }
      const assigned = resources.act(Task, id, "assign", (fields) => {
        const { id: ownerId } = fields.assignee
        const isDone = ownerId === (assignee?.id ?? null) // a repeated call
        const isAsSeen = isDone || previous === undefined || ownerId === (previous?.id ?? null)
        return isAsSeen
          ? Result.succeed({ ...fields, assignee: { id: assignee?.id ?? null } })
          : Result.fail(new TaskTaken({ taskId: id, ownerId }))
      })
      // Calls about tasks have no tags, so no condition can fail.
      const { document } = yield* Effect.catchTag(assigned, "PreconditionFailed", Effect.die)
      return { document: { ...shown, updatedAt: document.updatedAt, assignee }, warnings: [] }
    })
  })
})

export const layer = Layer.effect(Tasks, make)
