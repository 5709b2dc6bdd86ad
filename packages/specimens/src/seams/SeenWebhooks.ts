import { at, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"

/** A webhook as seen on the wire. */
export interface SeenWebhook {
  readonly id: string
  /** Its secrets, newest last. */
  readonly secrets: ReadonlyArray<string>
  /** The tenant's host. */
  readonly host: string
}

/** The webhooks of a run, by delivery URL. */
export type Webhooks = ReadonlyMap<string, SeenWebhook>

const textAt = (answer: Answer, path: string): string => {
  const found = at(answer.json, path)
  return typeof found === "string" ? found : ""
}

/** Records webhooks from answers, so that rewrites of deliveries can use them. */
export const watching = (serve: Serve): { readonly serve: Serve; readonly webhooks: Webhooks } => {
  const webhooks = new Map<string, SeenWebhook>()
  const note = (answer: Answer, { body, url }: Request): Answer => {
    const receiver = at(parse(body), "url")
    const secret = textAt(answer, "data.signingSecret")
    const { host } = new URL(url)
    if (typeof receiver === "string") webhooks.set(receiver, { id: textAt(answer, "data.id"), secrets: [secret], host })
    return answer
  }
  const noteNew = (answer: Answer, request: Request): Answer => {
    const [, id = ""] = /^\/webhooks\/([^/]+)\/rotate$/.exec(Rewrite.pathOf(request)) ?? []
    for (const [receiver, webhook] of webhooks) {
      if (webhook.id !== decodeURIComponent(id)) continue
      const secrets = [...webhook.secrets, textAt(answer, "data.signingSecret")]
      webhooks.set(receiver, { ...webhook, secrets })
    }
    return answer
  }
  const watched = Rewrite.all(
    Rewrite.answers({ method: "POST", path: /^\/webhooks$/, status: 201 }, note),
    Rewrite.answers({ method: "POST", path: /^\/webhooks\/[^/]+\/rotate$/, status: 200 }, noteNew)
  )
  return { serve: watched(serve), webhooks }
}
