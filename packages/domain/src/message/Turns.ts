import type { PersonalKind } from "../event/MessageDraft.ts"
import type { Instant } from "../shared/Instant.ts"
import { isSample, type MessageFields, type StoredMessage } from "./Message.ts"

/** A lower one goes first. 0: a person waits for a code. 1: somebody may wait for it. 2: all others. */
export const priorities = [0, 1, 2] as const
export type Priority = (typeof priorities)[number]

const ahead: Readonly<Partial<Record<MessageFields["kind"], Priority>>> = {
  REQUEST_CODE: 0,
  REQUEST: 1,
  REQUEST_REMINDER: 1,
  REQUEST_DECIDED: 1
} satisfies Partial<Record<PersonalKind, Priority>>

/** The priority of a message. A user waits for a sample, of any kind. */
export const priorityOf = (fields: Pick<MessageFields, "kind" | "cause">): Priority =>
  isSample(fields) ? 1 : (ahead[fields.kind] ?? 2)

/** The messages of a tenant that wait with a priority. */
export interface Queue {
  readonly tenantId: string
  readonly priority: Priority
  /** When the first of them is due. */
  readonly dueAt: Instant
}

/** A message that is due, with its queue. */
export interface DueMessage extends Pick<Queue, "tenantId" | "priority"> {
  readonly message: StoredMessage
}

/** A queue, and how many of its messages to read. */
export interface Share extends Queue {
  readonly count: number
}

/**
 * The most resting messages of a tenant that a read looks past. If more rest, the store fails, and the other messages of
 * the tenant wait for it.
 */
export const restingMax = 1_000

/**
 * The queues to read, with about `limit` messages together: those with the highest priority, and then the tenants whose last
 * turn is longest ago. `turnOf` increases with each turn. Resting messages that the store could not postpone stay first in
 * their queue, so a read of a tenant takes as many more as rest (`restingOf`).
 */
export const sharesOf = (
  queues: ReadonlyArray<Queue>,
  turnOf: (tenantId: string) => number,
  restingOf: (tenantId: string) => number,
  limit: number
): ReadonlyArray<Share> => {
  const first = queues
    .toSorted(
      (one, other) =>
        one.priority - other.priority || turnOf(one.tenantId) - turnOf(other.tenantId) || one.dueAt - other.dueAt
    )
    .slice(0, limit)
  const count = Math.ceil(limit / Math.max(1, first.length))
  return first.map((queue) => ({ ...queue, count: count + Math.min(restingOf(queue.tenantId), restingMax) }))
}

const keyOf = ({ priority, tenantId }: Pick<Queue, "tenantId" | "priority">): string => `${priority} ${tenantId}`

/**
 * The order in which to send messages, which are in order within each queue: by priority, and tenants in turn. So a tenant
 * with many messages delays a message of another tenant that has the same priority by one message at most.
 */
export const inTurn = (found: ReadonlyArray<DueMessage>, shares: ReadonlyArray<Share>): ReadonlyArray<DueMessage> => {
  const queues = Map.groupBy(found, keyOf)
  return priorities.flatMap((priority) => {
    const lines = shares.filter((share) => share.priority === priority).map((share) => queues.get(keyOf(share)) ?? [])
    const longest = Math.max(0, ...lines.map(({ length }) => length))
    return Array.from({ length: longest }, (_, rank) => lines.flatMap((line) => line[rank] ?? [])).flat()
  })
}
