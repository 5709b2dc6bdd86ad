import { type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimen/target/Serve"
import { Effect } from "effect"

/** The calls to which a rewrite applies. */
export interface Where {
  readonly method?: string
  /** The path below the newer surface's root, with its query. */
  readonly path?: RegExp
  readonly status?: number | ReadonlyArray<number>
  readonly body?: RegExp
}

const newerRoot = "/openapi/v1"

/** The path of a request below the newer surface's root, with its query. */
export const pathOf = ({ url }: Request): string => {
  const { pathname, search } = new URL(url)
  return `${pathname.startsWith(newerRoot) ? pathname.slice(newerRoot.length) : pathname}${search}`
}

/** The header of a request; undefined if absent. */
export const headerOf = ({ headers }: Request, name: string): string | undefined =>
  headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]

const isAbout = ({ body, method, path }: Where, request: Request): boolean =>
  (method === undefined || method === request.method) &&
  (path === undefined || path.test(pathOf(request))) &&
  (body === undefined || body.test(request.body))

const hasStatus = ({ status }: Where, answer: Answer): boolean =>
  status === undefined || [status].flat().includes(answer.status)

/** Changes the answers to some calls. */
export const answers =
  (where: Where, change: (answer: Answer, request: Request) => Answer) =>
  (serve: Serve): Serve =>
  (request) =>
    isAbout(where, request)
      ? Effect.map(serve(request), (answer) => (hasStatus(where, answer) ? change(answer, request) : answer))
      : serve(request)

/** Changes some requests before they are served. */
export const requests =
  (where: Where, change: (request: Request) => Request) =>
  (serve: Serve): Serve =>
  (request) =>
    serve(isAbout(where, request) ? change(request) : request)

/** Combines rewrites; the first is nearest to the deployment. */
export const all =
  (...rewrites: ReadonlyArray<(serve: Serve) => Serve>) =>
  (serve: Serve): Serve =>
    rewrites.reduce((inner, rewrite) => rewrite(inner), serve)

/** An answer with another text. */
export const withText = (answer: Answer, text: string): Answer => ({ ...answer, text, json: parse(text) })

/** An answer with another JSON body. */
export const withJson = (answer: Answer, json: Json): Answer => withText(answer, JSON.stringify(json))

/** Sets a header of an answer, or removes it. */
export const withHeader = (answer: Answer, name: string, value: string | undefined): Answer => {
  const { [name.toLowerCase()]: _, ...rest } = answer.headers
  return { ...answer, headers: value === undefined ? rest : { ...rest, [name.toLowerCase()]: value } }
}

/** A refusal in the envelope, with the headers of an answer, so that request ids and rate limits stay right. */
export const refusal = (answer: Answer, status: number, code: string, message: string): Answer => {
  const requestId = answer.headers["x-request-id"] ?? ""
  return withHeader(
    withJson({ ...answer, status }, { error: { code, message, requestId } }),
    "content-type",
    "application/json"
  )
}
