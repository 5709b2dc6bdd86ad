import { useQueryClient } from "@tanstack/preact-query"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Refusal } from "../calls/Refusal.ts"
import { Table } from "../listing/Table.tsx"
import { announce } from "../widgets/Announcement.tsx"
import { Problem } from "../widgets/Problem.tsx"

/** The result of one item. `error` is absent after success. */
export interface Outcome {
  readonly name: ComponentChildren
  readonly error?: string | undefined
}

/** How a batch reads its items: whether it is still wanted, and how many it has found. */
export interface Collecting {
  readonly isWanted: () => boolean
  readonly onFound: (count: number) => void
}

/** The work on many items, some in each call. */
export interface Batch<Item> {
  /** Finds the items, before the first call. */
  readonly collect: (collecting: Collecting) => Promise<ReadonlyArray<Item>>
  readonly send: (items: ReadonlyArray<Item>) => Promise<ReadonlyArray<Outcome>>
  /** Items of one call. */
  readonly size: number
}

/** The person has stopped the work, or has left it. */
class Stopped extends Error {}

/** Repeats a call that came too early, as long as the work is wanted. */
const patiently = async <A,>(attempt: () => Promise<A>, isWanted: () => boolean): Promise<A> => {
  while (isWanted()) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429) throw error
      for (let left = error.retryAfterSeconds ?? 1; left > 0 && isWanted(); left--) {
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
  }
  throw new Stopped()
}

interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly meta: { readonly nextCursor: string | null }
}

/** All items of a list, read in pages. */
export const allPages = async <Item,>(
  read: (cursor: string) => Promise<Page<Item>>,
  { isWanted, onFound }: Collecting
): Promise<ReadonlyArray<Item>> => {
  const found: Array<Item> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const from: string = cursor
    const { data, meta }: Page<Item> = await patiently(() => read(from), isWanted)
    for (const item of data) found.push(item)
    onFound(found.length)
    cursor = meta.nextCursor
  }
  return found
}

/** Refused items of one reason. */
interface Refused {
  count: number
  readonly names: Array<ComponentChildren>
}

/** The state of a batch. It grows while the work goes on. */
interface Progress<Item> {
  readonly items: ReadonlyArray<Item>
  done: number
  succeeded: number
  readonly refused: Map<string, Refused>
}

/** The names that are shown for each reason. */
const namesMax = 10

const record = <Item,>(progress: Progress<Item>, outcomes: ReadonlyArray<Outcome>): void => {
  for (const { error, name } of outcomes) {
    if (error === undefined) {
      progress.succeeded++
      continue
    }
    const group = progress.refused.get(error) ?? { count: 0, names: [] }
    group.count++
    if (group.names.length < namesMax) group.names.push(name)
    progress.refused.set(error, group)
  }
}

const Report = <Item,>({
  progress: { done, refused, succeeded },
  things,
  verb
}: {
  readonly progress: Progress<Item>
  readonly things: string
  readonly verb: string
}) => (
  <section class="block">
    <h2>Result</h2>
    <p role="status">{done === 0 ? "Nothing was found." : `${succeeded} ${verb}, ${done - succeeded} refused.`}</p>
    {refused.size === 0 ? null : (
      <Table
        caption="Refused, by reason"
        rows={[...refused].map(([reason, group]) => ({ reason, ...group }))}
        keyOf={({ reason }) => reason}
        columns={[
          { heading: "Reason", cell: ({ reason }) => reason },
          { heading: things, cell: ({ count }) => count },
          {
            heading: "First",
            cell: ({ names }) => names.map((name, index) => <div key={index}>{name}</div>)
          }
        ]}
      />
    )}
  </section>
)

export type BatchState = "ready" | "running" | "done"

/**
 * The buttons of a batch, its progress and its result. It can be stopped and resumed. Leaving stops it. Until `onAgain`
 * is called, the fields of the batch must not change.
 */
export const BatchRun = <Item,>({
  action,
  batch: { collect, send, size },
  isReady,
  onAgain,
  onState,
  things = "Workers",
  verb,
  work: named = "The work"
}: {
  readonly action: string
  /** Names the work in the announcement that it stops. */
  readonly work?: string
  /** What the items are, as the heading of their count. */
  readonly things?: string
  /** The past form of the action, such as "asked". */
  readonly verb: string
  readonly batch: Batch<Item>
  readonly isReady: boolean
  readonly onState: (state: BatchState) => void
  readonly onAgain: () => void
}) => {
  const client = useQueryClient()
  const progress = useRef<Progress<Item> | null>(null)
  const [found, setFound] = useState(0)
  const [, redraw] = useState({})
  const [problem, setProblem] = useState<Refusal | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  const isWanted = useRef(false)
  const work = async () => {
    const wanted = () => isWanted.current
    progress.current ??= {
      items: await collect({ isWanted: wanted, onFound: setFound }),
      done: 0,
      succeeded: 0,
      refused: new Map()
    }
    const now = progress.current
    redraw({})
    while (now.done < now.items.length) {
      const portion = now.items.slice(now.done, now.done + size)
      record(now, await patiently(() => send(portion), wanted))
      now.done += portion.length
      redraw({})
    }
  }
  const run = () => {
    if (isWanted.current) return
    isWanted.current = true
    setIsRunning(true)
    onState("running")
    setProblem(null)
    work()
      .catch((error: unknown) => {
        if (error instanceof Stopped) return
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => {
        isWanted.current = false
        setIsRunning(false)
        onState("done")
        return client.invalidateQueries()
      })
  }
  useEffect(
    () => () => {
      if (!isWanted.current) return
      isWanted.current = false
      announce(`${named} stops after the present part.`)
    },
    []
  )
  const now = progress.current
  const isLeft = now === null || now.done < now.items.length
  const hasBegun = now !== null || isRunning || problem !== null
  return (
    <>
      <div class="actions">
        <button
          key="run"
          type="button"
          class="main"
          disabled={(!isReady && now === null) || isRunning || !isLeft}
          onClick={run}
        >
          {hasBegun && !isRunning && isLeft ? "Resume" : action}
        </button>
        {isRunning ? (
          <button
            key="stop"
            type="button"
            onClick={() => {
              isWanted.current = false
            }}
          >
            Stop
          </button>
        ) : hasBegun ? (
          <button key="again" type="button" onClick={onAgain}>
            New batch
          </button>
        ) : null}
      </div>
      {now === null ? (
        isRunning ? (
          <p role="status">{found} found so far</p>
        ) : null
      ) : (
        <label>
          {now.done} of {now.items.length}
          <progress max={Math.max(1, now.items.length)} value={now.done} />
        </label>
      )}
      <Problem error={problem} />
      {now === null || isRunning ? null : <Report progress={now} things={things} verb={verb} />}
    </>
  )
}

/** The state of the form around a batch: locked until the person begins a new one. */
export const useRounds = () => {
  const [round, setRound] = useState(0)
  const [state, setState] = useState<BatchState>("ready")
  const onAgain = () => {
    setState("ready")
    setRound(round + 1)
  }
  return { round, isLocked: state !== "ready", onState: setState, onAgain }
}
