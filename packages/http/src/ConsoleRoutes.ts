import { UnknownPath } from "@wcs/domain/service/HttpRefusal"
import { Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { pageHeaders } from "./pipeline/ResponseHeaders.ts"
import { route } from "./pipeline/Route.ts"
import { trimmed } from "./request/FieldValue.ts"
import type { Incoming } from "./request/Incoming.ts"

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
  const page = Effect.map(assets, ({ script, style }) => pageOf(script, style))
  return [
    route("GET", "/", ({ request }) =>
      wantsPage(request) ? Effect.succeed(toConsole) : Effect.fail(new UnknownPath())
    ),
    route("GET", consolePath, () => page),
    route("GET", `${consolePath}/*`, () => page),
    route("GET", `${assetsRoot}/:name`, ({ params, request }) =>
      Effect.flatMap(assets, ({ script, style }) => {
        const asset = [script, style].find(({ name }) => name === params["name"])
        return asset === undefined
          ? Effect.fail(new UnknownPath())
          : Effect.succeed(assetOf(asset, acceptsBrotli(request)))
      })
    )
  ]
})
