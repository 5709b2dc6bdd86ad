import { execFileSync } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** A package from the npm registry that a bundle contains. */
export interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The texts of its licence files. */
  readonly texts: ReadonlyArray<string>
}

const read = async (folder: string): Promise<Package> => {
  const { license, name, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
  return { name, version, license, texts: await Promise.all(files.map((file) => readFile(join(folder, file), "utf8"))) }
}

/** The packages from the npm registry that the files of a bundle belong to. */
export const thirdPartiesOf = (files: Iterable<string>): Promise<ReadonlyArray<Package>> => {
  const folders = [...files].flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [])
  return Promise.all([...new Set(folders)].sort().map(read))
}

/** The licences of packages, each with its name and version. */
export const licencesOf = (packages: ReadonlyArray<Package>): string =>
  packages
    .map(({ license, name, texts, version }) => [`${name} ${version} (${license})`, ...texts].join("\n\n"))
    .join(`\n\n${"-".repeat(80)}\n\n`)

interface Component {
  readonly "bom-ref": string
  readonly group?: string
  readonly name: string
  readonly version: string
}

/** A software bill of materials in CycloneDX, as far as this file reads it. */
interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: ReadonlyArray<Component>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn: ReadonlyArray<string> }>
}

const idOf = ({ group, name, version }: Pick<Component, "group" | "name" | "version">): string =>
  `${group === undefined ? "" : `${group}/`}${name}@${version}`

/**
 * The bill of materials of a bundle, in CycloneDX. pnpm makes it from the lock file, with the checksum of each package.
 * It lists everything that our package may install. This keeps only what the bundle contains.
 */
export const billOf = (
  root: string,
  ours: string,
  released: { readonly name: string; readonly version: string },
  packages: ReadonlyArray<Package>
): string => {
  const flags = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--prod"]
  const made: Bom = JSON.parse(execFileSync("pnpm", ["--filter", ours, ...flags], { cwd: root, encoding: "utf8" }))
  const contained = new Set(packages.map(idOf))
  const components = made.components.filter((component) => contained.delete(idOf(component)))
  if (contained.size > 0) throw new Error(`the lock file of ${ours} lacks ${[...contained].join(", ")}`)
  const refs = components.map((component) => component["bom-ref"])
  const purl = `pkg:npm/${released.name.replace("@", "%40")}@${released.version}`
  const { group: _, ...component } = made.metadata.component
  const dependencies = [
    { ref: purl, dependsOn: refs },
    ...made.dependencies
      .filter(({ ref }) => refs.includes(ref))
      .map(({ dependsOn, ref }) => ({ ref, dependsOn: dependsOn.filter((needed) => refs.includes(needed)) }))
  ]
  const metadata = { ...made.metadata, component: { ...component, ...released, purl, "bom-ref": purl } }
  return `${JSON.stringify({ ...made, metadata, components, dependencies }, null, 2)}\n`
}
