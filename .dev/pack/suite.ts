/**
 * Packs the conformance suite. Its command has no dependencies. Its modules are a library, for projects that install the
 * packages that they import.
 */
import { chmod, cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bundleProgram } from "@wcs/wcs/bundle/ProgramBundle"
import { billOf, licencesOf, thirdPartiesOf } from "@wcs/wcs/bundle/ThirdParty"
import { compile, copyCompiled } from "./compiled.ts"
import { describePackage, peersOf, root, version } from "./stage.ts"

const from = "conformance"

/** Data that the command reads. The bundle contains it. */
const embedded = ["kill-matrix.json", "kill-rate.json", "walk-requests.json"]
/** Files for editors, pipelines and readers. */
const further = ["profile.schema.json", "baseline.schema.json", "action.yml", "gitlab-ci.yml", "READINGS.md"]

const command = "wcs-conformance"

/** Bundles the command and the suite, which it imports. Returns the paths of their sources. */
const bundle = async (folder: string): Promise<ReadonlyArray<string>> => {
  const texts = embedded.map(async (name) => [name, JSON.stringify(JSON.parse(await dataOf(name)))] as const)
  return bundleProgram({
    entryPoints: { [command]: join(root, from, "src/main.ts") },
    outdir: folder,
    chunkNames: "suite-[hash]",
    splitting: true, // Node parses the suite only when a command needs it, and keeps it compiled
    define: { EMBEDDED_FILES: JSON.stringify(Object.fromEntries(await Promise.all(texts))) },
    minify: true,
    supported: { "top-level-await": true },
    target: "es2020" // so that an older Node can read the file, and says that it is too old
  })
}

const dataOf = (name: string): Promise<string> => readFile(join(root, from, name), "utf8")

/** Writes the suite into an empty folder. */
export const writeSuite = async (folder: string): Promise<void> => {
  compile([from])
  await copyCompiled(from, join(folder, "dist"))
  const packages = await thirdPartiesOf(await bundle(folder))
  await chmod(join(folder, `${command}.js`), 0o755)
  for (const name of [...embedded, ...further]) await cp(join(root, from, name), join(folder, name))
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
