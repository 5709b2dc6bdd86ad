/** Starts the services of `compose.yaml` with Testcontainers, on a separate network. */
import { type ContainerEngine, useForTestcontainers } from "@wcs/store-suite/postgres/ContainerEngine"
import { Network, type StartedNetwork, type StartedTestContainer, Wait } from "testcontainers"
import { type Service, services } from "./Compose.ts"
import { composed, readiness } from "./ComposedContainer.ts"
import { handOver, makeSecrets, type Secrets } from "./Secrets.ts"
import { freePort } from "./Suite.ts"

export interface Images {
  readonly wcs: string
  readonly postgres: string
}

/** Marks the containers of a deployment. */
const label = "wcs.deployment"

const wholeLog = { stdout: true, stderr: true, follow: false } as const

const raised = "1000000"

/**
 * Additions to the environment of compose.yaml: one certificate for all servers, and no limits that would block the
 * suite.
 */
const added = (subnet: string) => ({
  WCS_TLS: "files",
  WCS_TLS_CERT_FILE: "/run/secrets/tls-cert.pem",
  WCS_TLS_KEY_FILE: "/run/secrets/tls-key.pem",
  WCS_TENANT_HOSTS: "server-1,server-2",
  WCS_RATE_STANDARD: raised,
  WCS_RATE_INTENSIVE: raised,
  WCS_RATE_UNAUTHENTICATED: raised,
  WCS_RATE_TOKEN_FAILURES: raised,
  WCS_RATE_LOGIN_FAILURES: raised,
  WCS_RATE_TOKENS_ISSUED: raised,
  WCS_WEBHOOK_HTTP: "allow",
  WCS_WEBHOOK_ALLOWED_ADDRESSES: subnet,
  WCS_WEBHOOK_RETRIES: "200ms,400ms,800ms,2s"
})

/** The network, volumes and files of the containers. */
interface Surroundings {
  readonly network: StartedNetwork
  /** This machine's address on the network. */
  readonly gateway: string
  readonly secrets: Secrets
  readonly services: ReadonlyArray<Service>
  /** Local ports by service. */
  readonly ports: ReadonlyMap<string, number>
}

const surround = async ({ client }: ContainerEngine): Promise<Surroundings> => {
  const secrets = await makeSecrets(["localhost", "127.0.0.1", "other.localhost", "server-1", "server-2"])
  const network = await new Network().start()
  const { IPAM } = await client.getNetwork(network.getId()).inspect()
  const { Gateway: gateway = "", Subnet: subnet = "" } = IPAM?.Config?.[0] ?? {}
  const described = services({ WCS_DATABASE_PASSWORD: secrets.password }).map((service) =>
    service.isBuilt ? { ...service, environment: { ...service.environment, ...added(subnet) } } : service
  )
  const published = described.filter((service) => service.published.length > 0)
  const ports = await Promise.all(published.map(async ({ name }) => [name, await freePort()] as const))
  return { network, gateway, secrets, services: described, ports: new Map(ports) }
}

export class Deployment {
  readonly #engine: ContainerEngine
  readonly #images: Images
  readonly #running = new Map<string, StartedTestContainer>()
  /** Logs of removed containers. */
  readonly #logs: Array<Buffer> = []
  readonly surroundings: Surroundings

  private constructor(engine: ContainerEngine, images: Images, surroundings: Surroundings) {
    this.#engine = engine
    this.#images = images
    this.surroundings = surroundings
  }

  /** Starts each service after its dependencies are ready. A failure contains all logs. */
  static async start(engine: ContainerEngine, images: Images): Promise<Deployment> {
    await useForTestcontainers(engine)
    const deployment = new Deployment(engine, images, await surround(engine))
    const starting = new Map<string, Promise<void>>()
    for (const service of deployment.surroundings.services) {
      const before = Object.keys(service.dependencies).map((name) => starting.get(name))
      const image = service.isBuilt ? images.wcs : images.postgres
      starting.set(
        service.name,
        Promise.all(before).then(() => deployment.#start(service, image))
      )
    }
    try {
      await Promise.all(starting.values())
      return deployment
    } catch (error) {
      await Promise.allSettled(starting.values())
      const said = (await deployment.logs()).toString()
      await deployment.end()
      throw new Error(`${error}\n${said}`)
    }
  }

  containerOf(name: string): StartedTestContainer {
    const container = this.#running.get(name)
    if (container === undefined) throw new Error(`${name} does not run`)
    return container
  }

  /** Runs a command of the image once, like `docker compose run migrate`, with a local folder at `/out`. */
  async run(command: ReadonlyArray<string>, folder: string): Promise<void> {
    const service = { ...this.#service("migrate"), command }
    const mounts = { ...this.#mountsOf(service), writable: { "/out": handOver(folder, 0o700) } }
    const container = composed(service, this.#images.wcs, mounts)
      .joining(this.surroundings.network, "once")
      .withLabels({ [label]: this.#name })
      .withWaitStrategy(Wait.forOneShotStartup())
    await (await container.start()).stop()
  }

  /** Kills a container and starts it again. Resolves once it is ready. */
  async kill(name: string): Promise<void> {
    await this.#engine.client.getContainer(this.containerOf(name).getId()).kill({ signal: "SIGKILL" })
    await this.containerOf(name).restart()
  }

  /** Ends a container by SIGTERM and replaces it by one of another image. Returns its exit code. */
  async upgrade(name: string, image: string): Promise<number> {
    const container = this.#engine.client.getContainer(this.containerOf(name).getId())
    await container.stop({ t: this.#service(name).stopSeconds })
    this.#logs.push(await container.logs(wholeLog))
    const { State } = await container.inspect()
    await container.remove({ v: true })
    await this.#start(this.#service(name), image)
    return State.ExitCode
  }

  /** All logs so far, of removed containers too. */
  async logs(): Promise<Buffer> {
    const present = (await this.#containers()).map((container) => container.logs(wholeLog))
    return Buffer.concat([...this.#logs, ...(await Promise.all(present))])
  }

  /** Removes everything that was started and created. */
  async end(): Promise<void> {
    for (const container of await this.#containers()) await container.remove({ force: true, v: true })
    for (const service of this.surroundings.services) {
      for (const volume of Object.values(this.#mountsOf(service).writable)) {
        await this.#engine.client.getVolume(volume).remove({ force: true })
      }
    }
    await this.surroundings.network.stop()
  }

  /** The name of the network, also used for volumes and labels. */
  get #name(): string {
    return this.surroundings.network.getName()
  }

  #service(name: string): Service {
    const found = this.surroundings.services.find((service) => service.name === name)
    if (found === undefined) throw new Error(`compose.yaml has no service ${name}`)
    return found
  }

  #mountsOf({ isBuilt, volumes }: Service) {
    return {
      readOnly: isBuilt ? this.surroundings.secrets.mounts : {},
      writable: Object.fromEntries(volumes.map(({ name, path }) => [path, `${this.#name}-${name}`]))
    }
  }

  async #containers() {
    const filters = { label: [`${label}=${this.#name}`] }
    const listed = await this.#engine.client.listContainers({ all: true, filters })
    return listed.map(({ Id }) => this.#engine.client.getContainer(Id))
  }

  async #start(service: Service, image: string): Promise<void> {
    const { network, ports } = this.surroundings
    const container = composed(service, image, this.#mountsOf(service), ports.get(service.name))
      .joining(network, service.name)
      .withLabels({ [label]: this.#name })
      .withWaitStrategy(await readiness(this.#engine, service, image))
    this.#running.set(service.name, await container.start())
  }
}
