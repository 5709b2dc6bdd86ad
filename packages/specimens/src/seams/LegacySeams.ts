import { at, type Json } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { clientInHeader, tokenOf } from "../Callers.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"

// Selects and rewrites calls of the legacy surface.

export const legacyPath = /^\/api\//
export const me = { method: "GET", path: /^\/api\/users\/me$/ } as const
export const tokenPath = { method: "POST", path: /^\/api\/users\/[^/]+\/token$/ } as const
export const organization = { method: "GET", path: /^\/api\/organizations\/me$/ } as const
export const constituents = { method: "GET", path: /^\/api\/constituents$/ } as const
export const constituent = { method: "GET", path: /^\/api\/constituents\/[^/]+$/ } as const
export const scan = { method: "POST", path: /^\/api\/scan$/ } as const

export const isByBearer = (request: Request): boolean => tokenOf(request) !== undefined

/** The user name in a request with Basic credentials. */
export const userOf = (request: Request): string | undefined => clientInHeader(request)?.id

export const isByBasic = (request: Request): boolean => userOf(request) !== undefined

/** The email of one of the profile's users, by purpose. */
export const emailOf = (what: string): string => `conformance-specimen-${what}@conformance.invalid`

/** The error body of §7.3, with the headers of an answer. */
export const refusal = (answer: Answer, status: number, field = "authentication"): Answer =>
  Rewrite.withJson({ ...answer, status }, { status, message: "The request was refused.", field })

/** Replaces a value in successful answers to some calls; undefined removes it. */
export const showing = (
  where: Rewrite.Where,
  place: string,
  value: Json | undefined | ((shown: Json | undefined) => Json | undefined),
  isAbout: (request: Request) => boolean = () => true
) =>
  Rewrite.answers({ status: 200, ...where }, (answer, request) =>
    isAbout(request)
      ? Rewrite.mapJson((body) =>
          Rewrite.put(body, place, typeof value === "function" ? value(at(body, place)) : value)
        )(answer)
      : answer
  )

/** Refuses some calls with another status. */
export const refusing = (where: Rewrite.Where, status: number, isAbout: (request: Request) => boolean = () => true) =>
  Rewrite.answers(where, (answer, request) => (isAbout(request) ? refusal(answer, status) : answer))

/** A request with another `Authorization` header. */
export const as = (request: Request, authorization: string): Request =>
  Rewrite.withRequestHeader(request, "Authorization", authorization)

/** The tokens of each user, newest last. */
export type Given = (user: string) => ReadonlyArray<string>

/** Serves calls of the legacy surface with access to the tokens granted before. */
export const byGiven =
  (serveBy: (request: Request, given: Given, serve: Serve) => ReturnType<Serve>) =>
  (serve: Serve): Serve => {
    const tokens = new Map<string, ReadonlyArray<string>>()
    const given: Given = (user) => tokens.get(user) ?? []
    return (request) => {
      if (!legacyPath.test(Rewrite.pathOf(request))) return serve(request)
      return Effect.tap(serveBy(request, given, serve), ({ json }) =>
        Effect.sync(() => {
          const user = userOf(request)
          const token = at(json, "token")
          if (user !== undefined && typeof token === "string") tokens.set(user, [...given(user), token])
        })
      )
    }
  }

/** Basic works like the user's latest token for some calls. */
export const openedByBasic = (isAbout: (request: Request) => boolean) =>
  byGiven((request, given, serve) => {
    const token = given(userOf(request) ?? "").at(-1)
    return serve(token !== undefined && isAbout(request) ? as(request, `Bearer ${token}`) : request)
  })

/** Some Basic calls accept any password after the user's first login. */
export const acceptedByName =
  (where: Rewrite.Where, isAccepted: (password: string) => boolean = () => true) =>
  (serve: Serve): Serve => {
    const known = new Map<string, string>()
    const remember = Rewrite.answers({ ...me, status: 200 }, (answer, request) => {
      const user = userOf(request)
      if (user !== undefined) known.set(user, Rewrite.headerOf(request, "authorization") ?? "")
      return answer
    })
    return Rewrite.requests(where, (request) => {
      const login = clientInHeader(request)
      const right = known.get(login?.id ?? "")
      return right !== undefined && isAccepted(login?.secret ?? "") ? as(request, right) : request
    })(remember(serve))
  }

/** Ignores the id in the token path and uses the caller's own. */
export const servedToEveryone = (request: Request, serve: Serve): ReturnType<Serve> => {
  const asking = { ...request, method: "GET", url: request.url.replace(/\/users\/.*$/, "/users/me") }
  return Effect.flatMap(serve(asking), ({ json }) =>
    serve({ ...request, url: request.url.replace(/\/users\/[^/]+\//, `/users/${at(json, "id")}/`) })
  )
}
