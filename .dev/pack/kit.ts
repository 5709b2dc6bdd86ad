/** Packs the kit for authors of gateways. It is a command without dependencies. */
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bundleProgram } from "@wcs/wcs/bundle/ProgramBundle"
import { billOf, licencesOf, thirdPartiesOf } from "@wcs/wcs/bundle/ThirdParty"
import { describePackage, root, version } from "./stage.ts"

const from = "packages/register-kit"
const command = "wcs-register-kit"

/** Writes the kit into an empty folder. */
export const writeKit = async (folder: string): Promise<void> => {
  const sources = await bundleProgram({
    entryPoints: { [command]: join(root, from, "src/main.ts") },
    outdir: folder,
    chunkNames: "kit-[hash]",
    splitting: true,
    minify: true,
    supported: { "top-level-await": true },
    target: "es2020" // so that an older Node can read the file, and says that it is too old
  })
  await chmod(join(folder, `${command}.js`), 0o755)
  await describePackage(folder, from, { bin: { [command]: `${command}.js` } })
  const packages = await thirdPartiesOf(sources)
  await writeFile(join(folder, "THIRD-PARTY-LICENSES"), licencesOf(packages))
  const name = "@wcs/register-kit"
  await writeFile(join(folder, "sbom.cdx.json"), billOf(root, name, { name, version }, packages))
}
