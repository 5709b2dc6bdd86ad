import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle as bundleConsole, packedNames } from "@wcs/http-node/ConsoleBundle"
import { build, type Metafile, type Plugin } from "esbuild"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))
const program = fileURLToPath(new URL("./main.ts", import.meta.url))

/**
 * Imports Node's modules as objects. An ES module import reads all their exports, and some load much code: that of
 * `node:http` loads Node's own undici.
 */
const builtins: Plugin = {
  name: "builtins",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^[\w:/]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace: "builtin" } : undefined))
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`
    }))
  }
}

const bundleProgram = async (folder: string): Promise<Metafile> => {
  const { metafile } = await build({
    entryPoints: [program],
    outdir: folder,
    absWorkingDir: root,
    bundle: true,
    charset: "ascii", // a source with other characters takes twice the memory
    // esbuild bundles the console only from source. The bundle contains the console's files.
    external: ["esbuild"],
    format: "esm",
    legalComments: "none", // all licences are in one file
    lineLimit: 200, // Node prints the line of an uncaught error
    logLevel: "silent",
    metafile: true,
    minifySyntax: true,
    minifyWhitespace: true, // but not names, which stack traces show
    platform: "node",
    plugins: [builtins],
    sourcemap: "linked",
    sourcesContent: false,
    splitting: true,
    target: "node24"
  })
  return metafile
}

const writeConsole = async (folder: string): Promise<void> => {
  const { script, style } = await bundleConsole()
  await mkdir(folder)
  await writeFile(join(folder, packedNames.script), script)
  await writeFile(join(folder, packedNames.style), style)
}

/** The licences of the bundled packages, each with its name and version. */
const licencesOf = async ({ inputs }: Metafile): Promise<string> => {
  const packages = new Set(
    Object.keys(inputs).flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [])
  )
  const texts = [...packages].sort().map(async (path) => {
    const folder = join(root, path)
    const { license, name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
    const names = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
    const files = await Promise.all(names.map((file) => readFile(join(folder, file), "utf8")))
    return [`${name} ${version} (${license})`, ...files].join("\n\n")
  })
  return (await Promise.all(texts)).join(`\n\n${"-".repeat(80)}\n\n`)
}

/**
 * Writes the command line into an empty folder: `main.js` with its chunks and source maps, the console's files and the
 * licences. The folder needs no other file to run.
 */
export const write = async (folder: string): Promise<void> => {
  const [metafile] = await Promise.all([bundleProgram(folder), writeConsole(join(folder, "console"))])
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n')
  await writeFile(join(folder, "THIRD-PARTY-LICENSES"), await licencesOf(metafile))
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"))
}
