import type { Profile } from "@wcs/conformance/profile/Profile"
import { at } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect, Semaphore } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"
import { headerOf } from "./Rewrite.ts"

// A deployment that creates owners by other ways than its interface. Their ids are fixed names, which stand for owners
// of our deployment.

/** The owners that exist in such a deployment. */
export interface Existing {
  readonly type: "worker" | "applicant"
  /** The path of their group. */
  readonly path: string
  readonly ids: ReadonlyArray<string>
  /** The body that creates one in our deployment. */
  readonly bodyOf: (id: string) => object
}

export const applicants = (count: number): Existing => ({
  type: "applicant",
  path: "/applicants",
  ids: Array.from({ length: count }, (_, index) => `app_existing${index}`),
  bodyOf: (id) => ({ displayName: id, emailAddress: `${id}@example.org` })
})

const replacing = (text: string, names: ReadonlyArray<readonly [from: string, to: string]>): string =>
  names.reduce((told, [from, to]) => told.replaceAll(from, to), text)

/** Serves a deployment in which these owners exist, and in which no other one can be created. */
export const existing =
  ({ bodyOf, ids, path }: Existing) =>
  (serve: Serve): Serve => {
    const ours = new Map<string, string>()
    const oneByOne = Semaphore.makeUnsafe(1)

    /** Creates an owner as the caller that names it first. */
    const create = Effect.fnUntraced(function* (id: string, request: Request) {
      if (ours.has(id)) return
      const { origin } = new URL(request.url)
      const answer = yield* serve({
        method: "POST",
        url: `${origin}/openapi/v1${path}`,
        headers: [
          ["Authorization", headerOf(request, "authorization") ?? ""],
          ["Content-Type", "application/json"]
        ],
        body: JSON.stringify(bodyOf(id))
      })
      const made = at(answer.json, "data.id")
      if (answer.status === 201 && typeof made === "string") ours.set(id, made)
    })

    return Effect.fnUntraced(function* (request: Request) {
      if (request.method === "POST" && Rewrite.pathOf(request) === path) {
        const refused = yield* serve({ ...request, method: "PUT" })
        return refused
      }
      const named = ids.filter((id) => request.url.includes(id) || request.body.includes(id))
      yield* oneByOne.withPermits(1)(Effect.forEach(named, (id) => create(id, request)))
      const names = [...ours]
      const [url, body] = [replacing(request.url, names), replacing(request.body, names)]
      const answer = yield* serve({ ...request, url, body })
      return Rewrite.withText(
        answer,
        replacing(
          answer.text,
          names.map(([theirs, own]) => [own, theirs])
        )
      )
    })
  }

/** The profile of such a deployment. */
export const naming =
  (...all: ReadonlyArray<Existing>) =>
  (profile: Profile): Profile => {
    const types = all.map(({ type }): string => type)
    const groups = Object.entries(profile.groups ?? {}).filter(([type]) => !types.includes(type))
    return {
      ...profile,
      groups: Object.fromEntries(groups),
      owners: Object.fromEntries(all.map(({ ids, type }) => [type, { existing: ids }]))
    }
  }
