/** Writes the command line as an npm package into a new folder: `node pack.ts <folder>`. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { version } from "@wcs/deployment/Version"
import { write } from "./Bundle.ts"
import { root } from "./ProgramBundle.ts"
import { billOf } from "./ThirdParty.ts"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("pack.ts needs the folder to write to")
await mkdir(folder, { recursive: true })
const packages = await write(folder)
const { engines, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
const manifest = {
  ...{ name: "wcs", version, description: "Workforce Compliance Service", license },
  ...{ type: "module", bin: { wcs: "main.js" }, engines }
}
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
await writeFile(join(folder, "sbom.cdx.json"), billOf(root, "@wcs/wcs", { name: manifest.name, version }, packages))
