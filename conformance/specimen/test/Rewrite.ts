import { isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Serve } from "../Serve.ts"

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

/** Replaces the handling of some calls. */
export const instead =
  (where: Where, serveInstead: (request: Request, serve: Serve) => ReturnType<Serve>) =>
  (serve: Serve): Serve =>
  (request) =>
    isAbout(where, request) ? serveInstead(request, serve) : serve(request)

/** Combines rewrites; the first is nearest to the deployment. */
export const all =
  (...rewrites: ReadonlyArray<(serve: Serve) => Serve>) =>
  (serve: Serve): Serve =>
    rewrites.reduce((inner, rewrite) => rewrite(inner), serve)

/** An answer with another text. */
export const withText = (answer: Answer, text: string): Answer => ({ ...answer, text, json: parse(text) })

/** An answer with another JSON body. */
export const withJson = (answer: Answer, json: Json): Answer => withText(answer, JSON.stringify(json))

/** A new JSON answer. */
export const jsonAnswer = (status: number, json: Json, headers: Readonly<Record<string, string>> = {}): Answer =>
  withJson({ status, headers: { "content-type": "application/json", ...headers }, text: "", json: undefined }, json)

/** Changes the JSON body of an answer; other bodies are unchanged. */
export const mapJson =
  (change: (json: Json) => Json) =>
  (answer: Answer): Answer =>
    answer.json === undefined ? answer : withJson(answer, change(answer.json))

/** Replaces the value at a dotted path of a JSON body; undefined removes it. */
export const field = (path: string, value: Json | undefined) => mapJson((body) => put(body, path, value))

/** Sets a header of an answer, or removes it. */
export const withHeader = (answer: Answer, name: string, value: string | undefined): Answer => {
  const { [name.toLowerCase()]: _, ...rest } = answer.headers
  return { ...answer, headers: value === undefined ? rest : { ...rest, [name.toLowerCase()]: value } }
}

/** Sets a header of a request, or removes it. */
export const withRequestHeader = (request: Request, name: string, value: string | undefined): Request => {
  const rest = request.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase())
  return { ...request, headers: value === undefined ? rest : [...rest, [name, value]] }
}

/** Replaces the value at a dotted path; undefined removes it. */
export const put = (value: Json, path: string, replacement: Json | undefined): Json => {
  const [first = "", ...rest] = path.split(".")
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === first ? (putInside(item, rest, replacement) ?? null) : item))
  }
  if (!isObject(value)) return value
  const { [first]: inner, ...others } = value
  const changed = putInside(inner, rest, replacement)
  return changed === undefined ? others : { ...others, [first]: changed }
}

const putInside = (inner: Json | undefined, rest: ReadonlyArray<string>, replacement: Json | undefined) =>
  rest.length === 0 ? replacement : inner === undefined ? undefined : put(inner, rest.join("."), replacement)
