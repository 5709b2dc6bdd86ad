import { Contract } from "@wcs/api/Contract"
import { newerRoot } from "@wcs/api/NewerSurface"
import { exampleIds } from "@wcs/api/openapi/examples/Requests"
import { mapEntries, mapOperations, withComponents } from "@wcs/api/openapi/Operations"
import { Unavailable } from "@wcs/domain/service/HttpRefusal"
import { Digest } from "@wcs/domain/shared/Digest"
import { at, isObject, type JsonObject, put } from "@wcs/domain/shared/Json"
import { Context, Effect, Option, Result, Stream } from "effect"
import { Base64, Hex } from "effect/encoding"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { documentPaths } from "./DocumentPaths.ts"
import { fetchWithOwnIds } from "./OwnIds.ts"
import { pageHeaders } from "./pipeline/ResponseHeaders.ts"
import { route } from "./pipeline/Route.ts"

/** The maximum number of parallel downloads of the page, which is large and public. */
const downloadsMax = 32

/** Size of each chunk. A client that stops reading keeps one chunk in memory, not the whole page. */
const pieceBytes = 64 * 1024

/** The settings of the page. The library's type does not name all settings of Scalar. */
const settings = {
  withDefaultFonts: false, // these come from a third party
  authentication: { preferredSecurityScheme: "bearer" },
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  favicon: "data:,",
  customCss: `a[href^="https://www.scalar.com"],#own-ids:empty{display:none}
#own-ids{position:fixed;inset:auto 0 0;z-index:2147483647;padding:.5em 1em;font:14px sans-serif;background:#ffd;color:#000}`
}

const tokenForm = [
  ...["paths", `${newerRoot}/oauth/token`, "post", "requestBody"],
  ...["content", "application/x-www-form-urlencoded", "examples", "example", "value"]
]

const testRequests = `# Test requests

*Test Request* sends a request to this deployment with the token that you enter. In place of an id of the examples, it
sends the id of the last record of that kind that you created on this page. So create a record first. If there is none,
a GET takes the first record of the list. Other requests then keep the id of the example, and answer 404. Parameters of
lists are switched off until you set them.

`

/**
 * Switches off an optional parameter of the query. The page would send its default or its first value, such as one of two
 * filters that are only allowed together. The page reads the example with the name of the example of the body.
 */
const switchedOff = (parameter: JsonObject): JsonObject => {
  if (parameter["in"] !== "query" || parameter["required"] === true) return parameter
  const example = { value: at(parameter, ["schema", "default"]) ?? "", "x-disabled": true }
  return { ...parameter, examples: { default: example, example } }
}

const withoutFilters = (document: JsonObject): JsonObject => {
  const shared = mapEntries(at(document, ["components", "parameters"]), switchedOff)
  return mapOperations(withComponents(document, "parameters", shared), ({ parameters, ...operation }) => ({
    ...operation,
    parameters: Array.isArray(parameters) ? parameters.filter(isObject).map(switchedOff) : []
  }))
}

/** The contract for the page, which sends the example of a form as JSON unless the example is a list of fields. */
const shown = Contract.annotate(OpenApi.Transform, (generated) => {
  const complete = Option.getOrThrow(Context.getOption(Contract.annotations, OpenApi.Transform))
  const document: JsonObject = complete(generated)
  const fields = at(document, tokenForm)
  const list = Object.entries(isObject(fields) ? fields : {}).map(([name, value]) => ({ name, value }))
  const description = String(at(document, ["info", "description"]))
  const guided = put(document, ["info", "description"], description.replace(/^(?=# )/m, testRequests))
  return withoutFilters(put(guided, tokenForm, list))
})

/** Sends test requests with ids of the reader's own records, and shows a line about that. */
const ownIds = `<output id="own-ids"></output><script>
window.fetch = (${fetchWithOwnIds})(
  window.fetch.bind(window),
  ${JSON.stringify(exampleIds)},
  (line) => { document.getElementById("own-ids").textContent = line }
)
</script>`

/** The contents of the scripts in a page. */
const scriptsOf = (page: string): ReadonlyArray<string> =>
  Array.from(page.matchAll(/<script>(.*?)<\/script>/gs), ([, script = ""]) => script)

/** Allows the scripts of the page by their hashes, and calls to this host. Scalar writes styles into the page. */
const policyOf = (page: string, { sha256 }: Digest["Service"]): string => {
  const hashes = scriptsOf(page).map(
    (script) => `'sha256-${Base64.encode(Result.getOrThrow(Hex.decode(sha256(script))))}'`
  )
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")
}

const inPieces = (bytes: Uint8Array) => {
  const starts = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) => index * pieceBytes)
  return Stream.rechunk(
    Stream.map(Stream.fromIterable(starts), (start) => bytes.subarray(start, start + pieceBytes)),
    1
  )
}

/** The reference of the API. It limits parallel downloads, and sends the page in chunks. */
export const make = Effect.gen(function* () {
  const digest = yield* Digest
  // The library has the page only as a router. This loads a script of 3 MB and Node's own fetch, so only the first
  // request does it.
  const rendered = HttpRouter.toHttpEffect(
    HttpApiScalar.layer(shown, { path: documentPaths.reference, scalar: settings })
  ).pipe(
    Effect.flatMap((render) => {
      const request = HttpServerRequest.fromWeb(new Request(`https://localhost${documentPaths.reference}`))
      return Effect.provideService(render, HttpServerRequest.HttpServerRequest, request)
    }),
    Effect.scoped
  )
  const page = yield* Effect.cached(
    Effect.map(Effect.orDie(rendered), ({ body }) => {
      if (body._tag !== "Uint8Array") throw new Error("the reference page has no bytes")
      const whole = new TextDecoder().decode(body.body).replace("<body>", (start) => start + ownIds)
      return { bytes: new TextEncoder().encode(whole), policy: policyOf(whole, digest) }
    })
  )
  let underWay = 0
  /** Counts a download from its first chunk until it ends, also by a client that leaves. */
  const counted = <A>(pieces: Stream.Stream<A>): Stream.Stream<A> =>
    Stream.unwrap(
      Effect.acquireRelease(
        Effect.sync(() => {
          underWay++
          return pieces
        }),
        () =>
          Effect.sync(() => {
            underWay--
          })
      )
    )
  return route("GET", documentPaths.reference, () =>
    Effect.flatMap(page, ({ bytes, policy }) => {
      if (underWay >= downloadsMax) return Effect.fail(new Unavailable({ retryAfterSeconds: 5 }))
      const headers = {
        ...pageHeaders,
        "cache-control": "public, max-age=3600",
        "content-security-policy": policy
      }
      const contentType = "text/html; charset=utf-8"
      return Effect.succeed(
        HttpServerResponse.stream(counted(inPieces(bytes)), { contentType, contentLength: bytes.length, headers })
      )
    })
  )
})
