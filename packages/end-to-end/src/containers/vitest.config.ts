import { join } from "node:path"
import { defineConfig } from "vitest/config"

const isBrief = process.env["WCS_CONTAINERS"] === "brief"

// Tests that need a container engine. They share its processors, so files run one after the other.
export default defineConfig({
  test: {
    include: ["packages/end-to-end/test/containers/*.test.ts"],
    globalSetup: [join(import.meta.dirname, "globalSetup.ts")],
    fileParallelism: false,
    exclude: isBrief ? ["packages/end-to-end/test/containers/Readme.test.ts"] : [],
    testTimeout: isBrief ? 120_000 : 600_000,
    hookTimeout: isBrief ? 120_000 : 600_000,
    allowOnly: false,
    passWithNoTests: false
  }
})
