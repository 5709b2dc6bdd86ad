import { Context, Effect, Exit, FiberSet, type Scope, Tracer } from "effect"

/** Limits per tenant. */
export interface GroupLimits {
  /** The maximum number of transitions per group. */
  readonly size: number
  /** The maximum number of groups in flight. */
  readonly inFlight: number
  /** The maximum number of transitions that wait. Others are not grouped. */
  readonly waiting: number
}

/** A transition of one credential. */
interface Grouped {
  readonly credentialId: string
}

/** A waiting transition. `end` answers its caller. */
interface Waiting<Member, E> {
  readonly member: Member
  readonly context: Context.Context<never>
  readonly end: (exit: Exit.Exit<boolean, E>) => void
}

/** The transitions of a tenant. */
interface Queue<Member, E> {
  readonly tenantId: string
  readonly waiting: Set<Waiting<Member, E>>
  /** The credentials of the groups in flight. */
  readonly busy: Set<string>
  inFlight: number
  /** Groups start at the next turn of the event loop. */
  isDue: boolean
}

/** The spans of a group's callers. */
const linksOf = (group: ReadonlyArray<{ readonly context: Context.Context<never> }>) =>
  group.flatMap(({ context }) => {
    const span = Context.getOrUndefined(context, Tracer.ParentSpan)
    return span === undefined ? [] : [{ span, attributes: {} }]
  })

/**
 * Groups transitions that arrive together. A group runs as soon as fewer than `inFlight` are in flight. If the store is
 * idle, that is the next turn of the event loop: the group has the transitions that one read of the sockets brings.
 * Groups in flight never share a credential: later transitions of it wait for the next group.
 *
 * `run` returns the members whose result is valid. The returned function reports whether this member is among them;
 * false also if too many wait. If the caller is interrupted, its transition may still run. Others are not affected.
 */
export const make = Effect.fnUntraced(function* <Member extends Grouped, E>(
  limits: GroupLimits,
  run: (tenantId: string, members: ReadonlyArray<Member>) => Effect.Effect<ReadonlySet<Member>, E>
): Effect.fn.Return<(tenantId: string, member: Member) => Effect.Effect<boolean, E>, never, Scope.Scope> {
  const queues = new Map<string, Queue<Member, E>>()
  const fork = yield* FiberSet.makeRuntime<never, void, never>()

  const take = ({ busy, waiting }: Queue<Member, E>): ReadonlyArray<Waiting<Member, E>> => {
    const group: Array<Waiting<Member, E>> = []
    for (const each of waiting) {
      if (group.length === limits.size) break
      if (busy.has(each.member.credentialId)) continue
      busy.add(each.member.credentialId)
      waiting.delete(each)
      group.push(each)
    }
    return group
  }

  const runAll = (queue: Queue<Member, E>, group: ReadonlyArray<Waiting<Member, E>>) => {
    const members = group.map(({ member }) => member)
    return Effect.suspend(() => run(queue.tenantId, members)).pipe(
      Effect.withSpan("OwnershipStore.group", { attributes: { size: group.length }, links: linksOf(group) }),
      Effect.onExit((exit) => Effect.sync(() => settle(queue, group, exit))),
      Effect.exit
    )
  }

  const start = (queue: Queue<Member, E>): void => {
    queue.isDue = false
    while (queue.inFlight < limits.inFlight) {
      const group = take(queue)
      const [first] = group
      if (first === undefined) break
      queue.inFlight++
      fork(Effect.provideContext(runAll(queue, group), first.context))
    }
    if (queue.inFlight === 0) queues.delete(queue.tenantId)
  }

  const startSoon = (queue: Queue<Member, E>): void => {
    if (queue.isDue) return
    queue.isDue = true
    fork(
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => start(queue))
      )
    )
  }

  const settle = (
    queue: Queue<Member, E>,
    group: ReadonlyArray<Waiting<Member, E>>,
    exit: Exit.Exit<ReadonlySet<Member>, E>
  ): void => {
    queue.inFlight--
    for (const { end, member } of group) {
      queue.busy.delete(member.credentialId)
      end(Exit.map(exit, (stands) => stands.has(member)))
    }
    startSoon(queue)
  }

  const queueOf = (tenantId: string): Queue<Member, E> => {
    const known = queues.get(tenantId)
    if (known !== undefined) return known
    const waiting = new Set<Waiting<Member, E>>()
    const queue = { tenantId, waiting, busy: new Set<string>(), inFlight: 0, isDue: false }
    queues.set(tenantId, queue)
    return queue
  }

  return (tenantId, member) =>
    Effect.withFiber(({ context }) =>
      Effect.callback<boolean, E>((resume) => {
        const queue = queueOf(tenantId)
        if (queue.waiting.size >= limits.waiting) return resume(Effect.succeed(false))
        const waiting: Waiting<Member, E> = { member, context, end: resume }
        queue.waiting.add(waiting)
        startSoon(queue)
        return Effect.sync(() => queue.waiting.delete(waiting))
      })
    )
})
