import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { at, isObject, type Json, parse } from "@wcs/conformance/wire/Json"
import * as Rewrite from "./Rewrite.ts"

/** Verify, and what is answered where it is carried out. */
export const verifying = { method: "POST", path: /^\/credentials\/[^/]+\/verify$/ } as const
export const verified = { ...verifying, status: 200 } as const

/** An answer to verify in which a field is changed, in `data` and at the top; undefined takes it away. */
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

/** What a request asks for; undefined where it does not say it. */
export const asked = ({ body }: Request, name: string): Json | undefined => at(parse(body), name)

/** A request for something else. */
export const asking = (request: Request, name: string, value: Json | undefined): Request => {
  const body = parse(request.body)
  const { [name]: _, ...rest } = isObject(body) ? body : {}
  return { ...request, body: JSON.stringify(value === undefined ? rest : { ...rest, [name]: value }) }
}
