import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { ServerSample } from "../ServerProcess.ts"
import type { SideName } from "../Side.ts"
import type { LoadJob, LoadResult } from "./LoadJob.ts"
import type { OpenJob, OpenResult } from "./OpenLoop.ts"
import { Answering } from "./Questions.ts"
import type { ReceiverPorts } from "./Receiving.ts"
import type { Steps } from "./StepMeter.ts"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))

/** The processors of the server and of the client, without overlap. */
export interface Pinning {
  readonly server: string
  readonly client: string
}

/** The processors that this process may use; empty if the system does not report them. */
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

/** Gives the last processor to the client and all others to the server, if the system supports that. */
export const pinning = (): Pinning | undefined => {
  const cores = allowed()
  const client = cores.at(-1)
  if (cores.length < 2 || client === undefined || spawnSync("taskset", ["--version"]).status !== 0) return undefined
  return { server: cores.slice(0, -1).join(","), client: String(client) }
}

/** The processes of one run. All end with it. */
export class Processes {
  readonly #children: Array<ChildProcess> = []
  readonly #pinning: Pinning | undefined
  readonly #profiles: string | undefined

  /** `profiles`: the directory for each server's processor profile. */
  constructor(pins: Pinning | undefined, profiles: string | undefined) {
    this.#pinning = pins
    this.#profiles = profiles
  }

  /** Starts the server of one side over a data directory. */
  async server(side: SideName, directory: string): Promise<Server> {
    const answering = this.#start(["serve", side, directory], this.#pinning?.server, this.#profileOptions(side))
    return new Server(answering, (await answering.ready()) as number)
  }

  /** Starts the process that runs the hand-written statement. */
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

  /** Starts receivers of deliveries on the client's processors. */
  async receivers(count: number): Promise<Receivers> {
    const answering = this.#start(["receive", String(count)], this.#pinning?.client, [])
    return new Receivers(answering, (await answering.ready()) as ReceiverPorts)
  }

  /** Starts the process that delivers from a store in the directory, from the sources or from a bundle of them. */
  async deliverer(directory: string, program = main): Promise<Answering> {
    const options = ["--expose-gc", ...this.#profileOptions("deliver")]
    const answering = this.#start(["deliver", directory], this.#pinning?.server, options, program)
    await answering.ready()
    return answering
  }

  /** Starts a worker on a database. It may use all processors, since several workers must not share one. */
  async worker(directory: string): Promise<Answering> {
    const answering = this.#start(["work", directory], undefined, this.#profileOptions("work"))
    await answering.ready()
    return answering
  }

  /** Kills all running processes immediately. */
  kill(): void {
    for (const child of this.#children) child.kill("SIGKILL")
  }

  #profileOptions(side: string): ReadonlyArray<string> {
    if (this.#profiles === undefined) return []
    const directory = join(this.#profiles, side)
    mkdirSync(directory, { recursive: true })
    return ["--cpu-prof", `--cpu-prof-dir=${directory}`]
  }

  #start(
    words: ReadonlyArray<string>,
    cores: string | undefined,
    options: ReadonlyArray<string>,
    program = main
  ): Answering {
    const command = [process.execPath, ...options, program, ...words]
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

  /** The steps of a timed or counted server since the last call. */
  async steps(): Promise<Steps> {
    return (await this.#answering.ask("steps")) as Steps
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

  async openLoad(job: OpenJob): Promise<OpenResult> {
    return (await this.#answering.ask("openLoad", job)) as OpenResult
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

  /** The requests received since the last call. */
  async taken(): Promise<{ readonly requests: number; readonly ids: number }> {
    return (await this.#answering.ask("taken")) as { readonly requests: number; readonly ids: number }
  }

  stop(): Promise<void> {
    return this.#answering.stop()
  }
}
