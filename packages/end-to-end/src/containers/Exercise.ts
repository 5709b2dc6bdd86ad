/** All tests on containers: the store on Postgres in a container, the images, and the deployment of compose.yaml. */
import type { Counts } from "../Counts.ts"
import { tests } from "../Running.ts"
import { prepare } from "./Engine.ts"
import { unusable } from "./Probe.ts"

/** All behaviour tests of the store on Postgres. Its query plans are tested by `npm test` only. */
const suitesOfTheStore = [
  ...[
    "Store",
    "Transitions",
    "Progressions",
    "Epoch",
    "DeadLetters",
    "AuditMark",
    "Groups",
    "LostRaces",
    "Servers"
  ].map((name) => `postgres/Postgres${name}`),
  ...["postgres/PostgresTenants", "postgres/RateLimiterPostgres", "migrations/PostgresMigrations"],
  ...["StoreFailures", "DeliveryDue"]
].map((name) => `packages/store-sql/test/${name}.test.ts`)

/**
 * Runs the tests and counts them. Returns the reason if this machine cannot run them. `WCS_POSTGRES_IMAGES` names
 * several images for the store. A brief run omits the store's suites and most of the deployment's.
 */
export const exercise = async (scope: "brief" | "whole"): Promise<ReadonlyArray<Counts> | string> => {
  const machine = await prepare(scope === "brief" ? 60_000 : 300_000)
  if (typeof machine === "string") return machine
  const { base, end, engine, postgres } = machine
  const environment = {
    DOCKER_HOST: engine.host,
    WCS_CONTAINERS_BASE: base,
    WCS_CONTAINERS: scope,
    WCS_TEST_POSTGRES_IMAGE: postgres
  }
  try {
    const reason = await unusable(engine, base)
    if (reason !== undefined) return `${engine.name} answers but cannot run a container: ${reason}`
    const counts: Array<Counts> = []
    const images = scope === "brief" ? [] : (process.env["WCS_POSTGRES_IMAGES"] ?? postgres).split(",")
    for (const image of images) {
      const onImage = {
        ...environment,
        DATABASE_URL: "",
        WCS_TEST_POSTGRES: "container",
        WCS_TEST_POSTGRES_IMAGE: image
      }
      counts.push(await tests(".dev/vitest.config.ts", [...suitesOfTheStore, "packages/postgres/"], onImage))
    }
    return [...counts, await tests("packages/end-to-end/src/containers/vitest.config.ts", [], environment)]
  } finally {
    end()
  }
}
