import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ServerSample } from "../ServerProcess.ts"
import type { SideName } from "../Side.ts"
import type { LoadJob, LoadResult } from "./LoadJob.ts"
import { Answering } from "./Questions.ts"
import type { ReceiverPorts } from "./Receiving.ts"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))

/** Which processors the server and the client may use: never the same one. */
export interface Pinning {
  readonly server: string
  readonly client: string
}

/** The processors that this process may use; none where the system does not tell. */
const allowed = (): ReadonlyArray<number> => {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? ""
    return list.split(",").flatMap((part) => {
      const [first = Number.NaN, last = first] = part.split("-").map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  } catch {
    return []
  }
}

/** The last processor for the client and all others for the server, where the system can hold processes to them. */
export const pinning = (): Pinning | undefined => {
  const cores = allowed()
  const client = cores.at(-1)
  if (cores.length < 2 || client === undefined || spawnSync("taskset", ["--version"]).status !== 0) return undefined
  return { server: cores.slice(0, -1).join(","), client: String(client) }
}

/** The processes of one run, which all end with it. */
export class Processes {
  readonly #children: Array<ChildProcess> = []
  readonly #pinning: Pinning | undefined
  readonly #profiles: string | undefined

  /** `profiles`: where each server leaves a profile of its processor time when it ends. */
  constructor(pins: Pinning | undefined, profiles: string | undefined) {
    this.#pinning = pins
    this.#profiles = profiles
  }

  /** A server of one side over a data directory. */
  async server(side: SideName, directory: string): Promise<Server> {
    const answering = this.#start(["serve", side, directory], this.#pinning?.server, this.#profileOptions(side))
    return new Server(answering, (await answering.ready()) as number)
  }

  /** What runs the hand-written statement. */
  async statement(directory: string): Promise<Answering> {
    const answering = this.#start(["statement", directory], this.#pinning?.server, [])
    await answering.ready()
    return answering
  }

  async client(): Promise<Client> {
    const answering = this.#start(["load"], this.#pinning?.client, [])
    await answering.ready()
    return new Client(answering)
  }

  /** Receivers of deliveries, so many, where clients are. */
  async receivers(count: number): Promise<Receivers> {
    const answering = this.#start(["receive", String(count)], this.#pinning?.client, [])
    return new Receivers(answering, (await answering.ready()) as ReceiverPorts)
  }

  /** What delivers, over a store in the directory. */
  async deliverer(directory: string): Promise<Answering> {
    const options = ["--expose-gc", ...this.#profileOptions("deliver")]
    const answering = this.#start(["deliver", directory], this.#pinning?.server, options)
    await answering.ready()
    return answering
  }

  /** A worker of a database, on any of the processors: several of them do not share one. */
  async worker(directory: string): Promise<Answering> {
    const answering = this.#start(["work", directory], undefined, this.#profileOptions("work"))
    await answering.ready()
    return answering
  }

  /** Ends whatever still runs, at once. */
  kill(): void {
    for (const child of this.#children) child.kill("SIGKILL")
  }

  #profileOptions(side: string): ReadonlyArray<string> {
    if (this.#profiles === undefined) return []
    const directory = join(this.#profiles, side)
    mkdirSync(directory, { recursive: true })
    return ["--cpu-prof", `--cpu-prof-dir=${directory}`]
  }

  #start(words: ReadonlyArray<string>, cores: string | undefined, options: ReadonlyArray<string>): Answering {
    const command = [process.execPath, ...options, main, ...words]
    const [file = "", ...args] = cores === undefined ? command : ["taskset", "--cpu-list", cores, ...command]
    const child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
    this.#children.push(child)
    return new Answering(child)
  }
}

export class Server {
  readonly #answering: Answering
  readonly port: number

  constructor(answering: Answering, port: number) {
    this.#answering = answering
    this.port = port
  }

  async sample(): Promise<ServerSample> {
    return (await this.#answering.ask("sample")) as ServerSample
  }

  stop(): Promise<void> {
    return this.#answering.stop()
  }
}

export class Client {
  readonly #answering: Answering

  constructor(answering: Answering) {
    this.#answering = answering
  }

  async load(job: LoadJob): Promise<LoadResult> {
    return (await this.#answering.ask("load", job)) as LoadResult
  }

  stop(): Promise<void> {
    return this.#answering.stop()
  }
}

export class Receivers {
  readonly #answering: Answering
  readonly ports: ReceiverPorts

  constructor(answering: Answering, ports: ReceiverPorts) {
    this.#answering = answering
    this.ports = ports
  }

  /** What has come since it was asked last. */
  async taken(): Promise<{ readonly requests: number; readonly ids: number }> {
    return (await this.#answering.ask("taken")) as { readonly requests: number; readonly ids: number }
  }

  stop(): Promise<void> {
    return this.#answering.stop()
  }
}
