import type { FindMyWay } from "effect/http"

/**
 * The path matching of the router: case-sensitive (RFC 3986, section 6.2.2.1), as in `UnknownPath`, `Surface` and
 * proxies. A trailing slash is ignored.
 */
export const pathMatching: Partial<FindMyWay.RouterConfig> = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: true
}

const rawPathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

/**
 * Returns the path of a URL without the query, as the router matches it: unnecessary escapes are decoded (RFC 3986,
 * section 6.2.2.2).
 */
export const pathOf = (url: string): string => {
  const path = rawPathOf(url)
  return path.includes("%") ? withoutNeedlessEscapes(path) : path
}

const withoutNeedlessEscapes = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /^[\w.~-]$/.test(character) ? character : escaped
  })

/**
 * Escapes `;` and `#` in the path for the router, which would start the query there. Only `?` starts a query (RFC 3986,
 * section 3.4), so the service and a proxy in front of it see the same path.
 */
export const urlForRouter = (url: string): string => {
  if (!/[;#]/.test(url)) return url
  const path = rawPathOf(url)
  return path.replaceAll(";", "%3B").replaceAll("#", "%23") + url.slice(path.length)
}
