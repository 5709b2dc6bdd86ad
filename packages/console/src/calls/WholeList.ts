import { useEffect, useRef, useState } from "preact/hooks"
import { allPages, type Page } from "./AllPages.ts"
import { Refusal } from "./Refusal.ts"

/** The state of a read of a whole list. */
export interface WholeList {
  /** The number of rows that are read; null while nothing is read. */
  readonly count: number | null
  readonly problem: Refusal | null
  readonly start: () => void
  readonly stop: () => void
}

/** Reads all rows of a list for `onRows`, when it is started. It counts while it reads, and can be stopped. */
export const useWholeList = <Row>(
  read: (cursor: string) => Promise<Page<Row>>,
  onRows: (rows: ReadonlyArray<Row>) => unknown
): WholeList => {
  const isWanted = useRef(false)
  const [count, setCount] = useState<number | null>(null)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const stop = () => {
    isWanted.current = false
  }
  useEffect(() => stop, []) // a person who leaves the screen wants no rows
  const onCount = (rows: number) => {
    setCount(rows)
    return isWanted.current
  }
  const start = () => {
    isWanted.current = true
    setProblem(null)
    setCount(0)
    allPages(read, onCount)
      .then((rows) => rows === null || onRows(rows))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => setCount(null))
  }
  return { count, problem, start, stop }
}
