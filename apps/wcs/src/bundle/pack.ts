/** Writes the command line as an npm package into a new folder: `node pack.ts <folder> [version]`. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { root, write } from "./Bundle.ts"

const [folder, version = "0.0.0"] = process.argv.slice(2)
if (folder === undefined) throw new Error("pack.ts needs the folder to write to")
await mkdir(folder, { recursive: true })
await write(folder)
const { engines, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
const manifest = { name: "wcs", version, license, type: "module", bin: { wcs: "main.js" }, engines }
await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
