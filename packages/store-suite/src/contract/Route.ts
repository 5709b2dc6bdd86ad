import { isObject, type JsonObject, type Path } from "@wcs/domain/shared/Json"

/** An operation of an OpenAPI document, with the method and the URLs of its requests. */
export interface Route {
  /** Its `operationId`. */
  readonly operation: string
  /** In upper case. */
  readonly method: string
  readonly pattern: URLPattern
  /** Its location in the document. */
  readonly place: Path
}

/** Why a document does not describe a request. */
export type Reason =
  | "plain HTTP"
  | "URL is not in its normal form"
  | "more than 8 KiB of path and query"
  | "more than 16 KiB of headers"
  | "unknown path"
  | "unknown method"
  | "HEAD"

/** The parts of a request that select its operation. */
export interface Request {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Bytes of all sent headers; 0 if not counted. */
  readonly headerBytes: number
}

const isTemplated = (path: string): boolean => path.includes("{")

/**
 * Returns the operations. A concrete path comes before a templated path that matches the same URL (OpenAPI 3.1, section
 * 4.8.8).
 */
export const routesOf = (document: JsonObject): ReadonlyArray<Route> => {
  const paths = isObject(document["paths"]) ? document["paths"] : {}
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isObject(item) ? item : {}).flatMap(([method, operation]) => {
      if (!isObject(operation) || typeof operation["operationId"] !== "string") return []
      const pattern = new URLPattern({ pathname: path.replaceAll(/\{([^}]+)\}/g, ":$1") })
      const route = { operation: operation["operationId"], method: method.toUpperCase(), pattern }
      return [{ ...route, place: ["paths", path, method] }]
    })
  )
  const isConcrete = ({ place: [, path = ""] }: Route): boolean => !isTemplated(path)
  return [...routes.filter(isConcrete), ...routes.filter((route) => !isConcrete(route))]
}

const uriLimitBytes = 8 * 1024
const headersLimitBytes = 16 * 1024

const at = (routes: ReadonlyArray<Route>, url: string): ReadonlyArray<Route> => {
  const first = routes.find(({ pattern }) => pattern.test(url))
  return routes.filter(({ place: [, path] }) => path === first?.place[1])
}

/** The operation of a request, or the reason why the document describes none. */
export const routeOf = (routes: ReadonlyArray<Route>, { headerBytes, method, url }: Request): Route | Reason => {
  const { origin, pathname, protocol, search } = new URL(url)
  if (protocol === "http:") return "plain HTTP"
  // A URL parser changes `#`, `\` and `..`, so the path on the wire would be ambiguous.
  if (origin + pathname + search !== url) return "URL is not in its normal form"
  if (pathname.length + search.length > uriLimitBytes) return "more than 8 KiB of path and query"
  if (headerBytes > headersLimitBytes) return "more than 16 KiB of headers"
  const there = at(routes, url)
  if (there.length === 0) return "unknown path"
  return there.find((route) => route.method === method) ?? (method === "HEAD" ? "HEAD" : "unknown method")
}
