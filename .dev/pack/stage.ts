/** Makes an npm package from a folder that holds its files. */
import { execFile } from "node:child_process"
import { cp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The parts of a package.json in the workspace that the published one keeps. */
export interface Manifest {
  readonly name: string
  readonly description?: string
  readonly license: string
  readonly engines?: { readonly node: string }
  readonly dependencies: Readonly<Record<string, string>>
}

/** The manifest of a folder of the workspace. */
export const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"))

/** The version of a release: all packages have it. */
export const version: string = JSON.parse(await readFile(join(root, "package.json"), "utf8")).version

/**
 * Peer dependencies of a library: the program that uses the library chooses the version, so that both share one copy of
 * Effect. The least versions are those that our tests use.
 */
export const peersOf = async (
  folder: string,
  names: ReadonlyArray<string>
): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const manifest = await readFile(join(root, folder, "node_modules", name, "package.json"), "utf8")
        return [name, `^${JSON.parse(manifest).version}`]
      })
    )
  )

/** Writes the manifest of a published package, its README and its licence. */
export const describePackage = async (folder: string, from: string, further: object): Promise<void> => {
  const [{ description, engines, license, name }, workspace] = await Promise.all([manifestOf(from), manifestOf(".")])
  const manifest = { name, version, description, license, type: "module", engines: engines ?? workspace.engines }
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...further }, null, 2)}\n`)
  await cp(join(root, from, "README.md"), join(folder, "README.md"))
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"))
}

/** Packs a folder like `npm pack`, into another folder. Returns the path of the tarball. */
export const packed = async (folder: string, out: string): Promise<string> => {
  const flags = ["--json", "--ignore-scripts", "--pack-destination", out]
  const { stdout } = await promisify(execFile)("npm", ["pack", folder, ...flags], { cwd: root })
  const [{ filename }] = JSON.parse(stdout)
  return join(out, filename)
}
