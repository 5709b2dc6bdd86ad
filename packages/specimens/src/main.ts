import { writeFileSync } from "node:fs"
import { recordedFile } from "@wcs/conformance/evidence/KillMatrix"
import { Effect } from "effect"
import { mutants } from "./Mutants.ts"
import { selftest } from "./selftest/Selftest.ts"
import { traceability, traceabilityFile } from "./selftest/Traceability.ts"
import { variants } from "./Variants.ts"

// `npm run selftest`: builds the kill matrix, records it where nothing is wrong with it, and complains where something is.
// With names as arguments only these specimens are judged, and nothing is recorded. With `--traceability` nothing is
// judged, and the table of what holds each rule is written anew, as it is whenever the matrix is.
const writeTable = () => writeFileSync(traceabilityFile, traceability())
const names = process.argv.slice(2)
if (names[0] === "--traceability") {
  writeTable()
  process.exit(0)
}
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
process.exitCode = told.length === 0 ? 0 : 1
