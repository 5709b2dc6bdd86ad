import type { Answer } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import * as Answering from "./Answering.ts"
import { tokenOf } from "./Callers.ts"
import type { Serve } from "./Serve.ts"
import * as Rewrite from "./seams/Rewrite.ts"

/** Refuses long URLs with 414 after authentication. Ours refuses them before. */
export const longUrls = (change: (answer: Answer) => Answer = (answer) => answer) =>
  Rewrite.instead({}, (request, serve: Serve) => {
    if (request.url.length <= 8192) return serve(request)
    const short = serve({ ...request, url: request.url.replace(/\?.*$/s, "") })
    return Effect.map(short, (answer) =>
      answer.status === 401 || tokenOf(request) === undefined
        ? answer
        : change(Answering.refusal(answer, 414, "URI_TOO_LONG", "The path and query are too long."))
    )
  })
