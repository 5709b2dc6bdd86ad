import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { Effect, Result } from "effect"
import { Base64 } from "effect/encoding"
import * as Answering from "./Answering.ts"
import type { Serve } from "./Serve.ts"
import { headerOf, pathOf, withJson, withRequestHeader } from "./seams/Rewrite.ts"

// The callers in a rewrite: bearer tokens of the newer surface, and clients at the token endpoint.

export const tokenPath = /^\/oauth\/token$/

/** The bearer token of a request. */
export const tokenOf = (request: Request): string | undefined =>
  /^bearer +(\S+)$/i.exec(headerOf(request, "authorization") ?? "")?.[1]

export const isPersonal = (token: string | undefined): boolean => token?.startsWith("wcs_pat_") === true

/** The OAuth client that an access token was issued to. */
export const clientOfToken = (token: string | undefined): unknown =>
  token === undefined ? undefined : jwtOf(token)?.payload["client_id"]

export const asBearer = (request: Request, token: string): Request =>
  withRequestHeader(request, "Authorization", `Bearer ${token}`)

export const asNobody = (request: Request): Request => withRequestHeader(request, "Authorization", undefined)

/** Tokens with which a call of the newer surface got a 2xx, oldest first. */
export type Accepted = ReadonlyArray<string>

/** Serves calls of the newer surface with access to the earlier accepted tokens. */
export const byAccepted =
  (serveBy: (request: Request, accepted: Accepted, serve: Serve) => ReturnType<Serve>) =>
  (serve: Serve): Serve => {
    const accepted = new Set<string>()
    return (request) => {
      if (!isCall(request)) return serve(request)
      const token = tokenOf(request)
      return Effect.tap(serveBy(request, [...accepted], serve), ({ status }) =>
        Effect.sync(() => {
          if (token !== undefined && status < 300) accepted.add(token)
        })
      )
    }
  }

/** The form in a request; undefined if there is none. */
export const formOf = (request: Request): URLSearchParams | undefined =>
  headerOf(request, "content-type") === "application/x-www-form-urlencoded"
    ? new URLSearchParams(request.body)
    : undefined

/** A request with these form fields replaced; undefined removes one. */
export const withFields = (request: Request, fields: Readonly<Record<string, string | undefined>>): Request => {
  const form = new URLSearchParams(request.body)
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) form.delete(name)
    else form.set(name, value)
  }
  return { ...request, body: form.toString() }
}

/** The client id and secret in a token request, by either method. */
export interface Client {
  readonly id: string
  readonly secret: string
}

/** The client in the form. */
export const clientInBody = (request: Request): Client | undefined => {
  const form = formOf(request)
  const [id, secret] = [form?.get("client_id"), form?.get("client_secret")]
  return typeof id === "string" && typeof secret === "string" ? { id, secret } : undefined
}

/** The client in a Basic header. Our ids and secrets need no form encoding. */
export const clientInHeader = (request: Request): Client | undefined => {
  const encoded = /^basic +(\S+)$/i.exec(headerOf(request, "authorization") ?? "")?.[1] ?? ""
  const decoded = Result.getOrElse(Base64.decodeString(encoded), () => "")
  const [, id, secret] = /^([^:]*):(.*)$/.exec(decoded) ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}

/** The same request with another client, by the same methods. */
export const withClient = (request: Request, { id, secret }: Client): Request => {
  const header = `Basic ${Base64.encode(`${id}:${secret}`)}`
  const named = clientInHeader(request) === undefined ? request : withRequestHeader(request, "Authorization", header)
  return clientInBody(request) === undefined ? named : withFields(named, { client_id: id, client_secret: secret })
}

/** A refusal of the token endpoint, with the headers of an answer. */
export const refusedGrant =
  (status: number, error: string) =>
  (answer: Answer): Answer =>
    withJson({ ...answer, status }, { error, error_description: "The request was refused." })

/** A refusal in the envelope, with the headers and request id of an answer. */
export const refused =
  (status: number, code: string) =>
  (answer: Answer): Answer =>
    Answering.refusal(answer, status, code, "The request was refused.")

/** Carries out an accepted form of a request, but returns a refusal. */
export const doneAndRefused =
  (isAbout: (request: Request) => boolean, accepted: (request: Request) => Request) =>
  (serve: Serve): Serve =>
  (request) =>
    isAbout(request) ? Effect.andThen(serve(accepted(request)), serve(request)) : serve(request)

/** Whether a request goes to the newer surface, excluding the token endpoint. */
export const isCall = (request: Request): boolean => !tokenPath.test(pathOf(request))
