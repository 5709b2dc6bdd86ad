import { readFileSync, writeFileSync } from "node:fs"
import { makeRecorder, type Report } from "@wcs/store-suite/citus/Recorder"
import { distributedIn } from "@wcs/store-suite/citus/Verdict"
import { startEngine } from "@wcs/store-suite/postgres/Engine"
import { startPooler } from "@wcs/store-suite/postgres/Pooler"
import { run } from "../Running.ts"
import { on, statement } from "./Distributed.ts"

/** A database with this row gets the statements for Citus. */
const standIn = "CREATE TABLE pg_dist_partition AS SELECT 'account'::REGCLASS AS logicalrelid"

/**
 * Judges all statements of two servers and two workers while the conformance suite runs against them, on a Postgres of
 * its own that passes for a Citus. Undefined if the suite fails.
 */
export const recorded = async (file: string | undefined): Promise<Report | undefined> => {
  const { stop, url } = await startEngine()
  try {
    const wcs = (own: string, ...args: ReadonlyArray<string>) => run(process.execPath, args, { DATABASE_URL: own })
    if (!(await wcs(url, "apps/wcs/start.mjs", "migrate"))) return undefined
    await on(url, statement(standIn))
    const recorder = makeRecorder(distributedIn(readFileSync("apps/wcs/deploy/citus.sql", "utf8")))
    const pooler = await startPooler(url, "session", recorder.note)
    try {
      const conforms = await wcs(pooler.through(url), "packages/end-to-end/src/conformance/main.ts", "--database")
      if (!conforms) return undefined
    } finally {
      pooler.close()
    }
    const report = recorder.report()
    if (file !== undefined) writeFileSync(file, report.text)
    return report
  } finally {
    await stop()
  }
}
