import { defineConfig } from "vitest/config"

// The tests that need a container engine. They share its processors, so that one file runs after the other.
export default defineConfig({
  test: {
    include: [".dev/containers/*.test.ts"],
    globalSetup: [".dev/containers/globalSetup.ts"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    allowOnly: false,
    passWithNoTests: false
  }
})
