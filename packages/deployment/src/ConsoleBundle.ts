import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, gzipSync } from "node:zlib"
import { type Asset, ConsoleAssets, type ConsolePage } from "@wcs/http/ConsoleRoutes"
import { Effect, Layer } from "effect"
import type { Metafile, Plugin } from "esbuild"

/** The files of the console by name, and the files that its page names. */
interface Bundle {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly page: ConsolePage
}

/** A bundle that was made from the sources. */
interface Bundled extends Bundle {
  /** The scripts that each screen loads: the shell, the screen's own, and those that they import. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>
  readonly sources: ReadonlyArray<string>
}

/** The file next to a packed console that describes the page. */
const pageFile = "page.json"

const compress = promisify(brotliCompress)

/** Returns the names of these scripts and of all scripts that they import. */
const withImports = (outputs: Metafile["outputs"], names: ReadonlyArray<string>): ReadonlySet<string> => {
  const all = new Set(names)
  for (const name of all) {
    for (const { kind, path } of outputs[name]?.imports ?? []) if (kind === "import-statement") all.add(path)
  }
  return all
}

const describe = (outputs: Metafile["outputs"]): Pick<Bundled, "page" | "scripts"> => {
  const outputOf = (entryPoint: string): string => {
    const found = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entryPoint)
    if (found === undefined) throw new Error(`the console bundle has no file of ${entryPoint}`)
    return found
  }
  const [script, style] = [outputOf("main.ts"), outputOf("console.css")]
  const imports = [...withImports(outputs, [script])].filter((name) => name !== script)
  const screens = Object.values(outputs).flatMap(({ imports: imported }) =>
    imported.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path)
  )
  return {
    page: { script, imports, style },
    scripts: new Map(
      screens.map((name) => [outputs[name]?.entryPoint ?? name, withImports(outputs, [script, name])] as const)
    )
  }
}

/** Modules that join the file of another one: all of a folder, or single ones. Paths are those of the sources. */
const together: Readonly<Record<string, ReadonlyArray<string>>> = {
  // part of every screen
  "shell/Screen.tsx": [
    "widgets/",
    "listing/",
    ...["Call.ts", "Me.ts", "Queries.ts", "Refusal.ts"].map((name) => `calls/${name}`),
    ...["Deleted.tsx", "Deletion.tsx", "EditById.tsx", "Edited.ts", "EditRecord.tsx", "FieldLabels.ts"].map(
      (name) => `records/${name}`
    ),
    ...[
      "access/Account.tsx",
      "lists/TypeNames.tsx",
      "lists/TypeOptions.ts",
      "messages/MailRefused.tsx",
      "people/CheckResult.tsx",
      "people/Owner.tsx",
      "people/Person.ts",
      "people/PersonPicker.tsx",
      "records/RecordId.tsx",
      "records/Unit.tsx",
      "shell/LazyPart.tsx",
      "shell/PrintedLine.tsx"
    ]
  ],
  // part of every list whose records change, and of the screens of people
  "lists/RecordList.tsx": ["Exemptions", "FetchRequests", "RecordDialogs", "RecruitmentChecks"].map(
    (name) => `lists/${name}.tsx`
  ),
  // Parts that load later, in screens that are there: otherwise what they use of these would be files of its own.
  ...Object.fromEntries(
    ["credentials/Documents.tsx", "credentials/OwnerDialog.tsx", "records/Notes.tsx", "shell/SearchBox.tsx"].map(
      (part) => [part, ["shell/Screen.tsx"]]
    )
  )
}

/** The bundler makes one file of all modules that the same screens import. Without this, each widget would be a file. */
const fewFiles: Plugin = {
  name: "few files",
  setup: ({ initialOptions: { absWorkingDir = "" }, onLoad }) => {
    for (const [name, joined] of Object.entries(together)) {
      const file = join(absWorkingDir, name)
      onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
        if (path !== file) return undefined
        const folders = await Promise.all(
          joined.map(async (one) =>
            one.endsWith("/") ? (await readdir(join(absWorkingDir, one))).map((each) => one + each) : [one]
          )
        )
        const imports = folders
          .flat()
          .sort()
          .map((one) => `import ${JSON.stringify(join(absWorkingDir, one))}\n`)
        return { contents: imports.join("") + (await readFile(path, "utf8")), loader: "tsx" }
      })
    }
  }
}

/** Bundles the console from its sources in memory. Each screen has a script of its own. */
export const bundle = async (): Promise<Bundled> => {
  const { build } = await import("esbuild")
  const source = dirname(fileURLToPath(import.meta.resolve("@wcs/console/main")))
  const { metafile, outputFiles } = await build({
    entryPoints: ["main.ts", "console.css"],
    absWorkingDir: source,
    bundle: true,
    charset: "utf8",
    chunkNames: "[name]-[hash]",
    entryNames: "[name]-[hash]",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
    minify: true,
    outdir: source, // nothing is written
    plugins: [fewFiles],
    splitting: true,
    target: "es2023",
    write: false
  })
  return {
    ...describe(metafile.outputs),
    files: new Map(outputFiles.map(({ contents, path }) => [basename(path), contents])),
    sources: Object.keys(metafile.inputs).map((path) => join(source, path))
  }
}

/** The bytes of script that each screen downloads, as gzip, by the screen's source. */
export const downloads = ({ files, scripts }: Bundled): ReadonlyMap<string, number> =>
  new Map(
    Array.from(scripts, ([screen, names]) => [
      screen,
      Array.from(names, (name) => gzipSync(files.get(name) ?? "").length).reduce((sum, bytes) => sum + bytes, 0)
    ])
  )

/** Writes the console for a packed program into a new folder, and returns its sources. */
export const write = async (folder: string): Promise<ReadonlyArray<string>> => {
  const { files, page, sources } = await bundle()
  await mkdir(folder)
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes)
  await writeFile(join(folder, pageFile), JSON.stringify(page))
  return sources
}

/** Returns the files next to the program if it is packed. */
const packed = async (): Promise<Bundle> => {
  const folder = fileURLToPath(new URL("./console/", import.meta.url))
  const page: ConsolePage = JSON.parse(await readFile(join(folder, pageFile), "utf8"))
  const names = (await readdir(folder)).filter((name) => name !== pageFile)
  const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const))
  return { files: new Map(files), page }
}

const contentTypes = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" }

const assetOf = async (name: string, bytes: Uint8Array): Promise<Asset> => ({
  contentType: contentTypes[name.endsWith(".css") ? "css" : "js"],
  bytes,
  brotli: await compress(bytes)
})

const assets = Effect.promise(async () => {
  const { files, page } = await packed().catch(bundle)
  const all = Array.from(files, async ([name, bytes]) => [name, await assetOf(name, bytes)] as const)
  return { files: new Map(await Promise.all(all)), page }
})

/** The console files, packed or bundled at the first request. */
export const layer = Layer.effect(
  ConsoleAssets,
  Effect.map(Effect.cached(assets), (cached) => ConsoleAssets.of({ assets: cached }))
)
