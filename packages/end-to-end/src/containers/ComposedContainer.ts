/** Containers for Testcontainers, as compose would create them. */
import type { ContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"
import { GenericContainer, type StartedNetwork, Wait } from "testcontainers"
import type { Service } from "./Compose.ts"

/** A container with settings that Testcontainers has no method for. */
export class ComposedContainer extends GenericContainer {
  withReadOnlyRoot(): this {
    this.hostConfig.ReadonlyRootfs = true
    return this
  }
  /** Joins a network under a name. Unlike `withNetworkAliases`, does not join the engine's default network. */
  joining(network: StartedNetwork, name: string): this {
    this.createOpts.NetworkingConfig = { EndpointsConfig: { [network.getName()]: { Aliases: [name] } } }
    return this.withNetwork(network)
  }
}

/** Volumes and files of this machine, by their path in the container. */
export interface Mounts {
  readonly readOnly: Readonly<Record<string, string>>
  readonly writable: Readonly<Record<string, string>>
}

/** The container of a service. `port` is the local port at which it is published. */
export const composed = (service: Service, image: string, mounts: Mounts, port?: number): ComposedContainer => {
  const container = new ComposedContainer(image)
    .withEnvironment(service.environment)
    .withBindMounts([
      ...Object.entries(mounts.readOnly).map(([target, source]) => ({ source, target, mode: "ro" as const })),
      ...Object.entries(mounts.writable).map(([target, source]) => ({ source, target }))
    ])
    .withTmpFs(Object.fromEntries(service.tmpfs.map((path) => [path, ""])))
    .withDroppedCapabilities(...service.droppedCapabilities)
    .withSecurityOpt(...service.securityOptions)
  if (service.command.length > 0) container.withCommand([...service.command])
  if (service.isReadOnly) container.withReadOnlyRoot()
  if (port !== undefined) {
    container.withExposedPorts(...service.published.map((inside) => ({ container: inside, host: port })))
  }
  return container
}

const quoted = (words: ReadonlyArray<string>): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")

/** The command of an image's health check. Only a container reports it on every engine. */
const healthcheckOf = async ({ client }: ContainerEngine, image: string): Promise<ReadonlyArray<string>> => {
  const container = await client.createContainer({ Image: image })
  const { Config } = await container.inspect()
  await container.remove({ v: true })
  return Config.Healthcheck?.Test?.slice(1) ?? []
}

/**
 * Waits until the health check of compose.yaml or of the image passes; without one, until the container has exited with
 * 0. The check is run from here, because Podman runs none without systemd.
 */
export const readiness = async (engine: ContainerEngine, service: Service, image: string) => {
  if (!service.hasHealthcheck) return Wait.forOneShotStartup()
  return Wait.forSuccessfulCommand(quoted(service.healthcheck ?? (await healthcheckOf(engine, image))))
}
