/** Writes the files of the console beside a packed program: `node console.ts <folder>`. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { bundle, packedNames } from "@wcs/http-node/ConsoleBundle"

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("console.ts needs the folder to write to")
const { script, style } = await bundle()
await mkdir(folder, { recursive: true })
await writeFile(join(folder, packedNames.script), script)
await writeFile(join(folder, packedNames.style), style)
