/**
 * The table of allowed imports between packages, and the check of a package against it. Imports that are not in the
 * table are forbidden.
 */
import { isBuiltin } from "node:module"
import { basename, dirname, join } from "node:path"
import { parseAst } from "vitest/node"

export interface Row {
  /** The folders of our own packages that the `dependencies` and sources may name. */
  readonly ours: ReadonlyArray<string>
  /** If given, the only foreign modules that the sources may name. */
  readonly only?: ReadonlyArray<string>
  /** Foreign modules that the sources may not name; Node's own are written `node:…`. */
  readonly never?: ReadonlyArray<RegExp>
  /** The folder of the package whose files may name them. */
  readonly except?: string
  /** The row applies to the tests too. Other tests may import all `devDependencies`. */
  readonly testsToo?: true
}

export interface Package {
  /** Relative to the root, for example `packages/domain`. */
  readonly folder: string
  readonly manifest: Manifest
  readonly files: ReadonlyArray<SourceFile>
}

export interface Manifest {
  readonly name: string
  readonly exports?: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface SourceFile {
  /** Relative to the package, for example `src/Ownership.ts`. */
  readonly path: string
  readonly text: string
}

/** Modules that tie code to one runtime or one database driver. */
const runtime = /^(node:|@effect\/platform|@effect\/sql-)/
const sql = /^effect\/sql(\/|$)/

const domain = "packages/domain"
const api = "packages/api"
const published = [
  domain,
  api,
  ...["http", "store-sql", "sqlite", "postgres", "keys", "saml", "oidc"].map((name) => `packages/${name}`),
  ...["delivery", "register", "client", "console", "receiver", "admin", "node-server"].map((name) => `packages/${name}`)
]
const deployment = "packages/deployment"
const apps = ["apps/http-node", "apps/worker", "apps/wcs"]
const suite = ["conformance", "conformance/specimen"]
const all = [...published, "packages/register-kit", "packages/bench", deployment, ...apps, ...suite]

export const arrows: Readonly<Record<string, Row>> = {
  [domain]: { ours: [], only: ["effect", "effect/crypto", "effect/encoding"] },
  [api]: { ours: [domain], never: [runtime, sql] },
  "packages/http": { ours: [domain, api], never: [runtime, sql] },
  "packages/store-sql": { ours: [domain, "packages/sqlite"], never: [runtime] },
  "packages/sqlite": { ours: [] },
  "packages/postgres": { ours: [domain] },
  "packages/store-suite": { ours: [domain, api], never: [runtime, sql], except: "src/postgres/" },
  "packages/keys": { ours: [domain] },
  "packages/node-server": { ours: [domain, "packages/http"] },
  "packages/saml": { ours: [domain] },
  "packages/oidc": { ours: [domain] },
  "packages/delivery": { ours: [domain] },
  "packages/register": { ours: [domain] },
  // a package of its own: the server must not depend on the suite, nor the suite on the server
  "packages/register-kit": { ours: [domain, "packages/register", "conformance"] },
  "packages/client": { ours: [domain, api], never: [runtime, sql] },
  "packages/admin": { ours: [domain], never: [runtime, sql] },
  "packages/console": {
    ours: [api],
    only: [
      ...["@tanstack/preact-query", "effect/http-api", "preact", "preact/hooks", "preact/jsx-runtime"],
      "preact-iso/router"
    ]
  },
  "packages/receiver": { ours: [], only: ["effect", "effect/encoding", "effect/sql", "node:crypto", "node:http"] },
  "packages/bench": { ours: [...all, "packages/store-suite"] },
  "packages/end-to-end": { ours: [...all, "packages/store-suite"] },
  [deployment]: { ours: published },
  "apps/http-node": { ours: [...published, deployment] },
  "apps/worker": { ours: [...published, deployment] },
  "apps/wcs": { ours: [...published, deployment, ...apps] },
  conformance: { ours: [], testsToo: true },
  "conformance/specimen": { ours: ["conformance"], testsToo: true }
}

/** The package name of a folder: `packages/domain` is `@wcs/domain`. */
export const nameOf = (folder: string): string => `@wcs/${basename(folder)}`

/** All violations of the table and of the rules for every package, one sentence each. */
export const violations = (pkg: Package): ReadonlyArray<string> => {
  const row = arrows[pkg.folder]
  if (row === undefined) return [`${pkg.folder}: has no row in the table of .dev/arrows.ts`]
  return [
    ...manifestViolations(pkg, row),
    ...pkg.files.flatMap((file) => [
      ...fileViolations(file),
      ...importViolations(pkg, row, file).map((what) => `${file.path}: ${what}`)
    ])
  ].map((what) => `${pkg.folder}/${what}`)
}

const manifestViolations = ({ folder, manifest }: Package, row: Row): ReadonlyArray<string> => {
  const judged = { ...runtimeDependencies(manifest), ...(row.testsToo === true ? manifest.devDependencies : {}) }
  const allowed = row.ours.map(nameOf)
  const strangers = Object.keys(judged).filter((name) => name.startsWith("@wcs/") && !allowed.includes(name))
  return [
    ...strangers.map((name) => `package.json: may not depend on ${name}`),
    ...(manifest.name === nameOf(folder) ? [] : [`package.json: the name must be ${nameOf(folder)}`]),
    ...(JSON.stringify(manifest.exports) === '{"./*":"./src/*.ts"}'
      ? []
      : ['package.json: exports must be { "./*": "./src/*.ts" }: every file under its own name, no barrel'])
  ]
}

/** Files that Node is started with. They export nothing. */
const programs = /^src\/(\w+\/)?(main|keep|pack|FirstRows|Screenshots)\.ts$/

const fileViolations = (file: SourceFile): ReadonlyArray<string> => {
  const { path } = file
  const words = path.split("/").map((part) => part.replace(/\..*$/, "").toLowerCase())
  const vague = words.find((word) => ["util", "utils", "helper", "helpers", "common", "index"].includes(word))
  if (vague !== undefined) return [`${path}: "${vague}" names no concept: choose a specific name`]
  const { exported, passedOn, statements } = contentOf(file)
  if (statements > 0 && passedOn === statements) {
    return [`${path}: re-exports only: import from the original module instead`]
  }
  // The one kind of unused file that no other check finds: others have an unused export.
  const isDead = path.startsWith("src/") && !programs.test(path) && exported === 0
  return isDead ? [`${path}: exports nothing, so nothing can use it`] : []
}

const importViolations = (pkg: Package, row: Row, file: SourceFile): ReadonlyArray<string> =>
  importsOf(file).flatMap((specifier) => {
    if (specifier === undefined) return ["imports a module whose name is computed, which cannot be checked"]
    if (specifier.startsWith(".")) return relativeViolations(file, specifier)
    const isSource = file.path.startsWith("src/")
    const module = isBuiltin(specifier) && !specifier.startsWith("node:") ? `node:${specifier}` : specifier
    const name = packageOf(module)
    if (name === pkg.manifest.name) return isSource ? [`imports ${specifier}, its own package, by name`] : []
    const declared = { ...runtimeDependencies(pkg.manifest), ...(isSource ? {} : pkg.manifest.devDependencies) }
    const isRefused = (isSource || row.testsToo === true) && !isAllowed(row, file, module, name)
    return [
      ...(isRefused ? [`may not import ${specifier}`] : []),
      ...(module.startsWith("node:") || name in declared ? [] : [`imports ${specifier} without declaring ${name}`])
    ]
  })

const relativeViolations = (file: SourceFile, specifier: string): ReadonlyArray<string> => {
  const target = join(dirname(file.path), specifier)
  if (target.startsWith("..")) return [`imports ${specifier}, which is outside the package`]
  return file.path.startsWith("src/") && !target.startsWith("src/")
    ? [`imports ${specifier}, which is outside src`]
    : []
}

const isAllowed = (row: Row, { path }: SourceFile, module: string, name: string): boolean =>
  name.startsWith("@wcs/")
    ? row.ours.some((folder) => nameOf(folder) === name)
    : (row.only?.includes(module) ?? true) &&
      ((row.except !== undefined && path.startsWith(row.except)) ||
        !(row.never ?? []).some((pattern) => pattern.test(module)))

const runtimeDependencies = (manifest: Manifest): Readonly<Record<string, string>> => ({
  ...manifest.dependencies,
  ...manifest.peerDependencies,
  ...manifest.optionalDependencies
})

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** A node of the syntax tree, as far as this file needs it. */
interface Node {
  readonly type: string
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

/** What the checks need of a file. */
interface Content {
  readonly imports: ReadonlyArray<string | undefined>
  /** The number of statements at the top level, of those that export, and of those that re-export. */
  readonly statements: number
  readonly exported: number
  readonly passedOn: number
}

/** Parsing takes longer than all checks, so each file is parsed once. */
const contents = new WeakMap<SourceFile, Content>()

const contentOf = (file: SourceFile): Content => {
  const known = contents.get(file)
  if (known !== undefined) return known
  const tree = parseAst(file.text, { lang: file.path.endsWith("x") ? "tsx" : "ts" })
  const statements: ReadonlyArray<Node> = tree.body
  const exported = statements.filter((node) => node.type.startsWith("Export"))
  const passedOn = exported.filter((node) => "source" in node && node.source !== null)
  const content = {
    imports: importsIn(tree),
    statements: statements.length,
    exported: exported.length,
    passedOn: passedOn.length
  }
  contents.set(file, content)
  return content
}

/**
 * The modules that a file imports, statically, dynamically or for types, or re-exports; undefined for a computed name.
 */
export const importsOf = (file: SourceFile): ReadonlyArray<string | undefined> => contentOf(file).imports

const importsIn = (tree: unknown): ReadonlyArray<string | undefined> => {
  const found: Array<string | undefined> = []
  const visit = (value: unknown): void => {
    if (isNode(value)) {
      const named = moduleNamedBy(value)
      if (named !== null) found.push(named)
    }
    if (typeof value === "object" && value !== null) Object.values(value).forEach(visit)
  }
  visit(tree)
  return found
}

/** The module that this node names; undefined if computed, null if the node names none. */
const moduleNamedBy = (node: Node): string | undefined | null => {
  const isImport = /^(Import|Export|TSImport|TSExternalModule)/.test(node.type)
  const source = isImport && "source" in node ? node.source : isImport && "expression" in node ? node.expression : null
  if (!isNode(source)) return null
  return "value" in source && typeof source.value === "string" ? source.value : undefined
}
