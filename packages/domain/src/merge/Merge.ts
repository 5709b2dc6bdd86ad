import { Data, Schema } from "effect"
import type { EntityType, Privilege } from "../access/Privilege.ts"
import { rowsOf } from "../erasure/Erasure.ts"
import { undoDays } from "../erasure/UndoDays.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { createdAt, time, timeOrNull, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { MergeId, WorkerId } from "../shared/Id.ts"
import { type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import type { Path } from "../shared/Json.ts"

const dayMillis = 86_400_000

/** The most rows that a merge moves: it is one transaction. */
export const movedMax = 200

/** A kind of row that a merge moves, with the path of its worker. */
export interface MovedKind {
  readonly resource: Resource
  readonly column: string
  readonly worker: Path
}

/** All rows about a worker: the same that an erasure erases. */
export const movedKinds: ReadonlyArray<MovedKind> = rowsOf.worker.map(({ column, resource }) => {
  const worker = resource.columns[column]?.path
  if (worker === undefined) throw new Error(`${resource.type} has no column ${column}`)
  return { resource, column, worker }
})

const movedTypes = [
  "credential",
  "exemption",
  "ban",
  "captureRequest",
  "answer"
] as const satisfies ReadonlyArray<EntityType>
type MovedRowType = (typeof movedTypes)[number]

/**
 * A user is the account of a person: it follows the person's worker, so that nobody decides on the own cards. The owner of
 * the task about the bans of the merged worker is an account, too, and gets the task back.
 */
export type MovedType = MovedRowType | "user" | "taskOwner"

/**
 * The privileges of a merge and of its undo: UPDATE of workers and of all that can move, whether or not such a row
 * exists. Nobody has UPDATE of bans. Tasks follow their cards, as in a transfer, and answers their fetch requests.
 */
export const mergePrivileges: readonly [Privilege, ...ReadonlyArray<Privilege>] = [
  { entityType: "worker", operation: "UPDATE" },
  { entityType: "credential", operation: "UPDATE" },
  { entityType: "exemption", operation: "UPDATE" },
  { entityType: "captureRequest", operation: "UPDATE" }
]

/** The body of a merge. */
export const MergeRequest = Schema.Struct({
  from: WorkerId.annotateKey({
    description: "Id of the other worker. Everything about this worker moves to the worker in the path."
  })
})
export type MergeRequest = typeof MergeRequest.Type

export const statuses = ["MERGED", "UNDONE"] as const
export type Status = (typeof statuses)[number]

/** A row that a merge has moved, or an account that it concerned. */
export interface Moved {
  readonly type: MovedType
  readonly id: string
}

/** Whether a merge has moved a row. */
export const isRowType = (type: MovedType): type is MovedRowType => type !== "user" && type !== "taskOwner"

/** The record of a merge: ids and codes, no personal data. */
export interface Merge {
  readonly id: string
  readonly tenantId: string
  /** The worker that stays. */
  readonly workerId: string
  /** The worker that was merged into the other one. */
  readonly fromId: string
  readonly status: Status
  /** The URN of the account that merged. */
  readonly account: string
  readonly requestId: string
  readonly mergedAt: Instant
  readonly undoneAt: Instant | null
  readonly moved: ReadonlyArray<Moved>
}

/** The time until which a merge can be undone. */
export const undoableUntil = ({ mergedAt }: Pick<Merge, "mergedAt">): Instant => mergedAt + undoDays * dayMillis

const PersonOf = (what: string) =>
  Schema.Struct({
    id: WorkerId,
    displayName: Schema.String.annotate({ description: "`identity.displayName` of the worker." })
  }).annotate({ description: what })

const count = (what: string) =>
  Schema.NullOr(Schema.Int).annotate({
    description: `Number of ${what} that moved, deleted ones too. Null without READ of ${what}.`
  })

/** A merge as the API shows it. */
export const MergeDocument = Schema.Struct({
  id: MergeId,
  type: typeField("merge"),
  status: Schema.Literals(statuses).annotate({ description: "UNDONE: everything that moved is where it was before." }),
  worker: PersonOf("The worker that stays."),
  from: PersonOf("The worker that was merged into the other one."),
  moved: Schema.Struct({
    credential: count("credentials"),
    exemption: count("exemptions"),
    ban: count("bans"),
    captureRequest: count("fetch requests")
  }).annotate({ description: "Number of rows that moved, by their type." }),
  account: Schema.String.annotate({ description: "The URN of the account that merged." }),
  undoableUntil: time.annotate({ description: "Last time at which the merge can be undone: 30 days after it." }),
  undoneAt: timeOrNull("When the merge was undone. Null if it was not."),
  createdAt
})
export type MergeDocument = typeof MergeDocument.Type

/** Whether the caller may READ a type. */
export type MayRead = (type: EntityType) => boolean

/** Returns the merge as the API shows it to a caller. `workers` has the two workers, deleted ones too. */
export const documentOf = (
  merge: Merge,
  workers: ReadonlyMap<string, Pick<Stored<WorkerFields>, "fields">>,
  mayRead: MayRead
): MergeDocument => {
  const person = (id: string) => ({ id, displayName: workers.get(id)?.fields.identity.displayName ?? id })
  const counted = (type: MovedRowType) => (mayRead(type) ? merge.moved.filter((row) => row.type === type).length : null)
  return {
    id: merge.id,
    type: "merge",
    status: merge.status,
    worker: person(merge.workerId),
    from: person(merge.fromId),
    moved: {
      credential: counted("credential"),
      exemption: counted("exemption"),
      ban: counted("ban"),
      captureRequest: counted("captureRequest")
    },
    account: merge.account,
    undoableUntil: toRfc3339(undoableUntil(merge)),
    undoneAt: toRfc3339OrNull(merge.undoneAt),
    createdAt: toRfc3339(merge.mergedAt)
  }
}

/** A tenant's merges in the order of the calls. */
export const merges: Timeline<"workerId" | "fromId" | "status"> = {
  type: "merge",
  filters: { workerId: undefined, fromId: undefined, status: statuses },
  ends: false,
  newestFirst: true
}

/** The other worker has more rows than a merge moves. */
export class MergeTooLarge extends Data.TaggedError("MergeTooLarge")<{
  readonly workerId: string
  readonly limit: number
}> {}

/** Both workers together have more bans than a check reads, so one of them would clear the person. */
export class TooManyBans extends Data.TaggedError("TooManyBans")<{
  readonly workerIds: readonly [string, string]
  readonly limit: number
}> {}

/** The merge is older than 30 days, or one of its workers was erased. */
export class MergeFinal extends Data.TaggedError("MergeFinal")<{
  readonly mergeId: string
  readonly why: "EXPIRED" | "ERASED"
}> {}

/** The worker of the merge was itself merged into another one, so that merge has to be undone first. */
export class MergedAgain extends Data.TaggedError("MergedAgain")<{
  readonly mergeId: string
  readonly workerId: string
  readonly intoId: string
}> {}

/** Rows that the merge moved belong to somebody else now, so the undo cannot put them back. */
export class MovedOn extends Data.TaggedError("MovedOn")<{
  readonly mergeId: string
  readonly ids: ReadonlyArray<string>
  /** Number of further rows, which the caller may not READ. */
  readonly hidden: number
}> {}

/** There is no merge with this id. */
export class MergeNotFound extends Data.TaggedError("MergeNotFound")<{ readonly mergeId: string }> {}
