import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { databaseOf } from "./data/DatabaseUrl.ts"
import { copyDataset, type Dataset, makeDataset, type Size } from "./data/Dataset.ts"
import type { Client, Processes, Server } from "./load/Processes.ts"
import type { Plan } from "./Plan.ts"
import type { Postgres } from "./Postgres.ts"
import type { SideName } from "./Side.ts"

/** What a store is in. */
export type Engine = "SQLite" | "Postgres"

export const engineOf = ({ directory }: Dataset): Engine => (databaseOf(directory) === null ? "SQLite" : "Postgres")

/** What every measurement is given. */
export interface Bench {
  readonly plan: Plan
  readonly processes: Processes
  readonly client: Client
  /** Says what is under way. */
  readonly say: (text: string) => void
  /** A new data directory with so much in it, or a new database. */
  readonly dataset: (size: Size, engine: Engine) => Promise<Dataset>
  /** A copy in a data directory of its own and, on Postgres, in a database of its own. */
  readonly copy: (dataset: Dataset) => Promise<Dataset>
  /** A name for a directory that is not there yet. */
  readonly place: () => string
}

/** A side's server over a copy of a data set that is its own. */
export const serverOn = async (
  { copy, processes }: Bench,
  dataset: Dataset,
  side: SideName
): Promise<{ readonly server: Server; readonly data: Dataset }> => {
  const data = await copy(dataset)
  return { server: await processes.server(side, data.directory), data }
}

/** Everything happens below one directory, which is on the disk that is to be measured. */
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
