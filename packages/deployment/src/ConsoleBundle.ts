import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress } from "node:zlib"
import { type Asset, ConsoleAssets } from "@wcs/http/ConsoleRoutes"
import { Effect, Layer } from "effect"

/** The paths of the two console files. */
export interface Bundle {
  readonly script: Uint8Array
  readonly style: Uint8Array
}

/** The names of the files next to a packed program. */
export const packedNames = { script: "console.js", style: "console.css" } as const

const compress = promisify(brotliCompress)

/** Bundles the console from its sources in memory. Also returns the paths of these sources. */
export const bundle = async (): Promise<Bundle & { readonly sources: ReadonlyArray<string> }> => {
  const { build } = await import("esbuild")
  const source = dirname(fileURLToPath(import.meta.resolve("@wcs/console/main")))
  const { metafile, outputFiles } = await build({
    entryPoints: [join(source, "main.ts"), join(source, "console.css")],
    absWorkingDir: source,
    bundle: true,
    charset: "utf8",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
    minify: true,
    outdir: source, // nothing is written
    target: "es2023",
    write: false
  })
  const contentOf = (ending: string): Uint8Array => {
    const file = outputFiles.find(({ path }) => path.endsWith(ending))
    if (file === undefined) throw new Error(`the console bundle has no ${ending} file`)
    return file.contents
  }
  const sources = Object.keys(metafile.inputs).map((path) => join(source, path))
  return { script: contentOf(".js"), style: contentOf(".css"), sources }
}

/** Returns the files next to the program if it is packed. */
const packed = async (): Promise<Bundle> => {
  const folder = new URL("./console/", import.meta.url)
  const [script, style] = await Promise.all([
    readFile(new URL(packedNames.script, folder)),
    readFile(new URL(packedNames.style, folder))
  ])
  return { script, style }
}

const assetOf = async (bytes: Uint8Array, ending: string, contentType: string): Promise<Asset> => {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16)
  return { name: `console-${hash}.${ending}`, contentType, bytes, brotli: await compress(bytes) }
}

const assets = Effect.promise(async () => {
  const { script, style } = await packed().catch(bundle)
  return {
    script: await assetOf(script, "js", "text/javascript; charset=utf-8"),
    style: await assetOf(style, "css", "text/css; charset=utf-8")
  }
})

/** The console files, packed or bundled at the first request. */
export const layer: Layer.Layer<ConsoleAssets> = Layer.effect(
  ConsoleAssets,
  Effect.map(Effect.cached(assets), (cached) => ConsoleAssets.of({ assets: cached }))
)
