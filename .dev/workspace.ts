/** Reads this workspace from disk, for the tests that check it. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Manifest, Package } from "./arrows.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The text of a file, by its path from the root. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8")

/** The entries of the top level. */
export const topLevel = (): ReadonlyArray<string> => readdirSync(root)

/** Every package of the workspace, with all its TypeScript files. */
export const packages = (): ReadonlyArray<Package> =>
  [...foldersIn("packages"), ...foldersIn("apps"), "conformance", "conformance/specimen"]
    .filter(hasManifest)
    .map((folder) => ({
      folder,
      manifest: manifest(folder),
      files: typeScriptIn(folder, "").map((path) => ({ path, text: read(`${folder}/${path}`) }))
    }))

export const manifest = (folder: string): Manifest => JSON.parse(read(`${folder}/package.json`))

const hasManifest = (folder: string): boolean => existsSync(join(root, folder, "package.json"))

const foldersIn = (group: string): ReadonlyArray<string> =>
  readdirSync(join(root, group)).map((name) => `${group}/${name}`)

const typeScriptIn = (folder: string, inside: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = inside === "" ? entry.name : `${inside}/${entry.name}`
    const isOther = ["node_modules", "dist"].includes(entry.name) || hasManifest(`${folder}/${path}`)
    if (entry.isDirectory()) return isOther ? [] : typeScriptIn(folder, path)
    return /\.[cm]?tsx?$/.test(entry.name) ? [path] : []
  })
