import { useQueryClient } from "@tanstack/preact-query"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Refusal } from "../calls/Refusal.ts"
import { announce } from "../widgets/Announcement.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Table } from "../widgets/Table.tsx"

/** What became of one item. `error` is absent after success. */
export interface Outcome {
  readonly name: ComponentChildren
  readonly error?: string | undefined
}

/** The work on many items, some in each call. */
export interface Batch<Item> {
  /** Finds the items, before the first call. */
  readonly collect: () => Promise<ReadonlyArray<Item>>
  readonly send: (items: ReadonlyArray<Item>) => Promise<ReadonlyArray<Outcome>>
  /** Items of one call. */
  readonly size: number
}

interface Progress<Item> {
  readonly items: ReadonlyArray<Item>
  readonly done: number
  readonly outcomes: ReadonlyArray<Outcome>
}

/** Repeats a call that came too early, as often as the server asks for it. */
const patiently = async <A,>(attempt: () => Promise<A>): Promise<A> => {
  while (true) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterSeconds ?? 1) * 1000))
    }
  }
}

const work = async <Item,>(
  { collect, send, size }: Batch<Item>,
  start: Progress<Item> | null,
  isWanted: () => boolean,
  onProgress: (progress: Progress<Item>) => void
) => {
  let now = start ?? { items: await collect(), done: 0, outcomes: [] }
  onProgress(now)
  while (isWanted() && now.done < now.items.length) {
    const portion = now.items.slice(now.done, now.done + size)
    const outcomes = await patiently(() => send(portion))
    now = { items: now.items, done: now.done + portion.length, outcomes: [...now.outcomes, ...outcomes] }
    onProgress(now)
  }
}

const Report = ({ outcomes, verb }: { readonly outcomes: ReadonlyArray<Outcome>; readonly verb: string }) => {
  const failed = outcomes.flatMap((outcome, index) => (outcome.error === undefined ? [] : [{ ...outcome, index }]))
  return (
    <section class="block" role="status">
      <h2>Result</h2>
      <p>
        {outcomes.length - failed.length} {verb}, {failed.length} refused.
      </p>
      {failed.length === 0 ? null : (
        <Table
          caption="Refused"
          rows={failed}
          keyOf={({ index }) => String(index)}
          columns={[
            { heading: "Who", cell: ({ name }) => name },
            { heading: "Reason", cell: ({ error }) => error }
          ]}
        />
      )}
    </section>
  )
}

/** The button that begins a batch, its progress and its result. It can be stopped and resumed. Leaving stops it. */
export const BatchRun = <Item,>({
  action,
  batch,
  isReady,
  verb
}: {
  readonly action: string
  /** What was done, for the result, such as "asked". */
  readonly verb: string
  readonly batch: Batch<Item>
  readonly isReady: boolean
}) => {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress<Item> | null>(null)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const [isRunning, setIsRunning] = useState(false)
  const isWanted = useRef(false)
  const isLeft = progress !== null && progress.done < progress.items.length
  const run = () => {
    if (isWanted.current) return
    isWanted.current = true
    setIsRunning(true)
    setProblem(null)
    work(batch, isLeft ? progress : null, () => isWanted.current, setProgress)
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => {
        isWanted.current = false
        setIsRunning(false)
        return client.invalidateQueries()
      })
  }
  useEffect(
    () => () => {
      if (!isWanted.current) return
      isWanted.current = false
      announce("The work stops after the present part.")
    },
    []
  )
  return (
    <>
      <div class="actions">
        {isRunning ? (
          <button
            type="button"
            onClick={() => {
              isWanted.current = false
            }}
          >
            Stop
          </button>
        ) : (
          <button type="button" class="main" disabled={!isReady} onClick={run}>
            {isLeft ? "Resume" : action}
          </button>
        )}
      </div>
      {progress === null ? null : (
        <label>
          {progress.done} of {progress.items.length}
          <progress max={Math.max(1, progress.items.length)} value={progress.done} />
        </label>
      )}
      <Problem error={problem} />
      {progress === null || isRunning ? null : progress.items.length === 0 ? (
        <p role="status">There is nobody to do this for.</p>
      ) : (
        <Report outcomes={progress.outcomes} verb={verb} />
      )}
    </>
  )
}
