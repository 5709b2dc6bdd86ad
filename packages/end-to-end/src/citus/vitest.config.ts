import { join } from "node:path"
import { defineConfig } from "vitest/config"

// The store suite on the Citus of DATABASE_URL.
export default defineConfig({
  test: {
    include: ["packages/end-to-end/test/citus/CitusStore.ts"],
    globalSetup: [join(import.meta.dirname, "../../../store-suite/src/postgres/globalSetup.ts")],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    passWithNoTests: false
  }
})
