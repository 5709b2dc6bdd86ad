import { at, type Json } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"

/** The calls that return a webhook's secret. */
export const creating = { method: "POST", path: /^\/webhooks$/, status: 201 } as const
export const rotating = { method: "POST", path: /^\/webhooks\/[^/]+\/rotate$/, status: 200 } as const

const place = "data.signingSecret"

/** The secret in an answer. */
export const secretOf = ({ json }: Answer): string | undefined => {
  const secret = at(json, place)
  return typeof secret === "string" ? secret : undefined
}

/** Replaces the value at a place of an answer's body; undefined removes it. */
export const showing = (answer: Answer, where: string, value: Json | undefined): Answer =>
  Rewrite.field(where, value)(answer)

/** The secrets of each webhook, newest last. */
export type Given = (webhook: Json | undefined) => ReadonlyArray<string>

/** Gives a rewrite access to all secrets returned before. */
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
