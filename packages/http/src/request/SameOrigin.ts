import type { HttpServerRequest } from "effect/http"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">

/** The header that the console sends with every call. A form or a cross-origin script cannot send it. */
export const consoleHeader = "x-wcs-console"

/** Our own origin, as the browser addresses it. */
export const ownOrigin = ({ headers }: Pick<Request, "headers">): string => `https://${headers["host"] ?? ""}`

/**
 * Whether the browser says that our own origin sent the request (Fetch Metadata; RFC 6454). A sibling host is same-site,
 * and gets the cookie in spite of `SameSite=Strict`, so that only `same-origin` passes. A request with neither header
 * comes from no present browser, and does not pass.
 */
export const isSameOrigin = (request: Request): boolean => {
  const { origin, "sec-fetch-site": site } = request.headers
  if (site === undefined && origin === undefined) return false
  if (site !== undefined && site !== "same-origin") return false
  const isRead = request.method === "GET" || request.method === "HEAD"
  return (isRead && origin === undefined) || origin === ownOrigin(request)
}

/** Whether a call of the interface with a session's cookie is taken: from our origin, by the console's script. */
export const isConsoleCall = (request: Request): boolean =>
  request.headers[consoleHeader] === "1" && isSameOrigin(request)

/** Whether a person opens a page of ours: from our own pages, or by the address bar or a bookmark. */
export const isOwnNavigation = ({ headers }: Request): boolean => {
  const site = headers["sec-fetch-site"]
  return site === "same-origin" || site === "none"
}
