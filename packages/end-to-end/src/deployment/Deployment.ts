/**
 * A deployment to judge, in separate processes: one server with a fresh store, or servers and workers that share a
 * Postgres behind one port.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { type Balancer, balance, type Choose } from "./Balancer.ts"

const wcs = "apps/wcs/start.mjs"
const engine = "packages/store-suite/src/postgres/main.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export interface Deployment {
  /** The TLS port. */
  readonly port: number
  /** The file with its certificate, as PEM. */
  readonly certificateFile: string
  /** The URL that creates the first Super Admin, at one server. */
  readonly setUpUrl: string
  /** The environment for command lines on this deployment. */
  readonly environment: Environment
  /** Kills its servers. The returned function starts them again. */
  readonly interrupt: () => Promise<() => Promise<unknown>>
  /** From now on kills and restarts its processes, one after the other. */
  readonly disturb: () => void
  /** The name of a second database, if there is one. */
  readonly cell?: string
  /** The requests and kills so far, in one line; empty for a single server. */
  readonly told: () => string
  readonly end: () => Promise<void>
}

const alive = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL")
})
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => process.exit(1))

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once("close", resolve))

/** Starts a command line that keeps running, and waits for its first line of output. */
const start = async (args: ReadonlyArray<string>, environment: Environment, cwd?: string) => {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: environment, cwd })
  alive.add(child)
  child.once("close", () => alive.delete(child))
  const line = await new Promise<string>((resolve, reject) => {
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk
      if (said.includes("\n")) resolve(said)
    })
    child.once("close", () => reject(new Error(`${args.join(" ")} did not start`)))
  })
  return { child, line }
}

const end = (child: ChildProcess): Promise<unknown> => {
  child.kill("SIGTERM")
  return ended(child)
}

/** A server or worker that can be killed and restarted at the same port. `cwd`: the workspace with the program. */
export const resident = async (command: "serve" | "worker", environment: Environment, cwd?: string) => {
  const begin = (ports: Environment) => start([wcs, command, "--json"], { ...environment, ...ports }, cwd)
  let { child, line } = await begin({})
  const { certificateFile, port, setUpUrl } = JSON.parse(line)
  /** The returned function starts it again, and resolves once it works. */
  const interrupt = async () => {
    child.kill("SIGKILL")
    await ended(child)
    return async () => {
      child = (await begin(port === undefined ? {} : { WCS_PORT: String(port) })).child
    }
  }
  return {
    certificateFile: String(certificateFile),
    port: Number(port),
    setUpUrl: String(setUpUrl),
    interrupt,
    /** Resolves once it works again. */
    killed: async () => (await interrupt())(),
    end: () => end(child)
  }
}

/** A server with the embedded store. The server is also the worker. */
export const embedded = async (folder: string, settings: Environment): Promise<Deployment> => {
  const environment = { ...settings, WCS_DATA: join(folder, "data") }
  const { certificateFile, end, interrupt, port, setUpUrl } = await resident("serve", environment)
  return {
    certificateFile,
    port,
    setUpUrl,
    environment,
    interrupt,
    disturb: () => {},
    told: () => "",
    end: async () => void (await end())
  }
}

/** The database of the settings, or a new one, with a further one on the same Postgres. */
const databaseOf = async (settings: Environment, cell?: string) => {
  const url = settings["DATABASE_URL"]
  if (url !== undefined) return { url, end: () => Promise.resolve() }
  const { child, line } = await start([engine, ...(cell === undefined ? [] : [cell])], settings)
  return { url: line.trim(), end: () => end(child) }
}

/** Creates a key for a database, which several processes share. */
export const shared = async (folder: string, settings: Environment, cell?: string) => {
  const masterKeyFile = join(folder, "master.key")
  writeFileSync(masterKeyFile, randomBytes(32).toString("hex"), { mode: 0o600 })
  const postgres = await databaseOf(settings, cell)
  const { url } = postgres
  const environment = {
    ...settings,
    DATABASE_URL: url,
    ...(cell === undefined
      ? {}
      : { WCS_CELLS: `${cell}=${Object.assign(new URL(url), { pathname: `/${cell}` }).href}` }),
    WCS_MASTER_KEY_FILE: masterKeyFile,
    WCS_WORKER: "apart"
  }
  return { environment, end: postgres.end }
}

type Resident = Awaited<ReturnType<typeof resident>>

/** A balancer with the certificate of the first server. */
export const balancerOf = (
  servers: readonly [Resident, ...ReadonlyArray<Resident>],
  choose?: Choose,
  isPatient = false
): Promise<Balancer> => {
  const backends = servers.map(({ certificateFile, port }) => ({ port, cert: readFileSync(certificateFile, "utf8") }))
  const [{ certificateFile }] = servers
  const own = (name: string) => readFileSync(join(dirname(certificateFile), name), "utf8")
  return balance(backends, { cert: own("tls-cert.pem"), key: own("tls-key.pem") }, choose, isPatient)
}

/** Kills the processes of each pair alternately, 3 s after both work again. Returns the function that stops it. */
const killing = (pairs: ReadonlyArray<ReadonlyArray<Resident>>) => {
  const stopping = new AbortController()
  let rounds = 0
  const going = (async () => {
    while (!stopping.signal.aborted) {
      await setTimeout(3000, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      await Promise.all(pairs.map((pair) => pair[rounds % pair.length]?.killed()))
      rounds += 1
    }
  })()
  return {
    rounds: () => rounds,
    stop: () => {
      stopping.abort()
      return going
    }
  }
}

/** Two servers and two workers on two databases of one Postgres. */
export const celled = (folder: string, settings: Environment): Promise<Deployment> => spread(folder, settings, "second")

/** Two servers and two workers on one Postgres, each with its own data directory, behind a balancer. */
export const spread = async (folder: string, settings: Environment, cell?: string): Promise<Deployment> => {
  const { end, environment } = await shared(folder, settings, cell)
  const on = (machine: string) => ({ ...environment, WCS_DATA: join(folder, machine) })
  const [here, there, ...workers] = await Promise.all([
    resident("serve", on("server-1")),
    resident("serve", on("server-2")),
    resident("worker", on("worker-1")),
    resident("worker", on("worker-2"))
  ])
  const { close, lost, passedOn, port } = await balancerOf([here, there], undefined, cell !== undefined)
  let kills: ReturnType<typeof killing> | undefined
  return {
    ...(cell === undefined ? {} : { cell }),
    certificateFile: here.certificateFile,
    port,
    // At the port of the balancer: cookies of a person belong to a port.
    setUpUrl: Object.assign(new URL(here.setUpUrl), { port: String(port) }).href,
    environment: on("server-1"),
    interrupt: async () => {
      const restarts = await Promise.all([here.interrupt(), there.interrupt()])
      return () => Promise.all(restarts.map((restart) => restart()))
    },
    disturb: () => {
      kills ??= killing([[here, there], workers])
    },
    told: () => {
      const requests = `requests to each server: ${passedOn.join(" and ")}`
      return kills === undefined ? requests : `${requests}; killed ${kills.rounds()} times; ${lost()} answers lost`
    },
    end: async () => {
      await kills?.stop()
      close()
      await Promise.all([here, there, ...workers].map((one) => one.end()))
      await end()
    }
  }
}
