import { Effect } from "effect"
import * as Expect from "../../judgement/Expect.ts"
import { Session } from "../../judgement/Session.ts"
import { newerRoot } from "../../profile/Roots.ts"
import { equals, type Json } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"

/** The form of a `Location`: an absolute URL, a path from the host's root, or a path relative to the request. */
export const formOf = (location: string): "absolute" | "path" | "relative" => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location) || location.startsWith("//")) return "absolute"
  return location.startsWith("/") ? "path" : "relative"
}

/** The call that follows a `Location`; undefined if it leaves the surface. */
export const pathTo = (location: string, requested: string): string | undefined => {
  const to = URL.canParse(location, requested) ? new URL(location, requested) : undefined
  if (to?.origin !== new URL(requested).origin || !to.pathname.startsWith(`${newerRoot}/`)) return undefined
  return `${to.pathname.slice(newerRoot.length)}${to.search}`
}

/** The form of a create's `Location`, whether it leads to the created resource, and the exchanges that show it. */
export const observeLocation = Effect.fnUntraced(function* (created: Exchange) {
  const { send } = yield* Session
  const location = Expect.headerOf(created, "location")
  if (location === undefined) return { observed: "none", evidence: [created] }
  const path = pathTo(location, created.request.url)
  if (path === undefined) return { observed: { form: formOf(location), leads: "elsewhere" }, evidence: [created] }
  const followed = yield* send({ method: "GET", path, isUnknownPath: true })
  const isIt = equals(Expect.valueAt(created, "data.id") ?? null, Expect.valueAt(followed, "data.id"))
  const observed: Json = { form: formOf(location), leads: isIt ? "to the resource" : "elsewhere" }
  return { observed, evidence: [created, followed] }
})
