/**
 * `npm run citus`: the store suite and the conformance suite on a Citus.
 *
 * The Citus is that of `CITUS_URL`, the URL of a superuser at its coordinator, or one in a container of the image
 * `WCS_CITUS_IMAGE`. Fails if there is neither. Creates databases of its own, and removes them.
 *
 * `--statements` needs no Citus: it judges the statements of two servers and two workers by the rules of Citus.
 * `--statements=FILE` also writes the list.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { conclude, run, tests } from "../Running.ts"
import { distributeTables, on, prepareDatabase, statement } from "./Distributed.ts"
import { recorded } from "./Recorded.ts"
import { type Coordinator, coordinatorOf } from "./Source.ts"

const fail = (reason: string): void => {
  console.error(`The tests on Citus cannot run: ${reason}.`)
  process.exitCode = 1
}

const hasCitus = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql`SELECT 1 FROM pg_available_extensions WHERE name = 'citus'`, (found) => found.length > 0)
)

/** Judges two servers and two workers on a distributed database. */
const conformance = async ({ url }: Coordinator): Promise<boolean> => {
  const name = `wcs_citus_${randomUUID().replaceAll("-", "")}`
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href
  await on(url, statement(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`))
  try {
    await on(own, prepareDatabase)
    const wcs = (...args: ReadonlyArray<string>) => run(process.execPath, args, { DATABASE_URL: own })
    if (!(await wcs("apps/wcs/start.mjs", "migrate"))) return false
    await on(own, distributeTables)
    return await wcs("packages/end-to-end/src/conformance/main.ts", "--database")
  } finally {
    await on(url, statement(`DROP DATABASE ${name} WITH (FORCE)`))
  }
}

const judge = async (coordinator: Coordinator): Promise<void> => {
  console.log(`Citus for the tests: ${coordinator.told}`)
  const isThere = await on(coordinator.url, hasCitus).catch((error: unknown) => String(error))
  if (typeof isThere === "string") return fail(`CITUS_URL must lead to a coordinator of Citus, but failed: ${isThere}`)
  if (!isThere) return fail("CITUS_URL leads to a Postgres without the extension citus")
  const counts = await tests("packages/end-to-end/src/citus/vitest.config.ts", [], { DATABASE_URL: coordinator.url })
  const conforms = await conformance(coordinator)
  conclude([counts, { passed: conforms ? 1 : 0, failed: conforms ? 0 : 1 }])
}

const statements = process.argv.slice(2).find((argument) => argument.startsWith("--statements"))
if (statements === undefined) {
  const coordinator = await coordinatorOf(process.env)
  if (typeof coordinator === "string") fail(coordinator)
  else await judge(coordinator).finally(coordinator.stop)
} else {
  const report = await recorded(statements.split("=")[1])
  console.log(report === undefined ? "The conformance suite failed." : report.text)
  process.exitCode = report === undefined || report.reasons.length > 0 ? 1 : 0
}
