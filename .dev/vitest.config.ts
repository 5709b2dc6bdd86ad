import { statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join, relative } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const workspace = dirname(import.meta.dirname)

/** The package that vitest was started in, relative to the workspace; empty for all packages. */
const folder = relative(workspace, process.cwd())

/**
 * The tests over HTTP that run on Postgres in every run: each route with unknown ids, each change, and background work.
 * The suites of the stores and of conformance run there too. With WCS_TEST_ENGINE=postgres all tests of rules do.
 */
const alsoOnPostgres = ["answer/Envelopes", "resource/Conditions", "verification/Verification"].map(
  (name) => `packages/deployment/test/rules/${name}.test.ts`
)

/** Tests of the whole deployment that need a browser or a container engine. Other commands run them. */
const elsewhere = ["browser", "containers"].map((name) => `packages/end-to-end/test/${name}/**`)

/** Files of more than 15 s, the slowest first. A run without results of earlier ones cannot know them. */
const slow = [
  "end-to-end/test/conformance/OurServer",
  "store-sql/test/postgres/PostgresStore",
  "store-sql/test/StoreSql",
  "end-to-end/test/Pack",
  "end-to-end/test/backup/Backup",
  "end-to-end/test/operation/MasterKey",
  "specimen/test/server/InFront",
  "specimen/test/server/OwnershipRaces",
  "specimen/test/choices/Choices",
  "end-to-end/test/PostgresSetUps",
  "specimen/test/profile/WrongProfiles",
  "specimen/test/server/LaggingLists",
  "end-to-end/test/faults/PostgresRestarts",
  "end-to-end/test/faults/Kill",
  "specimen/test/command/Secrets",
  "store-sql/test/migrations/MigrationsKilled",
  "delivery/test/watch/SchedulingPostgres",
  "end-to-end/test/MessagesKilled",
  "bench/test/Fairness",
  "conformance/test/servers/Fronts",
  "specimen/test/repro/OwnershipRepro",
  "specimen/test/command/Sweep",
  "deployment/test/rules/answer/DocumentedConstraints"
]

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = slow.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
  return place === -1 ? slow.length : place
}

/** Starts the slow files first, and the rest by vitest's own order, so that no slow one runs alone at the end. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // Workers of one project do not serve the other one.
    const ofPostgres = (file: TestSpecification) => (file.project.name === "postgres" ? 0 : 1)
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => ofPostgres(a) - ofPostgres(b) || placeOf(a) - placeOf(b))
  }
}

const everywhere = [
  "{packages,apps}/*/test/**/*.test.ts",
  "conformance/{,specimen/}test/**/*.test.ts",
  ".dev/*.test.ts"
]

/** Whether Linux offers a file system in memory with 4 GiB left; the tests' databases need less than 2. */
const hasMemoryFiles = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= 4 * 1024 ** 3
  } catch {
    return false
  }
}

// Each commit of SQLite waits for the disk: 8 ms instead of 0.03 ms. A test cannot cut the power, so none depends on it.
const memoryFiles = "/dev/shm"
if (process.env["TMPDIR"] === undefined && hasMemoryFiles(memoryFiles)) process.env["TMPDIR"] = memoryFiles

// `isolate: false` makes tests fast, since they share imported modules; they must not rely on module-level state.
export default defineConfig({
  test: {
    root: workspace,
    isolate: false,
    // Some tests mostly wait, for a slow network or a process that starts, so one more worker fills the processors.
    maxWorkers: availableParallelism() + 1,
    globalSetup: ["packages/store-suite/src/postgres/globalSetup.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    allowOnly: false,
    passWithNoTests: false,
    sequence: { sequencer: SlowestFirst },
    exclude: [...configDefaults.exclude, ...elsewhere],
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          include: folder === "" ? everywhere : [join(folder, "test/**/*.test.ts")]
        }
      },
      {
        extends: true,
        test: {
          name: "postgres",
          env: { WCS_TEST_ENGINE: "postgres" },
          include: alsoOnPostgres.filter((file) => file.startsWith(folder))
        }
      }
    ]
  }
})
