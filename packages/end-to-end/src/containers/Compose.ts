/** Reads `apps/wcs/deploy/compose.yaml`. Refuses unknown keys, so that none is ignored. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

const file = fileURLToPath(new URL("../../../../apps/wcs/deploy/compose.yaml", import.meta.url))

/** The services that a service depends on, with the condition that each must meet. */
export type Dependencies = Readonly<Record<string, { readonly condition: string }>>

export interface Service {
  readonly name: string
  readonly image: string
  readonly isBuilt: boolean
  readonly command: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  /** Published container ports. */
  readonly published: ReadonlyArray<number>
  readonly secrets: ReadonlyArray<string>
  readonly volumes: ReadonlyArray<{ readonly name: string; readonly path: string }>
  readonly tmpfs: ReadonlyArray<string>
  readonly isReadOnly: boolean
  readonly droppedCapabilities: ReadonlyArray<string>
  readonly securityOptions: ReadonlyArray<string>
  /** The service's own health check; undefined for the image's. */
  readonly healthcheck: ReadonlyArray<string> | undefined
  readonly hasHealthcheck: boolean
  readonly dependencies: Dependencies
  readonly stopSeconds: number
}

const known = new Set([
  ...["image", "build", "command", "environment", "ports", "secrets", "volumes", "tmpfs", "read_only", "cap_drop"],
  ...["security_opt", "healthcheck", "depends_on", "stop_grace_period", "restart"]
])

/** A service in the file. Its keys are checked, its values are not. */
interface WrittenService {
  readonly image: string
  readonly build?: unknown
  readonly command?: ReadonlyArray<string>
  readonly environment?: Service["environment"]
  readonly ports?: ReadonlyArray<string>
  readonly secrets?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly tmpfs?: ReadonlyArray<string>
  readonly read_only?: boolean
  readonly cap_drop?: ReadonlyArray<string>
  readonly security_opt?: ReadonlyArray<string>
  readonly healthcheck?: { readonly test?: ReadonlyArray<string>; readonly disable?: boolean }
  readonly depends_on?: Dependencies
  readonly stop_grace_period?: string
}

interface WrittenFile {
  readonly services: Readonly<Record<string, WrittenService>>
}

const seconds = (text: string): number => {
  const [, digits] = /^(\d+)s$/.exec(text) ?? []
  if (digits === undefined) throw new Error(`compose.yaml: ${text} is not a number of seconds`)
  return Number(digits)
}

const serviceOf = (name: string, service: WrittenService): Service => {
  const unknown = Object.keys(service).filter((key) => !known.has(key))
  if (unknown.length > 0)
    throw new Error(`compose.yaml: ${name} has ${unknown.join(", ")}, which Compose.ts does not support`)
  const { depends_on = {}, healthcheck = {}, ports = [], stop_grace_period = "10s", volumes = [] } = service
  return {
    name,
    image: service.image,
    isBuilt: service.build !== undefined,
    command: service.command ?? [],
    environment: service.environment ?? {},
    published: ports.map((port) => Number(port.split(":").at(-1))),
    secrets: service.secrets ?? [],
    volumes: volumes.map((volume) => {
      const [source = "", path = ""] = volume.split(":")
      return { name: source, path }
    }),
    tmpfs: service.tmpfs ?? [],
    isReadOnly: service.read_only ?? false,
    droppedCapabilities: service.cap_drop ?? [],
    securityOptions: service.security_opt ?? [],
    healthcheck: healthcheck.test?.slice(1),
    hasHealthcheck: healthcheck.disable !== true,
    dependencies: depends_on,
    stopSeconds: seconds(stop_grace_period)
  }
}

/** The services, each after its dependencies. `variables` fill in the required variables. */
export const services = (variables: Readonly<Record<string, string>>): ReadonlyArray<Service> => {
  const text = readFileSync(file, "utf8").replace(/\$\{(\w+):\?[^}]*\}/g, (_, variable: string) => {
    const value = variables[variable]
    if (value === undefined) throw new Error(`compose.yaml: ${variable} is not given`)
    return value
  })
  const document: WrittenFile = parse(text, { merge: true })
  return inOrder(Object.entries(document.services).map(([name, service]) => serviceOf(name, service)))
}

const inOrder = (waiting: ReadonlyArray<Service>): ReadonlyArray<Service> => {
  const isNext = ({ dependencies }: Service) => waiting.every(({ name }) => dependencies[name] === undefined)
  const next = waiting.filter(isNext)
  if (next.length === 0 && waiting.length > 0) throw new Error("compose.yaml: services depend on each other")
  return waiting.length === 0 ? [] : [...next, ...inOrder(waiting.filter((service) => !isNext(service)))]
}
