import { defineConfig } from "vitest/config"

const engines = ["sqlite", "postgres"] as const

// Tests that need Chromium, on one server with SQLite and on two with Postgres. They share the machine's processors, so
// files run one after the other.
export default defineConfig({
  test: {
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    passWithNoTests: false,
    projects: engines.map((name) => ({
      extends: true,
      test: { name, env: { WCS_BROWSER_ENGINE: name }, include: ["packages/end-to-end/test/browser/*.test.ts"] }
    }))
  }
})
