import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type Docker from "dockerode"

/** A reachable container engine: Docker, or Podman with the same API. */
export interface ContainerEngine {
  /** Its name and version. */
  readonly name: string
  /** In the form of `DOCKER_HOST`. */
  readonly host: string
  readonly client: Docker
}

export interface Deadlines {
  readonly answerMillis: number
  readonly pullMillis: number
}

const usualDeadlines: Deadlines = { answerMillis: 5_000, pullMillis: 40_000 }

type Environment = Readonly<Record<string, string | undefined>>

/** `DOCKER_HOST` alone if it is set, else the usual sockets of Docker and Podman. */
const hosts = (environment: Environment): ReadonlyArray<string> => {
  const given = environment["DOCKER_HOST"]
  if (given !== undefined && given !== "") return [given]
  const own = environment["XDG_RUNTIME_DIR"]
  return [
    "/var/run/docker.sock",
    ...(own === undefined ? [] : [join(own, "docker.sock")]),
    join(homedir(), ".docker/run/docker.sock"),
    "/run/podman/podman.sock",
    ...(own === undefined ? [] : [join(own, "podman/podman.sock")])
  ].map((path) => `unix://${path}`)
}

const socketOf = (host: string): string | undefined => /^unix:\/\/(.+)/.exec(host)?.[1]

/** The promise's value, or a failure after the deadline. */
const within = async <A>(millis: number, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${millis / 1000} s`)), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The engine at a host, or undefined if none answers in time. */
const engineAt = async (host: string, { answerMillis }: Deadlines): Promise<ContainerEngine | undefined> => {
  const socketPath = socketOf(host)
  if (socketPath !== undefined && !existsSync(socketPath)) return undefined
  const { default: DockerClient } = await import("dockerode")
  try {
    // without a socket, dockerode itself reads DOCKER_HOST and the certificates beside it
    const client = socketPath === undefined ? new DockerClient() : new DockerClient({ socketPath })
    const { Components = [], Version } = await within(answerMillis, client.version())
    const isPodman = Components.some(({ Name }) => Name === "Podman Engine")
    return { name: `${isPodman ? "Podman" : "Docker"} ${Version}`, host, client }
  } catch {
    return undefined
  }
}

/** The first container engine that answers; undefined if there is none. */
export const findContainerEngine = async (
  environment: Environment = process.env,
  deadlines: Deadlines = usualDeadlines
): Promise<ContainerEngine | undefined> => {
  for (const host of hosts(environment)) {
    const engine = await engineAt(host, deadlines)
    if (engine !== undefined) return engine
  }
  return undefined
}

/** The first line of an error. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n", 1)[0] ?? ""

/** Whether the engine has the image without pulling it. */
export const hasImage = ({ client }: ContainerEngine, image: string): Promise<boolean> =>
  client
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false
    )

/** Pulls an image. Returns the reason of a failure, which Podman reports as a step of its progress. */
const pull = async ({ client }: ContainerEngine, image: string): Promise<string | undefined> => {
  const progress = await client.pull(image)
  return new Promise((resolve) => {
    client.modem.followProgress(progress, (error, steps: ReadonlyArray<{ readonly error?: string }> | undefined) => {
      const failed = steps?.find((step) => step.error !== undefined)?.error
      resolve(error === null ? failed : reasonOf(error))
    })
  })
}

/** The reason why the engine cannot provide the image; undefined if it can. Pulls the image if it is missing. */
export const missing = async (
  engine: ContainerEngine,
  image: string,
  { answerMillis, pullMillis }: Deadlines = usualDeadlines
): Promise<string | undefined> => {
  try {
    if (await within(answerMillis, hasImage(engine, image))) return undefined
    const failure = await within(pullMillis, pull(engine, image))
    if (failure !== undefined) return failure
    return (await within(answerMillis, hasImage(engine, image))) ? undefined : "the pull left no image"
  } catch (error) {
    return reasonOf(error)
  }
}

let isPatched = false

/**
 * Configures Testcontainers for this engine. Testcontainers' reaper is a separate image that many machines cannot pull.
 * Without it, the process that started a container removes it.
 */
export const useForTestcontainers = async ({ host }: ContainerEngine): Promise<void> => {
  process.env["DOCKER_HOST"] = host
  process.env["TESTCONTAINERS_RYUK_DISABLED"] ??= "true"
  if (isPatched) return
  isPatched = true
  const { getContainerRuntimeClient } = await import("testcontainers")
  const { container } = await getContainerRuntimeClient()
  const inspect = container.inspect.bind(container)
  // Podman 4 lists exposed but unpublished ports as null, and Testcontainers would wait for them.
  container.inspect = async (one) => {
    const inspected = await inspect(one)
    const bindings = Object.entries(inspected.HostConfig.PortBindings ?? {}).filter(([, bound]) => bound !== null)
    return { ...inspected, HostConfig: { ...inspected.HostConfig, PortBindings: Object.fromEntries(bindings) } }
  }
}
