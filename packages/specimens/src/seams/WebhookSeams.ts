import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { at, type Json } from "@wcs/conformance/wire/Json"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"

/** The calls that answer a webhook's secret. */
export const creating = { method: "POST", path: /^\/webhooks$/, status: 201 } as const
export const rotating = { method: "POST", path: /^\/webhooks\/[^/]+\/rotate$/, status: 200 } as const

const place = "data.signingSecret"

/** The secret that an answer shows. */
export const secretOf = ({ json }: Answer): string | undefined => {
  const secret = at(json, place)
  return typeof secret === "string" ? secret : undefined
}

/** An answer of which the body has this at a place, or nothing. */
export const showing = (answer: Answer, where: string, value: Json | undefined): Answer =>
  Rewrite.mapJson((body) => Rewrite.put(body, where, value))(answer)

/** The secrets that webhooks have been given, the newest last, by the ids of webhooks. */
export type Given = (webhook: Json | undefined) => ReadonlyArray<string>

/** Has a rewrite know every secret that was answered before: what it does is done to answers that come later, too. */
export const knowing =
  (change: (given: Given) => (serve: Serve) => Serve) =>
  (serve: Serve): Serve => {
    const secrets = new Map<string, ReadonlyArray<string>>()
    const given: Given = (webhook) => secrets.get(String(at(webhook, "id"))) ?? []
    const remember = (answer: Answer, _request: Request): Answer => {
      const secret = secretOf(answer)
      const id = String(at(answer.json, "data.id"))
      if (secret !== undefined) secrets.set(id, [...(secrets.get(id) ?? []), secret])
      return answer
    }
    return change(given)(Rewrite.all(Rewrite.answers(creating, remember), Rewrite.answers(rotating, remember))(serve))
  }
