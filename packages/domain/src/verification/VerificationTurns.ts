import type { Instant } from "../shared/Instant.ts"

/** How many runs a worker carries out at a time. */
export interface Limits {
  readonly total: number
  /** Per credential type, so that a slow register does not delay others. */
  readonly perType: number
}

/** The queue of a run. Each credential type may have its own register. */
export interface RunQueue {
  readonly tenantId: string
  readonly credentialType: string
}

interface Due extends RunQueue {
  readonly dueAt: Instant
}

interface Waiting<One> {
  readonly one: One
  /** How many runs come before it in its group, with those in flight. */
  readonly turn: number
}

const inOrder = <One extends Due>(waiting: ReadonlyArray<Waiting<One>>): ReadonlyArray<Waiting<One>> =>
  waiting.toSorted((first, second) => first.turn - second.turn || first.one.dueAt - second.one.dueAt)

/** Numbers the waiting runs of each group in their order, after the group's runs in flight. */
const ranked = <One extends Due>(
  waiting: ReadonlyArray<Waiting<One>>,
  inFlight: ReadonlyArray<RunQueue>,
  groupOf: (queue: RunQueue) => string
): ReadonlyArray<Waiting<One>> => {
  const counts = new Map<string, number>()
  const next = (queue: RunQueue) => {
    const turn = counts.get(groupOf(queue)) ?? 0
    counts.set(groupOf(queue), turn + 1)
    return turn
  }
  for (const run of inFlight) next(run)
  return inOrder(waiting).map(({ one }) => ({ one, turn: next(one) }))
}

/**
 * The due runs to take next. Balances the runs in flight among tenants, and within a tenant among credential types.
 * Ties go to the longest waiting. Also chooses the queues to read runs from, if each has one run.
 */
export const inTurn = <One extends Due>(
  due: ReadonlyArray<One>,
  { perType, total }: Limits,
  inFlight: ReadonlyArray<RunQueue>
): ReadonlyArray<One> => {
  const first = due.map((one) => ({ one, turn: 0 }))
  const inQueues = ranked(first, inFlight, ({ credentialType, tenantId }) => `${tenantId} ${credentialType}`)
  const inTenants = ranked(inQueues, inFlight, ({ tenantId }) => tenantId)
  return ranked(inTenants, inFlight, ({ credentialType }) => credentialType)
    .filter(({ turn }) => turn < perType)
    .slice(0, Math.max(0, total - inFlight.length))
    .map(({ one }) => one)
}
