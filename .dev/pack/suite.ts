/**
 * Packs the conformance suite. Its command has no dependencies. Its modules are a library, for projects that install the
 * packages that they import.
 */
import { chmod, cp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bundleProgram } from "@wcs/wcs/bundle/ProgramBundle"
import { billOf, licencesOf, thirdPartiesOf } from "@wcs/wcs/bundle/ThirdParty"
import { profileSchema, profileSchemaFile } from "../../conformance/src/profile/ProfileSchema.ts"
import { countsName, recordedCounts } from "../../conformance/src/release/Counts.ts"
import { matrixName } from "../../conformance/src/release/KillMatrix.ts"
import { baselineSchema, baselineSchemaFile } from "../../conformance/src/report/BaselineFile.ts"
import { compile, copyCompiled } from "./compiled.ts"
import { describePackage, peersOf, root, version } from "./stage.ts"

const from = "conformance"

/** The texts of the data that the command reads, by file. The bundle contains them. Git has only the counts. */
const embeddedData = async (): Promise<Readonly<Record<string, string>>> => {
  const { declaredMatrix } = await import("../../conformance/specimen/src/selftest/DeclaredMatrix.ts")
  return { [countsName]: JSON.stringify(recordedCounts()), [matrixName]: JSON.stringify(declaredMatrix()) }
}

/** Files for pipelines and readers. */
const further = ["action.yml", "gitlab-ci.yml", "PROFILE.md", "READINGS.md"]

/** JSON Schemas for editors, by file. */
const schemas = { [profileSchemaFile]: profileSchema(), [baselineSchemaFile]: baselineSchema() }

const command = "wcs-conformance"

/** Bundles the command and the suite, which it imports, with its data. Returns the paths of their sources. */
const bundle = (folder: string, data: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> =>
  bundleProgram({
    entryPoints: { [command]: join(root, from, "src/main.ts") },
    outdir: folder,
    chunkNames: "suite-[hash]",
    splitting: true, // Node parses the suite only when a command needs it, and keeps it compiled
    define: { EMBEDDED_FILES: JSON.stringify(data) },
    minify: true,
    supported: { "top-level-await": true },
    target: "es2020" // so that an older Node can read the file, and says that it is too old
  })

/** Writes the suite into an empty folder. */
export const writeSuite = async (folder: string): Promise<void> => {
  compile([from])
  await copyCompiled(from, join(folder, "dist"))
  const data = await embeddedData()
  const packages = await thirdPartiesOf(await bundle(folder, data))
  await chmod(join(folder, `${command}.js`), 0o755)
  for (const name of further) await cp(join(root, from, name), join(folder, name))
  for (const [name, text] of Object.entries(data)) await writeFile(join(folder, name), text)
  for (const [name, schema] of Object.entries(schemas)) {
    await writeFile(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`)
  }
  const peers = await peersOf(from, ["effect", "fast-check", "fastest-levenshtein", "yaml"])
  await describePackage(folder, from, {
    bin: { [command]: `${command}.js` },
    exports: { "./*.schema.json": "./*.schema.json", "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" } },
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }]))
  })
  await writeFile(join(folder, "THIRD-PARTY-LICENSES"), licencesOf(packages))
  const name = "@wcs/conformance"
  await writeFile(join(folder, "sbom.cdx.json"), billOf(root, name, { name, version }, packages))
}
