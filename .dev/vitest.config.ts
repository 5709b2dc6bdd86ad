import { defineConfig } from "vitest/config"

/**
 * The rules of HTTP that are shown on Postgres in every run: each route with whatever can be wrong, and what is written,
 * found, deleted, done later and told. With WCS_TEST_ENGINE=postgres all of them can be.
 */
const alsoOnPostgres = [
  ...["answer/Envelopes", "resource/Workers", "resource/Credentials", "resource/Deletion", "resource/Filters"],
  ...["access/AccessTokens", "access/ApiClients", "access/IssuedLives"],
  ...["verification/Verification", "verification/Verdicts", "webhook/Deliveries"]
].map((name) => `apps/http-node/test/rules/${name}.test.ts`)

// One module graph and one worker pool for all packages: tests share imported modules.
// `isolate: false` is what makes that fast; nothing may rely on module-level state.
export default defineConfig({
  test: {
    isolate: false,
    // By itself vitest leaves one processor to the editor: on a machine of two, half of it would stand still.
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
