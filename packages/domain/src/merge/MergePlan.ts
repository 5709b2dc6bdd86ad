import { Result } from "effect"
import { Ban } from "../holding/Ban.ts"
import { Credential, type CredentialFields } from "../holding/Credential.ts"
import type { Decide } from "../ownership/Ownership.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import * as SoftDelete from "../resource/SoftDelete.ts"
import { taskIdOf } from "../screening/Task.ts"
import type { Instant } from "../shared/Instant.ts"
import { at, type JsonObject, type Path, put } from "../shared/Json.ts"
import { type Merge, type MovedKind, MovedOn, movedKinds } from "./Merge.ts"

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

/**
 * The task about bans is one for a worker, and has the worker's id. Its owner goes along with moved bans, unless the task of
 * the new worker has an owner. The next evaluation ends the task or names its oldest ban.
 */
const followedBans = (
  tasks: ReadonlyArray<Stored>,
  rows: ReadonlyArray<RowMove>,
  from: string,
  to: string,
  now: Instant
): ReadonlyArray<TaskMove> => {
  const [left, kept] = [from, to].map((worker) => tasks.find(({ id }) => id === taskIdOf(worker)))
  const owner = left && at(left.fields, ownerOfTask)
  const isOwned = kept !== undefined && typeof at(kept.fields, ownerOfTask) === "string"
  if (left === undefined || typeof owner !== "string" || isOwned) return []
  if (!rows.some(({ resource }) => resource.type === Ban.type)) return []
  const next =
    kept === undefined
      ? { ...left, id: taskIdOf(to), version: 1, updatedAt: now, fields: put(left.fields, workerOfTask, to) }
      : { ...renewed(kept, now), fields: put(kept.fields, ownerOfTask, owner) }
  return [{ before: kept, next }]
}

/**
 * Returns what a merge writes: all rows of `from` belong to `worker`, and `from` is deleted and names `worker`. Rows of
 * `worker` stay as they are.
 */
export const planOfMerge = (decide: Decide, { from, held, tasks, users, worker }: Parties, now: Instant): MergePlan => {
  const { rows } = moveAll(decide, held, from.id, worker.id, now)
  return {
    worker: renewed(worker, now),
    from: { ...SoftDelete.remove(from, now), fields: { ...from.fields, mergedInto: { id: worker.id } } },
    rows,
    tasks: [...followed(tasks, rows, worker.id, now), ...followedBans(tasks, rows, from.id, worker.id, now)],
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
  const missing = merge.moved.filter(({ id, type }) => type !== "user" && !found.has(id))
  const ids = [...astray, ...missing.map(({ id }) => id)]
  if (ids.length > 0) return Result.fail(new MovedOn({ mergeId: merge.id, ids, hidden: 0 }))
  const { mergedInto: _, ...fields } = from.fields
  return Result.succeed({
    worker: renewed(worker, now),
    from: { ...SoftDelete.restore(from, now), fields },
    rows,
    tasks: [...followed(tasks, rows, from.id, now), ...followedBans(tasks, rows, worker.id, from.id, now)],
    users
  })
}

/** The kind of a moved row. */
export const kindOf = (type: string): MovedKind => {
  const kind = movedKinds.find(({ resource }) => resource.type === type)
  if (kind === undefined) throw new Error(`a merge moves no ${type}`)
  return kind
}
