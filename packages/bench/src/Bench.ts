import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { databaseOf } from "./data/DatabaseUrl.ts"
import { copyDataset, type Dataset, makeDataset, type Size } from "./data/Dataset.ts"
import type { Client, Processes, Server } from "./load/Processes.ts"
import type { Plan } from "./Plan.ts"
import type { Postgres } from "./Postgres.ts"
import type { SideName } from "./Side.ts"

/** The engine of a store. */
export type Engine = "SQLite" | "Postgres"

export const engineOf = ({ directory }: Dataset): Engine => (databaseOf(directory) === null ? "SQLite" : "Postgres")

/** The context of every measurement. */
export interface Bench {
  readonly plan: Plan
  readonly processes: Processes
  readonly client: Client
  /** Reports progress. */
  readonly say: (text: string) => void
  /** Creates and fills a data directory, or a database. */
  readonly dataset: (size: Size, engine: Engine) => Promise<Dataset>
  /** Copies a data set to a data directory of its own and, on Postgres, to a database of its own. */
  readonly copy: (dataset: Dataset) => Promise<Dataset>
  /** The path of a directory that does not exist yet. */
  readonly place: () => string
}

/** Starts a side's server over its own copy of a data set. */
export const serverOn = async (
  { copy, processes }: Bench,
  dataset: Dataset,
  side: SideName
): Promise<{ readonly server: Server; readonly data: Dataset }> => {
  const data = await copy(dataset)
  return { server: await processes.server(side, data.directory), data }
}

/** Puts everything below one directory, which is on the disk to be measured. */
export const makeBench = (
  directory: string,
  plan: Plan,
  processes: Processes,
  client: Client,
  say: Bench["say"],
  postgres: () => Promise<Postgres>
): Bench => {
  let places = 0
  const place = () => join(directory, `data-${++places}`)
  mkdirSync(directory, { recursive: true })
  return {
    plan,
    processes,
    client,
    say,
    place,
    dataset: async (size, engine) => {
      if (engine === "SQLite") return makeDataset(place(), size)
      const { checkpoint, empty } = await postgres()
      const dataset = await makeDataset(place(), size, await empty())
      await checkpoint()
      return dataset
    },
    copy: async (dataset) => {
      const database = databaseOf(dataset.directory)
      if (database === null) return copyDataset(dataset, place())
      const { copyOf } = await postgres()
      return copyDataset(dataset, place(), await copyOf(database))
    }
  }
}
