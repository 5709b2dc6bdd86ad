import { defineConfig } from "vitest/config"

/**
 * The rules of HTTP that run on Postgres in every run: each route with all its errors, writes, lists, deletions,
 * background work and events. With WCS_TEST_ENGINE=postgres all rules run there.
 */
const alsoOnPostgres = [
  ...["answer/Envelopes", "resource/Workers", "resource/Credentials", "resource/Deletion", "resource/Filters"],
  ...["access/AccessTokens", "access/ApiClients", "access/IssuedLives"],
  ...["verification/Verification", "verification/Verdicts", "webhook/Deliveries"]
].map((name) => `apps/http-node/test/rules/${name}.test.ts`)

// One module graph and one worker pool for all packages: tests share imported modules. `isolate: false` makes that
// fast; tests must not rely on module-level state.
export default defineConfig({
  test: {
    isolate: false,
    // By default vitest leaves one processor free, which is half of a machine with two.
    maxWorkers: "100%",
    globalSetup: ["packages/postgres-engine/src/globalSetup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: ["{packages,apps}/*/test/**/*.test.ts", "conformance/test/**/*.test.ts", ".dev/*.test.ts"]
        }
      },
      {
        extends: true,
        test: {
          name: "postgres",
          env: { WCS_TEST_ENGINE: "postgres" },
          include: alsoOnPostgres
        }
      }
    ]
  }
})
