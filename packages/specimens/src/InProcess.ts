import { parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { PayloadTooLarge } from "@wcs/domain/service/HttpRefusal"
import type { AnswerRequest, Outgoing } from "@wcs/http/pipeline/Edge"
import type { Incoming } from "@wcs/http/request/Incoming"
import { overBudget } from "@wcs/http/request/RequestBody"
import { Cause, type Context, Effect, Exit, Fiber } from "effect"
import { Cookies } from "effect/http"
import type { Serve } from "./Serve.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Lets other calls run, as while a request or its body arrives: concurrent calls overlap. */
const aTurn = Effect.promise(() => Promise.resolve())

/** Joins repeated headers. */
const headersOf = (headers: Request["headers"], host: string): Record<string, string> => {
  const joined: Record<string, string> = { host }
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    joined[key] = joined[key] === undefined || key === "host" ? value : `${joined[key]}, ${value}`
  }
  return joined
}

/** A request is secure if its URL is. */
const incomingOf = ({ body, headers, method, url }: Request): Incoming => {
  const { host, pathname, protocol, search } = new URL(url)
  return {
    method,
    url: pathname + search,
    headers: headersOf(headers, host),
    peer: { address: "127.0.0.1", secure: protocol === "https:" },
    ambiguity: undefined,
    waitedMillis: () => 0,
    bytes: (limitBytes, take) => {
      const bytes = encoder.encode(body)
      if (bytes.length > limitBytes) return Effect.fail(new PayloadTooLarge({ limitBytes }))
      return take(bytes.length) ? Effect.as(aTurn, bytes) : Effect.fail(overBudget)
    }
  }
}

const textOf = ({ response: { body } }: Outgoing): string =>
  body._tag === "Uint8Array" ? (body.text ?? decoder.decode(body.body)) : ""

const answerOf = (outgoing: Outgoing, method: string): Answer => {
  const { headers, response } = outgoing
  const cookies = Cookies.toSetCookieHeaders(response.cookies).join(", ")
  const text = method === "HEAD" ? "" : textOf(outgoing)
  const all = { ...headers, ...response.headers, ...(cookies === "" ? {} : { "set-cookie": cookies }) }
  return { status: response.status, headers: all, text, json: parse(text) }
}

/**
 * Serves requests without sockets, each in a fiber of its own with the real clock, as in another process. A failed
 * answer counts as a broken connection.
 */
export const serveBy =
  (answer: AnswerRequest, context: Context.Context<never>): Serve =>
  (request) =>
    Effect.callback((resume) => {
      const answering = Effect.flatMap(aTurn, () =>
        Effect.uninterruptibleMask((restore) => {
          const answering = answer(incomingOf(request), context)
          if (Exit.isExit(answering)) return answering
          return Effect.onInterrupt(restore(Fiber.join(answering)), () => Fiber.interrupt(answering))
        })
      )
      const fiber = Effect.runFork(Effect.map(answering, (outgoing) => answerOf(outgoing, request.method)))
      fiber.addObserver((exit) =>
        resume(
          Exit.isSuccess(exit)
            ? exit
            : Effect.fail(new NoAnswer({ silence: "malformed", detail: String(Cause.squash(exit.cause)) }))
        )
      )
      return Fiber.interrupt(fiber)
    })
