import { rmSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createCluster, freePort } from "./Cluster.ts"

/** A running Postgres. */
export interface Engine {
  /** As superuser, to the database `postgres`. */
  readonly url: string
  readonly stop: () => Promise<void>
  /** Stops it like a crash and keeps everything committed. It restarts at the same URL. */
  readonly crash: () => Promise<void>
  readonly restart: () => Promise<void>
}

export interface EngineOptions {
  /** The parent directory of its data; by default the system's temporary directory. */
  readonly below?: string
  /**
   * Whether commits survive a crash of the machine, as in production. Otherwise they survive a crash of the engine
   * only, and no write waits for a disk.
   */
  readonly isDurable?: boolean
}

/** The same for a standby, which must allow as many as its primary. */
export const connections = "max_connections=400"
const settingsOf = ({ isDurable = false }: EngineOptions): ReadonlyArray<string> =>
  isDurable ? [connections] : [connections, "fsync=off", "full_page_writes=off"]

type Stoppable = Omit<Engine, "stop"> & { readonly end: () => Promise<void> }

const startIn = async (home: string, settings: ReadonlyArray<string>): Promise<Stoppable> => {
  const { data, password, start } = await createCluster(home)
  const port = await freePort()
  let end = await start(data, port, settings)
  const crash = () => end()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    crash,
    restart: async () => {
      end = await start(data, port, settings)
    },
    end: crash
  }
}

/** Starts an engine in a new directory. Stopping the engine removes the directory; so does the end of an aborted run. */
export const inDirectory = async (
  start: (home: string) => Promise<Stoppable>,
  below: string = tmpdir()
): Promise<Engine> => {
  const home = await mkdtemp(join(below, "wcs-postgres-"))
  const forget = () => rmSync(home, { recursive: true, force: true })
  process.once("exit", forget)
  try {
    const { crash, end, restart, url } = await start(home)
    return {
      url,
      crash,
      restart,
      stop: async () => {
        await end()
        await rm(home, { recursive: true, force: true })
        process.off("exit", forget)
      }
    }
  } catch (error) {
    forget()
    throw error
  }
}

/** Creates a database cluster and starts the engine on it. Stopping removes both. */
export const startEngine = (options: EngineOptions = {}): Promise<Engine> =>
  inDirectory((home) => startIn(home, settingsOf(options)), options.below)
