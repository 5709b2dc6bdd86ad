import { randomBytes } from "node:crypto"
import { findContainerEngine, missing, reasonOf, useForTestcontainers } from "@wcs/store-suite/postgres/ContainerEngine"

// The Citus of a run: that of CITUS_URL, or one in a container.

type Environment = Readonly<Record<string, string | undefined>>

/** The newest release that was chosen for tests. `WCS_CITUS_IMAGE` names another. */
const usualImage = "citusdata/citus:13.2.0"

/** A running coordinator: the URL of a superuser. */
export interface Coordinator {
  readonly url: string
  readonly told: string
  readonly stop: () => Promise<void>
}

const startContainer = async (image: string): Promise<Coordinator | string> => {
  const engine = await findContainerEngine()
  if (engine === undefined) return "CITUS_URL is not set, and no container engine answers"
  const failure = await missing(engine, image)
  if (failure !== undefined) return `CITUS_URL is not set, and ${engine.name} cannot provide ${image}: ${failure}`
  try {
    await useForTestcontainers(engine)
    const { GenericContainer, Wait } = await import("testcontainers")
    const password = randomBytes(16).toString("hex")
    const container = await new GenericContainer(image)
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(["postgres", "-c", "shared_preload_libraries=citus", "-c", "max_connections=400"])
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forSuccessfulCommand("pg_isready --host=127.0.0.1 --username=postgres"))
      .withStartupTimeout(60_000)
      .start()
    return {
      url: `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
      told: `${image} in a container of ${engine.name}`,
      stop: async () => void (await container.stop())
    }
  } catch (error) {
    return `${engine.name} cannot start ${image}: ${reasonOf(error)}`
  }
}

/** The coordinator, or why there is none. */
export const coordinatorOf = async (environment: Environment): Promise<Coordinator | string> => {
  const url = environment["CITUS_URL"] ?? ""
  if (url === "") return startContainer(environment["WCS_CITUS_IMAGE"] ?? usualImage)
  return { url, told: "the Citus that CITUS_URL names", stop: () => Promise.resolve() }
}
