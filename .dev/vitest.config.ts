import { defineConfig } from "vitest/config"

// One module graph and one worker pool for all packages: tests share imported modules.
// `isolate: false` is what makes that fast; nothing may rely on module-level state.
export default defineConfig({
  test: {
    isolate: false,
    include: ["{packages,apps}/*/test/**/*.test.ts", "conformance/test/**/*.test.ts", ".dev/*.test.ts"],
    globalSetup: ["packages/postgres-engine/src/globalSetup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    allowOnly: false,
    passWithNoTests: false
  }
})
