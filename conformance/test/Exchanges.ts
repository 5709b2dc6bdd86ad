import { parse } from "@wcs/conformance/text/Json"
import type { Answer, Exchange, Request } from "@wcs/conformance/wire/Exchange"

/** An exchange with defaults for the parts that do not matter. */
export interface Given extends Partial<Omit<Request, "headers">> {
  readonly number?: number
  readonly walk?: string
  readonly step?: number
  readonly kind?: Exchange["kind"]
  readonly principal?: string | null
  readonly headers?: Request["headers"]
  /** Null without an answer. */
  readonly answer?: Partial<Answer> | null
  readonly silence?: Exchange["silence"]
}

export const exchangeOf = (given: Given): Exchange => {
  const { body = "", headers = [], method = "GET", url = "https://tenant.example/openapi/v1/workers" } = given
  const { number = 1, walk = "area/what", step = 1, kind = "call", principal = "admin", silence = null } = given
  const text = given.answer?.text ?? ""
  const answer = given.answer === null ? null : { status: 200, headers: {}, text, json: parse(text), ...given.answer }
  return {
    ...{ number, lastSent: number, walk, step, kind, principal, silence, answer },
    request: { method, url, headers, body },
    startedAt: 1_700_000_000_000 + number,
    millis: 3
  }
}
