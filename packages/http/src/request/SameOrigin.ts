import type { Incoming } from "./Incoming.ts"

type Request = Pick<Incoming, "headers" | "method">

/** The header of every console call. Forms and cross-origin scripts cannot send it. */
export const consoleHeader = "x-wcs-console"

/** Returns our own origin as seen by the browser. */
export const ownOrigin = ({ headers }: Pick<Request, "headers">): string => `https://${headers["host"] ?? ""}`

/**
 * Whether our own origin sent the request, according to the browser (Fetch Metadata; RFC 6454). Sibling hosts are
 * same-site and send the cookie despite `SameSite=Strict`, so only `same-origin` passes. A request without both headers
 * does not come from a current browser and does not pass.
 */
export const isSameOrigin = (request: Request): boolean => {
  const { origin, "sec-fetch-site": site } = request.headers
  if (site === undefined && origin === undefined) return false
  if (site !== undefined && site !== "same-origin") return false
  const isRead = request.method === "GET" || request.method === "HEAD"
  return (isRead && origin === undefined) || origin === ownOrigin(request)
}

/** Whether a call may use the session cookie: only the console script of our origin may. */
export const isConsoleCall = (request: Request): boolean =>
  request.headers[consoleHeader] === "1" && isSameOrigin(request)

/** Whether the user opened the page from our own pages, the address bar or a bookmark. */
export const isOwnNavigation = ({ headers }: Request): boolean => {
  const site = headers["sec-fetch-site"]
  return site === "same-origin" || site === "none"
}
