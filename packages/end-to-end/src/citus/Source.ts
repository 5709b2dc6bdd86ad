import { findContainerEngine, missing, reasonOf } from "@wcs/store-suite/postgres/ContainerEngine"
import { startContainerPostgres } from "@wcs/store-suite/postgres/ContainerPostgres"

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
    const settings = ["shared_preload_libraries=citus", "max_connections=400"]
    const started = await startContainerPostgres(engine, image, settings)
    return { ...started, told: `${image} in a container of ${engine.name}` }
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
