import { defineConfig } from "vitest/config"

// Tests that need tools which npm does not install.
export default defineConfig({
  test: {
    include: ["packages/end-to-end/test/monitoring/RealPrometheus.ts", "apps/wcs/test/operation/SystemdAnalyze.ts"],
    allowOnly: false,
    passWithNoTests: false
  }
})
