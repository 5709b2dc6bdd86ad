import { assert, it } from "@effect/vitest"
import type { Step } from "@wcs/store-sql/cells/Directory"
import { findingOf } from "@wcs/wcs/doctor/Moves"

const place = { tenantId: "tnt_1", cell: "main", other: "second", claim: "", changedAt: 0 }

it("doctor names a tenant whose move is not over, and the command for it", () => {
  const wanted: Record<Step, readonly [string, string]> = {
    settled: ["", ""],
    copying: ["warning", "--cancel"],
    frozen: ["failed", "repeat it with --to second"],
    switched: ["warning", "repeat it with --to main"],
    left: ["warning", "wcs move-tenant tnt_1 --finish"]
  }
  for (const step of ["settled", "copying", "frozen", "switched", "left"] as const) {
    const [found] = findingOf({ ...place, step })
    const [result, command] = wanted[step]
    assert.strictEqual(found?.result ?? "", result, step)
    assert.include(found?.message ?? "", command)
  }
})
