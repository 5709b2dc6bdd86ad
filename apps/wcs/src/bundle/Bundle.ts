import { cp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { write as writeConsole } from "@wcs/deployment/ConsoleBundle"
import { bundleProgram, root } from "./ProgramBundle.ts"
import { licencesOf, type Package, thirdPartiesOf } from "./ThirdParty.ts"

const program = fileURLToPath(new URL("./main.ts", import.meta.url))

/** Bundles the command line and returns its sources. */
const bundleCommands = (folder: string): Promise<ReadonlyArray<string>> =>
  bundleProgram({
    entryPoints: [program],
    outdir: folder,
    // esbuild bundles the console only from source. The bundle contains the console's files.
    external: ["esbuild"],
    minifySyntax: true,
    minifyWhitespace: true, // but not names, which stack traces show
    sourcemap: "linked",
    sourcesContent: false,
    splitting: true, // a server of one file takes a quarter longer to start, since it compiles all commands
    target: "node24"
  })

/**
 * Writes the command line into an empty folder: `main.js` with its chunks and source maps, the console's files and the
 * licences. The folder needs no other file to run. Returns the packages that it contains.
 */
export const write = async (folder: string): Promise<ReadonlyArray<Package>> => {
  const sources = await Promise.all([bundleCommands(folder), writeConsole(join(folder, "console"))])
  const packages = await thirdPartiesOf(sources.flat())
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n')
  await writeFile(join(folder, "THIRD-PARTY-LICENSES"), licencesOf(packages))
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"))
  return packages
}
