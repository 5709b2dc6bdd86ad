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
