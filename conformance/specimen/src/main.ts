import { writeFileSync } from "node:fs"
import { matrixFile } from "@wcs/conformance/release/KillMatrix"
import { Effect } from "effect"
import { mutants } from "./Mutants.ts"
import { declaredMatrix } from "./selftest/DeclaredMatrix.ts"
import { repeated } from "./selftest/Repeated.ts"
import { requestsByWalk } from "./selftest/Requests.ts"
import { selftest } from "./selftest/Selftest.ts"
import { traceability, traceabilityFile } from "./selftest/Traceability.ts"
import { writeCounts } from "./selftest/WrittenCounts.ts"
import { measure } from "./stranger/measure/Told.ts"
import { variants } from "./Variants.ts"

// `npm run selftest`: judges all specimens and the faults of the second server. Without complaints it records the places
// and the kill rate in `counts.json`, and writes the kill matrix and the traceability table, which are not in git. With
// names as arguments it judges only these and writes nothing. `--stranger` judges only the second server: all its faults,
// or those whose names contain the next argument. `--traceability` judges nothing and writes the matrix and the table.
// `--requests` judges our deployment and only records the requests of each walk. `--repeat 10` judges both servers that
// often, each time in another way, and prints false alarms; `--repeat 10 20` continues after 20.
const writeTables = () => {
  writeFileSync(matrixFile, `${JSON.stringify(declaredMatrix(), null, 2)}\n`)
  writeFileSync(traceabilityFile, traceability())
}
const names = process.argv.slice(2)
if (names[0] === "--requests") {
  writeCounts({ requests: await Effect.runPromise(requestsByWalk) })
  process.exit(0)
}
if (names[0] === "--traceability") {
  writeTables()
  process.exit(0)
}
if (names[0] === "--stranger") process.exit(await Effect.runPromise(measure(names[1])))
if (names[0] === "--repeat")
  process.exit(await Effect.runPromise(repeated(Number(names[1] ?? 10), Number(names[2] ?? 0))))
const unknown = names.filter((name) => ![...mutants, ...variants].some((specimen) => specimen.name === name))
if (unknown.length > 0) {
  console.error(`unknown specimen: ${unknown.join(", ")}`)
  process.exit(2)
}
const isAsked = ({ name }: { readonly name: string }) => names.length === 0 || names.includes(name)

const { complaints, matrix } = await Effect.runPromise(selftest(mutants.filter(isAsked), variants.filter(isAsked)))
const told =
  names.length === 0
    ? complaints
    : complaints.filter((complaint) => names.some((name) => complaint.startsWith(`${name}:`)))
for (const complaint of told) console.error(complaint)
if (told.length === 0 && names.length === 0) {
  writeCounts({ places: Object.fromEntries(matrix.places.map(({ of, rule }) => [rule, of])) })
  writeTables()
}
console.log(`${matrix.mutants.length} mutants, ${matrix.variants.length} variants, ${told.length} complaints`)
const code = names.length === 0 ? await Effect.runPromise(measure()) : 0
process.exitCode = told.length === 0 ? code : 1
