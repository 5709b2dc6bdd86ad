import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { copyDataset, type Dataset, makeDataset, type Size } from "./Dataset.ts"
import type { Plan } from "./Plan.ts"
import type { Client, Processes, Server } from "./Processes.ts"
import type { SideName } from "./Side.ts"

/** What every measurement is given. */
export interface Bench {
  readonly plan: Plan
  readonly processes: Processes
  readonly client: Client
  /** Says what is under way. */
  readonly say: (text: string) => void
  /** A new data directory with so much in it. */
  readonly dataset: (size: Size) => Promise<Dataset>
  readonly copy: (dataset: Dataset) => Dataset
  /** A name for a directory that is not there yet. */
  readonly place: () => string
}

/** A side's server over a copy of a data set that is its own. */
export const serverOn = async (
  { copy, processes }: Bench,
  dataset: Dataset,
  side: SideName
): Promise<{ readonly server: Server; readonly data: Dataset }> => {
  const data = copy(dataset)
  return { server: await processes.server(side, data.directory), data }
}

/** Everything happens below one directory, which is on the disk that is to be measured. */
export const makeBench = (
  directory: string,
  plan: Plan,
  processes: Processes,
  client: Client,
  say: Bench["say"]
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
    dataset: (size) => makeDataset(place(), size),
    copy: (dataset) => copyDataset(dataset, place())
  }
}
