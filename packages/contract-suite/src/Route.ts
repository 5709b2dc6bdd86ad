import { isObject, type JsonObject, type Path } from "@wcs/domain/shared/Json"

/** An operation of an OpenAPI document, and the requests that are its own. */
export interface Route {
  /** Its `operationId`. */
  readonly operation: string
  /** In upper case. */
  readonly method: string
  readonly pattern: URLPattern
  /** Where it stands in the document. */
  readonly place: Path
}

/** Why a document says nothing of a request. */
export type Reason =
  | "plain HTTP"
  | "no URL in its normal form"
  | "more than 8 KiB of path and query"
  | "more than 16 KiB of headers"
  | "unknown path"
  | "another method"
  | "HEAD"

/** A request, as far as it decides which operation it is for. */
export interface Request {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Bytes of all headers that were sent; 0 where nobody counted. */
  readonly headerBytes: number
}

const isTemplated = (path: string): boolean => path.includes("{")

/** The operations, those of concrete paths before those of templates, which match them too (OpenAPI 3.1, section 4.8.8). */
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

/** The operation that a request is for, or why there is none, by what the document says of such requests. */
export const routeOf = (routes: ReadonlyArray<Route>, { headerBytes, method, url }: Request): Route | Reason => {
  const { origin, pathname, protocol, search } = new URL(url)
  if (protocol === "http:") return "plain HTTP"
  // A `#`, a `\` or a `..` means one thing to a URL and another on the wire: nobody can say which path was meant.
  if (origin + pathname + search !== url) return "no URL in its normal form"
  if (pathname.length + search.length > uriLimitBytes) return "more than 8 KiB of path and query"
  if (headerBytes > headersLimitBytes) return "more than 16 KiB of headers"
  const there = at(routes, url)
  if (there.length === 0) return "unknown path"
  return there.find((route) => route.method === method) ?? (method === "HEAD" ? "HEAD" : "another method")
}
