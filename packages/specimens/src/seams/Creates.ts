import { at, type Json } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"

// Defects of creates and of the ids that they return.

/** Identifies equal creates; undefined for a create that equals no other. */
export type Key = (request: Request) => string | undefined

/** Changes the answer to a create with a used key; `first` is the data of the first answer. */
export const secondTime =
  (create: Rewrite.Where, key: Key, change: (answer: Answer, first: Json) => Answer) =>
  (serve: Serve): Serve => {
    const made = new Map<string, Json>()
    return Rewrite.answers({ ...create, status: 201 }, (answer, request) => {
      const asked = key(request)
      const first = asked === undefined ? undefined : made.get(asked)
      if (first !== undefined) return change(answer, first)
      if (asked !== undefined) made.set(asked, at(answer.json, "data") ?? null)
      return answer
    })(serve)
  }

/** Creates with the same key return the first resource. */
export const remembering = (create: Rewrite.Where, key: Key) =>
  secondTime(create, key, (answer, first) => Rewrite.mapJson((json) => Rewrite.put(json, "data", first))(answer))

/** Replaces the prefix of ids in answers, and reverses it in requests. */
export const withPrefix = (ours: string, theirs: string) =>
  Rewrite.all(
    Rewrite.requests({}, (request) => ({
      ...request,
      url: request.url.replaceAll(theirs, ours),
      body: request.body.replaceAll(theirs, ours)
    })),
    Rewrite.answers({}, (answer) => {
      const { location } = answer.headers
      const renamed = Rewrite.withText(answer, answer.text.replaceAll(ours, theirs))
      return location === undefined
        ? renamed
        : Rewrite.withHeader(renamed, "location", location.replaceAll(ours, theirs))
    })
  )
