/** Copies compiled modules into a package. */
import { execFileSync } from "node:child_process"
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { root } from "./stage.ts"

/** Compiles packages of the workspace and those that they import. Does nothing for unchanged ones. */
export const compile = (folders: ReadonlyArray<string>): void => {
  const compiler = execFileSync("effect-tsgo", ["get-exe-path"], { cwd: root, encoding: "utf8" }).trim()
  execFileSync(compiler, ["-b", ...folders], { cwd: root, stdio: ["ignore", 2, 2] })
}

/** The modules of a package, without endings. The compiler leaves those that no longer have a source. */
export const modulesOf = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(root, folder, "src"), { recursive: true }))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.slice(0, -".ts".length))

/** Copies all compiled modules of a package with their types. */
export const copyCompiled = async (folder: string, to: string): Promise<void> => {
  for (const module of await modulesOf(folder)) {
    for (const ending of [".js", ".d.ts"])
      await cp(join(root, folder, "dist", module + ending), join(to, module + ending))
  }
}

/** An import of a module by a path, or from a package of ours that is not published. */
const imported = /(?<=\b(?:from |import |import\())"(?:(\.[^"]*?)\.js|@wcs\/(\w+)\/([^"]+))"/g

/**
 * Copies compiled modules, and those that they import from other packages of ours, which are not published. Imports of
 * `@wcs/domain/…` become paths.
 */
export const copyWithImports = async (folder: string, to: string): Promise<void> => {
  const own = folder.split("/").at(-1) ?? ""
  const open = (await modulesOf(folder)).map((module) => `${own}/${module}`)
  const copied = new Set(open)
  const copy = async (module: string, ending: string): Promise<void> => {
    const [name = "", ...path] = module.split("/")
    const text = await readFile(join(root, "packages", name, "dist", ...path) + ending, "utf8")
    const told = text.replace(imported, (found, relativePath?: string, other?: string, path?: string) => {
      const target = relativePath === undefined ? `${other}/${path}` : join(dirname(module), relativePath)
      if (!copied.has(target)) open.push(target)
      copied.add(target)
      if (relativePath !== undefined) return found
      const written = relative(dirname(module), target)
      return `"${written.startsWith(".") ? written : `./${written}`}.js"`
    })
    await mkdir(dirname(join(to, module)), { recursive: true })
    await writeFile(join(to, module) + ending, told.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"))
  }
  for (const module of open) {
    await copy(module, ".js")
    await copy(module, ".d.ts")
  }
}
