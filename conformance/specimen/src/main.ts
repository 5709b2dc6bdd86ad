import { writeFileSync } from "node:fs"
import { matrixFile } from "@wcs/conformance/release/KillMatrix"
import { Effect } from "effect"
import { declaredMatrix } from "./selftest/DeclaredMatrix.ts"
import { repeated } from "./selftest/Repeated.ts"
import { selftest, someFaults } from "./selftest/Selftest.ts"
import { traceability, traceabilityFile } from "./selftest/Traceability.ts"

// `npm run selftest`: judges all faults and choices of the second server. Without complaints it records the counts in
// `counts.json`, and writes the kill matrix and the traceability table, which are not in git. `--record` records the
// counts also if other faults survive than before. With texts as arguments,
// it judges the faults whose names contain one of them, and records nothing. `--traceability` judges nothing and writes
// the matrix and the table. `--repeat 10` judges the server without a fault that often, each time in another way, and
// prints false alarms; `--repeat 10 20` continues after 20.
const writeTables = (): void => {
  writeFileSync(matrixFile, `${JSON.stringify(declaredMatrix(), null, 2)}\n`)
  writeFileSync(traceabilityFile, traceability())
}
const run = async (first: string | undefined, others: ReadonlyArray<string>): Promise<number> => {
  if (first === "--repeat") {
    const [times = 10, from = 0] = others.map(Number)
    return Effect.runPromise(repeated(times, from))
  }
  const isWhole = first === undefined || first === "--record"
  if (!isWhole && first !== "--traceability") return Effect.runPromise(someFaults([first, ...others]))
  const code = isWhole ? await Effect.runPromise(selftest(first === "--record")) : 0
  if (code === 0) writeTables()
  return code
}
const [first, ...others] = process.argv.slice(2)
process.exit(await run(first, others))
