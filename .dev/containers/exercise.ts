/** Everything that is tested on containers: the store on Postgres in one, the images, and what compose.yaml describes. */
import type { Counts } from "../count.ts"
import { tests } from "../running.ts"
import { prepare } from "./engine.ts"

/** Every behaviour of the store on Postgres; its query plans are tested by `npm test` alone. */
const suitesOfTheStore = [
  ...["PostgresStore", "PostgresTransitions", "PostgresMigrations", "PostgresEpoch", "PostgresSetAside"].map(
    (name) => `packages/store-sql/test/${name}`
  ),
  "packages/store-sql/test/RateLimiterPostgres",
  "packages/postgres/"
]

/** Runs it, and counts; the reason if this machine cannot. `WCS_POSTGRES_IMAGES` names more than one for the store. */
export const exercise = async (): Promise<ReadonlyArray<Counts> | string> => {
  const machine = await prepare()
  if (typeof machine === "string") return machine
  const { base, end, engine, postgres } = machine
  const environment = { DOCKER_HOST: engine.host, WCS_CONTAINERS_BASE: base, WCS_TEST_POSTGRES_IMAGE: postgres }
  const counts: Array<Counts> = []
  try {
    for (const image of (process.env["WCS_POSTGRES_IMAGES"] ?? postgres).split(",")) {
      const onImage = {
        ...environment,
        DATABASE_URL: "",
        WCS_TEST_POSTGRES: "container",
        WCS_TEST_POSTGRES_IMAGE: image
      }
      counts.push(await tests(".dev/vitest.config.ts", suitesOfTheStore, onImage))
    }
    counts.push(await tests(".dev/containers/vitest.config.ts", [], environment))
  } finally {
    end()
  }
  return counts
}
