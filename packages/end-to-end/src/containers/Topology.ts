/** A container's configuration, read from the engine or from compose.yaml, so that tests can compare both. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { ContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"
import { parse } from "yaml"
import { root } from "./Images.ts"

export interface Topology {
  readonly command: ReadonlyArray<string>
  /** Published container ports. */
  readonly published: ReadonlyArray<string>
  readonly isReadOnly: boolean
  readonly isRestricted: boolean
  readonly tmpfs: ReadonlyArray<string>
  readonly volumes: ReadonlyArray<string>
}

/** A service in YAML. */
interface Described {
  readonly command?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
  readonly tmpfs?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
}

/** The services of compose.yaml, by name. */
export const described = (): Readonly<Record<string, Topology>> => {
  const text = readFileSync(join(root, "apps/wcs/deploy/compose.yaml"), "utf8")
  const { services }: { readonly services: Readonly<Record<string, Described>> } = parse(text, { merge: true })
  return Object.fromEntries(Object.entries(services).map(([name, service]) => [name, topologyOf(service)]))
}

const topologyOf = ({ command = ["postgres"], ...service }: Described): Topology => ({
  command: command[0] === "postgres" ? command.slice(0, 1) : command,
  published: (service.ports ?? []).map((port) => `${port.split(":").at(-1)}/tcp`),
  isReadOnly: service.read_only ?? false,
  isRestricted: service.cap_drop?.join() === "ALL" && service.security_opt?.join() === "no-new-privileges:true",
  tmpfs: service.tmpfs ?? [],
  volumes: (service.volumes ?? []).map((volume) => volume.split(":")[1] ?? "")
})

/** A container by its id. */
export const inspected = async ({ client }: ContainerEngine, id: string): Promise<Topology> => {
  const container = client.getContainer(id)
  const { Config, HostConfig, Mounts } = await container.inspect()
  const capabilities: ReadonlyArray<string> = HostConfig.CapDrop ?? []
  const options: ReadonlyArray<string> = HostConfig.SecurityOpt ?? []
  const dropped = new Set(capabilities.map((name) => name.replace("CAP_", "")))
  return {
    command: Config.Cmd,
    // Podman 4 lists unpublished ports as null
    published: Object.entries(HostConfig.PortBindings ?? {}).flatMap(([port, bound]) => (bound === null ? [] : [port])),
    isReadOnly: HostConfig.ReadonlyRootfs ?? false,
    // Podman lists every default capability instead of ALL
    isRestricted:
      (dropped.has("ALL") || dropped.has("CHOWN")) && options.some((option) => option.startsWith("no-new-privileges")),
    // Podman adds two tmpfs mounts to a container with a read-only root file system
    tmpfs: Object.keys(HostConfig.Tmpfs ?? {}).filter((path) => !["/run", "/var/tmp"].includes(path)),
    volumes: Mounts.filter(({ Type }) => Type === "volume").map(({ Destination }) => Destination)
  }
}
