import { UnknownPath } from "@wcs/domain/service/HttpRefusal"
import { Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { pageHeaders } from "./pipeline/ResponseHeaders.ts"
import { route } from "./pipeline/Route.ts"
import { trimmed } from "./request/FieldValue.ts"
import type { Incoming } from "./request/Incoming.ts"

/** A file of the console. */
export interface Asset {
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly brotli: Uint8Array
}

/** The names of the files that the page of the console loads. Its script loads those of a screen. */
export interface ConsolePage {
  readonly script: string
  /** The scripts that the script imports. */
  readonly imports: ReadonlyArray<string>
  readonly style: string
}

/** The files of the web console. */
export class ConsoleAssets extends Context.Service<
  ConsoleAssets,
  {
    /** Builds the files at the first request if there is no packed build. */
    readonly assets: Effect.Effect<{
      /** By name. A name contains a hash of the content, so browsers can cache the file forever. */
      readonly files: ReadonlyMap<string, Asset>
      readonly page: ConsolePage
    }>
  }
>()("@wcs/http/ConsoleAssets") {}

/** The path of the first screen. */
export const consolePath = "/console"
const assetsRoot = `${consolePath}/assets`

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** The page of every screen. Its script reads the address. The page has no data and needs no session. */
const pageOf = ({ imports, script, style }: ConsolePage): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Workforce Compliance</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetsRoot}/${style}">
<script type="module" src="${assetsRoot}/${script}"></script>
${imports.map((name) => `<link rel="modulepreload" href="${assetsRoot}/${name}">`).join("\n")}</head>
<body><div id="console"></div><noscript>The console needs JavaScript. <a href="/account">Your login</a> does not.</noscript>
</body></html>
`,
    {
      contentType: "text/html; charset=utf-8",
      headers: { ...pageHeaders, "content-security-policy": contentSecurityPolicy }
    }
  )

const acceptsBrotli = ({ headers }: Pick<Incoming, "headers">): boolean =>
  (headers["accept-encoding"] ?? "").split(",").some((coding) => trimmed(coding.split(";", 1)[0] ?? "") === "br")

const assetOf = ({ brotli, bytes, contentType }: Asset, isBrotli: boolean): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(isBrotli ? brotli : bytes, {
    contentType,
    headers: {
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(isBrotli ? { "content-encoding": "br" } : {})
    }
  })

const toConsole = HttpServerResponse.redirect(consolePath, { status: 303, headers: { vary: "accept" } })

/** Whether a person in a browser sent the request, and no client of the API. */
export const wantsPage = ({ headers }: Pick<Incoming, "headers">): boolean =>
  (headers["accept"] ?? "").includes("text/html")

/** The routes of the web console: the way there from the root, one page for all screens, and its files. */
export const make = Effect.map(ConsoleAssets, ({ assets }) => {
  const pageResponse = Effect.map(assets, ({ page }) => pageOf(page))
  return [
    route("GET", "/", ({ request }) =>
      wantsPage(request) ? Effect.succeed(toConsole) : Effect.fail(new UnknownPath())
    ),
    route("GET", consolePath, () => pageResponse),
    route("GET", `${consolePath}/*`, () => pageResponse),
    route("GET", `${assetsRoot}/:name`, ({ params, request }) =>
      Effect.flatMap(assets, ({ files }) => {
        const asset = files.get(params["name"] ?? "")
        return asset === undefined
          ? Effect.fail(new UnknownPath())
          : Effect.succeed(assetOf(asset, acceptsBrotli(request)))
      })
    )
  ]
})
