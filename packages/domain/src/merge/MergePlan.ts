import { Result } from "effect"
import { Ban } from "../holding/Ban.ts"
import { Credential, type CredentialFields } from "../holding/Credential.ts"
import type { Decide } from "../ownership/Ownership.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import * as SoftDelete from "../resource/SoftDelete.ts"
import { taskIdOf } from "../screening/Task.ts"
import { fromRfc3339, type Instant } from "../shared/Instant.ts"
import { at, type JsonObject, type Path, put } from "../shared/Json.ts"
import { isRowType, type Merge, type MovedKind, MovedOn, movedKinds } from "./Merge.ts"

/** A row of a worker. */
export interface Held {
  readonly kind: MovedKind
  readonly stored: Stored
}

/** A row and its next version. */
export interface RowMove {
  readonly resource: Resource
  readonly before: Stored
  readonly next: Stored
}

/** A task and its next version. Without the first it is new. */
export interface TaskMove {
  readonly before: Stored | undefined
  readonly next: Stored
}

/** What a merge or its undo writes. */
export interface MergePlan {
  readonly worker: Stored<WorkerFields>
  readonly from: Stored<WorkerFields>
  /** The moved rows, in the order of their kinds. */
  readonly rows: ReadonlyArray<RowMove>
  /** The tasks about moved cards and bans, which follow them. */
  readonly tasks: ReadonlyArray<TaskMove>
  /** The account that owned the task about bans that move. */
  readonly taskOwner: string | undefined
  /** The accounts of users who are linked to the worker that has the rows now. */
  readonly users: ReadonlyArray<string>
}

/** The two workers, and the rows that move. */
export interface Parties {
  readonly worker: Stored<WorkerFields>
  readonly from: Stored<WorkerFields>
  readonly held: ReadonlyArray<Held>
  /** The tasks about these cards and, if a ban moves, about the bans of both workers. */
  readonly tasks: ReadonlyArray<Stored>
  /** The accounts of users who are linked to the worker that loses the rows. For an undo, of those that the merge moved. */
  readonly users: ReadonlyArray<string>
}

/** Tasks name the worker of their card. */
const workerOfTask: Path = ["worker", "id"]
const ownerOfTask: Path = ["assignee", "id"]

/** Returns the fields with another worker. Undefined if the row is not of the first one. */
const withWorker = (
  decide: Decide,
  { resource, worker: path }: MovedKind,
  fields: JsonObject,
  from: string,
  to: string
): JsonObject | undefined => {
  if (resource.type !== Credential.type) return at(fields, path) === from ? put(fields, path, to) : undefined
  // The slots of a credential change by the rules of ownership alone.
  const { owners } = (fields as CredentialFields).attributes
  const reference = (id: string) => ({ type: "worker", id }) as const
  const decision = decide(
    owners,
    { _tag: "Transfer", from: reference(from), to: reference(to) },
    { isPresent: true } // both workers are locked
  )
  return decision._tag === "Changed" ? put(fields, ["attributes", "owners"], { ...decision.owners }) : undefined
}

const renewed = <Fields extends JsonObject>(stored: Stored<Fields>, now: Instant): Stored<Fields> => ({
  ...stored,
  version: stored.version + 1,
  updatedAt: now
})

/** The rows with another worker, and the ids of those that are not of the first one. */
const moveAll = (
  decide: Decide,
  held: ReadonlyArray<Held>,
  from: string,
  to: string,
  now: Instant
): { readonly rows: ReadonlyArray<RowMove>; readonly astray: ReadonlyArray<string> } => {
  const rows: Array<RowMove> = []
  const astray: Array<string> = []
  for (const { kind, stored } of held) {
    const fields = withWorker(decide, kind, stored.fields, from, to)
    if (fields === undefined) astray.push(stored.id)
    else rows.push({ resource: kind.resource, before: stored, next: { ...renewed(stored, now), fields } })
  }
  return { rows, astray }
}

/** The tasks about moved cards name the new worker. They keep their owner and their creation time. */
const followed = (
  tasks: ReadonlyArray<Stored>,
  rows: ReadonlyArray<RowMove>,
  to: string,
  now: Instant
): ReadonlyArray<TaskMove> => {
  const ids = new Set(rows.map(({ next }) => taskIdOf(next.id)))
  return tasks
    .filter(({ fields, id }) => ids.has(id) && at(fields, workerOfTask) !== to)
    .map((before) => ({ before, next: { ...renewed(before, now), fields: put(before.fields, workerOfTask, to) } }))
}

/** The task about the bans of a worker: one for all of them, with an id of the worker's. */
const banTaskOf = (tasks: ReadonlyArray<Stored>, worker: string) => tasks.find(({ id }) => id === taskIdOf(worker))

const ownerOf = (task: Stored | undefined): string | undefined => {
  const owner = task && at(task.fields, ownerOfTask)
  return typeof owner === "string" ? owner : undefined
}

const isBan = ({ resource }: RowMove): boolean => resource.type === Ban.type

/** The task about a worker's bans with an owner. A new one names a ban; the next evaluation names the oldest, or ends it. */
const ownedTask = (before: Stored | undefined, ban: Stored, worker: string, owner: string, now: Instant): TaskMove => {
  if (before !== undefined) {
    return { before, next: { ...renewed(before, now), fields: put(before.fields, ownerOfTask, owner) } }
  }
  const checkedAt = at(ban.fields, ["checkedAt"])
  const fields = { reason: "POSSIBLE_BAN", ban: { id: ban.id }, worker: { id: worker }, assignee: { id: owner } }
  const createdAt = (typeof checkedAt === "string" ? fromRfc3339(checkedAt) : undefined) ?? ban.updatedAt
  return { before, next: { id: taskIdOf(worker), version: 1, createdAt, updatedAt: now, deletedAt: null, fields } }
}

/**
 * Returns what a merge writes: all rows of `from` belong to `worker`, and `from` is deleted and names `worker`. Rows of
 * `worker` stay as they are.
 */
export const planOfMerge = (decide: Decide, { from, held, tasks, users, worker }: Parties, now: Instant): MergePlan => {
  const { rows } = moveAll(decide, held, from.id, worker.id, now)
  const ban = rows.find(isBan)
  const kept = banTaskOf(tasks, worker.id)
  const taskOwner = ban && ownerOf(banTaskOf(tasks, from.id))
  const carried =
    ban === undefined || taskOwner === undefined || ownerOf(kept) !== undefined
      ? []
      : [ownedTask(kept, ban.next, worker.id, taskOwner, now)]
  return {
    worker: renewed(worker, now),
    from: { ...SoftDelete.remove(from, now), fields: { ...from.fields, mergedInto: { id: worker.id } } },
    rows,
    tasks: [...followed(tasks, rows, worker.id, now), ...carried],
    taskOwner,
    users
  }
}

/**
 * Returns what the undo of a merge writes: the rows that the merge moved, as they are now, belong to `from` again. Fails
 * with the ids of those that `worker` does not have any more.
 */
export const planOfUndo = (
  decide: Decide,
  merge: Pick<Merge, "id" | "moved">,
  { from, held, tasks, users, worker }: Parties,
  now: Instant
): Result.Result<MergePlan, MovedOn> => {
  const { astray, rows } = moveAll(decide, held, worker.id, from.id, now)
  const found = new Set(held.map(({ stored }) => stored.id))
  const missing = merge.moved.filter(({ id, type }) => isRowType(type) && !found.has(id))
  const ids = [...astray, ...missing.map(({ id }) => id)]
  if (ids.length > 0) return Result.fail(new MovedOn({ mergeId: merge.id, ids, hidden: 0 }))
  const { mergedInto: _, ...fields } = from.fields
  const ban = rows.find(isBan)
  const taskOwner = merge.moved.find(({ type }) => type === "taskOwner")?.id
  const left = banTaskOf(tasks, worker.id)
  const returned =
    ban === undefined || taskOwner === undefined
      ? []
      : [
          ownedTask(banTaskOf(tasks, from.id), ban.next, from.id, taskOwner, now),
          // The owner came with the bans.
          ...(left === undefined || ownerOf(left) !== taskOwner
            ? []
            : [{ before: left, next: { ...renewed(left, now), fields: put(left.fields, ownerOfTask, null) } }])
        ]
  return Result.succeed({
    worker: renewed(worker, now),
    from: { ...SoftDelete.restore(from, now), fields },
    rows,
    tasks: [...followed(tasks, rows, from.id, now), ...returned],
    taskOwner: undefined,
    users
  })
}

/** The kind of a moved row. */
export const kindOf = (type: string): MovedKind => {
  const kind = movedKinds.find(({ resource }) => resource.type === type)
  if (kind === undefined) throw new Error(`a merge moves no ${type}`)
  return kind
}
