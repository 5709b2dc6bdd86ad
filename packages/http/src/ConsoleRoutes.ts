import { Context, Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"

/** A file of the console. */
export interface Asset {
  /** Contains a hash of the content, so browsers can cache the file forever. */
  readonly name: string
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly brotli: Uint8Array
}

/** The files of the web console. */
export class ConsoleAssets extends Context.Service<
  ConsoleAssets,
  {
    /** Builds the files at the first request if there is no packed build. */
    readonly assets: Effect.Effect<{ readonly script: Asset; readonly style: Asset }>
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

const pageHeaders = { "content-security-policy": contentSecurityPolicy, "referrer-policy": "same-origin" }

/** The page of every screen. Its script reads the address. The page has no data and needs no session. */
const pageOf = (script: Asset, style: Asset): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Workforce Compliance</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetsRoot}/${style.name}">
<script type="module" src="${assetsRoot}/${script.name}"></script></head>
<body><div id="console"></div><noscript>The console needs JavaScript. <a href="/account">Your login</a> does not.</noscript>
</body></html>
`,
    { contentType: "text/html; charset=utf-8", headers: pageHeaders }
  )

const acceptsBrotli = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept-encoding"] ?? "").split(",").some((coding) => coding.trim().split(";")[0] === "br")

const assetOf = ({ brotli, bytes, contentType }: Asset, isBrotli: boolean): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(isBrotli ? brotli : bytes, {
    contentType,
    headers: {
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(isBrotli ? { "content-encoding": "br" } : {})
    }
  })

/** The routes of the web console: one page for all screens, and its files. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { assets } = yield* ConsoleAssets
    const page = Effect.map(assets, ({ script, style }) => pageOf(script, style))
    yield* router.add("GET", `${consolePath}/*`, page)
    yield* router.add(
      "GET",
      `${assetsRoot}/:name`,
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { name } = yield* HttpRouter.params
        const { script, style } = yield* assets
        const asset = [script, style].find((one) => one.name === name)
        if (asset !== undefined) return assetOf(asset, acceptsBrotli(request))
        return yield* new HttpServerError.HttpServerError({
          reason: new HttpServerError.RouteNotFound({ request })
        })
      })
    )
  })
)
