import { at } from "@wcs/conformance/text/Json"
import type { Serve } from "@wcs/specimen/target/Serve"
import { Clock, Effect } from "effect"
import * as Rewrite from "../Rewrite.ts"

/** Whether a path is that of a group's list: `/workers?externalId=x`. */
const isList = (path: string): boolean => /^\/[^/?]+(?:\?|$)/.test(path)

/**
 * Lists show a resource only from a later time, which `shownFrom` gives for the time of its creation in milliseconds.
 * Reads by id show it at once. `isLagging` selects lists by their paths.
 */
export const laggingLists =
  (shownFrom: (createdAt: number) => number, isLagging: (path: string) => boolean = () => true) =>
  (serve: Serve): Serve => {
    const times = new Map<unknown, number>()
    return Effect.fnUntraced(function* (request) {
      const answer = yield* serve(request)
      const now = yield* Clock.currentTimeMillis
      const path = Rewrite.pathOf(request)
      if (answer.json === undefined || !isList(path)) return answer
      const data = at(answer.json, "data")
      if (request.method === "POST" && answer.status === 201) times.set(at(data, "id"), shownFrom(now))
      if (request.method !== "GET" || !Array.isArray(data) || !isLagging(path)) return answer
      const shown = data.filter((item) => (times.get(at(item, "id")) ?? 0) <= now)
      return shown.length === data.length ? answer : Rewrite.withJson(answer, { ...Object(answer.json), data: shown })
    })
  }
