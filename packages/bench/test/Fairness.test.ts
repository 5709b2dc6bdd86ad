import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Processes } from "@wcs/bench/load/Processes"
import { makeFair, type Stepped, stepsOfRoutes } from "@wcs/bench/measurements/Fairness"

/** Two workers hold more than is read of one: 1,500 credentials each. */
const size = { rows: 3_000, credentials: 3_000, crowds: 2, crowded: 3_000 }

/** One body, and the most that one statement returns and one step writes: 500 credentials of a batch, or one item more. */
const most = { rows: 1_001, rowCharacters: 520_000, parsed: 1_048_576, written: 400_000 }

/** Calls that need a login, a state that the store does not have, or room. Their bodies are read and refused. */
const refused =
  /^(users\.(create|patch|activate|reinvite|resetSecondFactor|requireFactors|remove)|sessions\.(read|remove)|legacy\.|oauth\.token|(credentials\.(review|decisions)|bans\.decisions)|webhooks\.delivery$|verificationSources\.(create|replace)$|erasures\.erase$|tasks\.assign$|duplicates\.dismiss$|merges\.(merge|undo)$|notes\.remove$|answers\.(?!list$)|messages\.(resend|sample)$|(imports|documents)\.(?!list$))/

const tableOf = (steps: ReadonlyArray<Stepped>): string =>
  steps
    .toSorted((one, two) => two.longestMillis - one.longestMillis)
    .map(
      ({ longestMillis, name, parsed, rowCharacters, rows, status, written }) =>
        `${longestMillis.toFixed(1).padStart(7)} ms  ${status}  rows ${rows}, ${rowCharacters} characters  parsed ${parsed}  written ${written}  ${name}`
    )
    .join("\n")

const measured = async (): Promise<ReadonlyArray<Stepped>> => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-bench-"))
  const processes = new Processes(undefined, undefined)
  let places = 0
  try {
    const fair = await makeFair({ place: () => join(folder, `data-${++places}`), processes }, size, "counted")
    const steps = await stepsOfRoutes(fair, 1)
    await fair.server.stop()
    return steps.flat()
  } finally {
    processes.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("threat 43: one step of a request", () => {
  it("does a bounded amount of work in every route, with the largest bodies and pages", async () => {
    const steps = await measured()
    const results = fileURLToPath(new URL("../results/", import.meta.url))
    mkdirSync(results, { recursive: true })
    // Times depend on the machine, so they are recorded, and counts are asserted.
    writeFileSync(join(results, "steps.txt"), `${tableOf(steps)}\n`)
    assert.isAbove(steps.length, 200)
    for (const step of steps) {
      const isHostile = step.name.includes(", ")
      const isFine = isHostile || refused.test(step.name) ? step.status < 500 : step.status < 300
      assert.isTrue(isFine, `${step.name}: ${step.status} ${step.answer}`)
      for (const unit of ["rows", "rowCharacters", "parsed", "written"] as const) {
        assert.isAtMost(step[unit], most[unit], `${step.name}: ${unit}`)
      }
    }
  }, 300_000)
})
