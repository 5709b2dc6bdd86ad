import type { Context } from "effect"
import type { HttpRouter } from "effect/http"

/**
 * How the router compares paths: letter by letter (RFC 3986, section 6.2.2.1), so that a place has one name, the one by
 * which `UnknownPath`, `Surface` and whatever stands before the service know it. A slash at the end is overlooked.
 */
export const pathMatching: Context.Service.Shape<typeof HttpRouter.RouterConfig> = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: true
}

const rawPathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The path of a request's URL, without its query, as the router compares it: what needs no escape has none (RFC 3986,
 * section 6.2.2.2).
 */
export const pathOf = (url: string): string =>
  rawPathOf(url).replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /^[\w.~-]$/.test(character) ? character : escaped
  })

/**
 * The URL for the router, which would let a query begin at `;` and `#` too: escaped they are what they are, parts of
 * the path. A query begins at `?` and nowhere else (RFC 3986, section 3.4), so that whatever stands before the service
 * and looks at a path sees the one that the service sees.
 */
export const urlForRouter = (url: string): string => {
  if (!/[;#]/.test(url)) return url
  const path = rawPathOf(url)
  return path.replaceAll(";", "%3B").replaceAll("#", "%23") + url.slice(path.length)
}
