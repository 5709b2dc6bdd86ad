import { writeFileSync } from "node:fs"
import { recordedFile } from "@wcs/conformance/evidence/KillMatrix"
import { walkRequestsFile } from "@wcs/conformance/evidence/WalkRequests"
import { Effect } from "effect"
import { mutants } from "./Mutants.ts"
import { repeated } from "./selftest/Repeated.ts"
import { requestsByWalk } from "./selftest/Requests.ts"
import { selftest } from "./selftest/Selftest.ts"
import { traceability, traceabilityFile } from "./selftest/Traceability.ts"
import { measure } from "./stranger/measure/Told.ts"
import { variants } from "./Variants.ts"

// `npm run selftest`: judges all specimens and the faults of the second server. Records the kill matrix and the kill
// rate if there are no complaints. With names as arguments it judges only these and records nothing. `--stranger` judges
// only the second server: all its faults, or those whose names contain the next argument. With `--traceability` it
// judges nothing and only rewrites the traceability table, which recording does as well. With `--requests` it judges our
// deployment and only records the requests of each walk. `--repeat 10` judges both servers that often, each time in
// another way, and prints false alarms; `--repeat 10 20` continues after 20.
const writeTable = () => writeFileSync(traceabilityFile, traceability())
const names = process.argv.slice(2)
if (names[0] === "--requests") {
  writeFileSync(walkRequestsFile, `${JSON.stringify(await Effect.runPromise(requestsByWalk), null, 2)}\n`)
  process.exit(0)
}
if (names[0] === "--traceability") {
  writeTable()
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
  writeFileSync(recordedFile, `${JSON.stringify(matrix, null, 2)}\n`)
  writeTable()
}
console.log(`${matrix.mutants.length} mutants, ${matrix.variants.length} variants, ${told.length} complaints`)
const code = names.length === 0 ? await Effect.runPromise(measure()) : 0
process.exitCode = told.length === 0 ? code : 1
