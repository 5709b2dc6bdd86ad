import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build } from "esbuild"
import { builtins } from "./Builtins.ts"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** Bundles a program for Node, with these further options. Returns the paths of its sources. */
export const bundleProgram = async (options: BuildOptions): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    bundle: true,
    charset: "ascii", // a source with other characters takes twice the memory
    format: "esm",
    legalComments: "none", // all licences are in one file
    lineLimit: 200, // Node prints the line of an uncaught error
    logLevel: "silent",
    metafile: true,
    platform: "node",
    plugins: [builtins]
  })
  return Object.keys(metafile.inputs).map((path) => join(root, path))
}
