import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Rewrite from "./Rewrite.ts"

/** Accepted verify calls. */
export const verifying = { method: "POST", path: /^\/credentials\/[^/]+\/verify$/ } as const
export const verified = { ...verifying, status: 200 } as const

/** Replaces a field of a verify answer, in `data` and at the top level; undefined removes it. */
export const withField = (
  answer: Answer,
  name: string,
  change: (value: Json | undefined) => Json | undefined
): Answer => {
  const inBoth = ["data.", ""].reduce(
    (body, place) => Rewrite.put(body, `${place}${name}`, change(at(answer.json, `${place}${name}`))),
    answer.json ?? null
  )
  return Rewrite.withJson(answer, inBoth)
}

/** A value in a request; undefined if absent. */
export const asked = ({ body }: Request, name: string): Json | undefined => at(parse(body), name)

/** A request with another value. */
export const asking = (request: Request, name: string, value: Json | undefined): Request => {
  const body = parse(request.body)
  const { [name]: _, ...rest } = isObject(body) ? body : {}
  return { ...request, body: JSON.stringify(value === undefined ? rest : { ...rest, [name]: value }) }
}
