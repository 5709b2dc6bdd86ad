import { StatementSync } from "node:sqlite"

/** The largest units of work since the last reading. Nothing else runs during one unit. */
export interface Steps {
  /** The most processor time between two turns of the event loop, in milliseconds. */
  readonly longestMillis: number
  /** The most rows and characters that one SELECT returned. */
  readonly rows: number
  readonly rowCharacters: number
  /** The most characters of one JSON text that was parsed or written. */
  readonly parsed: number
  readonly written: number
}

const none: Steps = { longestMillis: 0, rows: 0, rowCharacters: 0, parsed: 0, written: 0 }

const charactersOf = (row: object): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)

/** The processor time of this thread, in milliseconds. Other activity of the machine does not count. */
const threadMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

type Note = (unit: Partial<Steps>) => void

/** Counts the work of statements and of JSON. */
const countUnits = (note: Note): void => {
  const { all, iterate } = StatementSync.prototype
  StatementSync.prototype.all = function (this: StatementSync, ...params: Parameters<typeof all>) {
    const rows = all.apply(this, params)
    note({ rows: rows.length, rowCharacters: rows.reduce((sum, row) => sum + charactersOf(row), 0) })
    return rows
  } as typeof all
  StatementSync.prototype.iterate = function* (this: StatementSync, ...params: Parameters<typeof iterate>) {
    let [rows, rowCharacters] = [0, 0]
    for (const row of iterate.apply(this, params)) {
      rows++
      rowCharacters += charactersOf(row)
      note({ rows, rowCharacters })
      yield row
    }
  } as typeof iterate

  const { parse, stringify } = JSON
  JSON.parse = (text, reviver) => {
    note({ parsed: text.length })
    return parse(text, reviver)
  }
  JSON.stringify = ((...given: Parameters<typeof stringify>) => {
    const text = stringify(...given)
    note({ written: text?.length ?? 0 })
    return text
  }) as typeof stringify
}

/**
 * Measures the steps of this process from now on. Counts are the same on every machine, times are not. Counting takes
 * time, too.
 */
export const meterSteps = (isCounting: boolean): (() => Steps) => {
  let most: Steps = none
  const note: Note = (unit) => {
    for (const [name, value] of Object.entries(unit)) {
      if (value > most[name as keyof Steps]) most = { ...most, [name]: value }
    }
  }

  if (isCounting) countUnits(note)

  let before = threadMillis()
  const turn = () => {
    const now = threadMillis()
    note({ longestMillis: now - before })
    before = now
    setImmediate(turn).unref()
  }
  setImmediate(turn).unref()

  return () => {
    const taken = most
    most = none
    before = threadMillis()
    return taken
  }
}
