import { defineConfig } from "vitest/config"

const engines = ["sqlite", "postgres"] as const

// Tests that need Chromium: each on one server with SQLite, and on two servers with Postgres. They share the machine's
// processors, so that one file runs after the other.
export default defineConfig({
  test: {
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    passWithNoTests: false,
    projects: engines.map((name) => ({
      extends: true,
      test: { name, env: { WCS_BROWSER_ENGINE: name }, include: [".dev/browser/*.test.ts"] }
    }))
  }
})
