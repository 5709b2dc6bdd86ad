import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import { requireScheme } from "@wcs/domain/webhook/WebhookUrl"
import { Effect, Result } from "effect"
import { Agent, fetch } from "undici"
import { Destinations } from "./Destinations.ts"
import { OutgoingFetch } from "./OutgoingFetch.ts"
import { makeConnector } from "./UndiciSender.ts"

const timeoutMillis = 5000
/** Limit of the response body. */
const answerMaxBytes = 256 * 1024
const connectionsMax = 4

const readWithin = async (body: AsyncIterable<Uint8Array> | null): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > answerMaxBytes) throw new Error(`the response is larger than ${answerMaxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const empty = [204, 205, 304]

export const make = Effect.gen(function* () {
  const { allowsHttp } = yield* WebhookSettings
  const destinations = yield* Destinations
  const connect = yield* makeConnector
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connect, connections: connectionsMax, headersTimeout: timeoutMillis })),
    (opened) => Effect.promise(() => opened.destroy())
  )

  const guarded = async (url: string, init: RequestInit): Promise<Response> => {
    const { hostname } = new URL(url)
    if (Result.isFailure(requireScheme(url, allowsHttp)) || destinations.refuses(hostname)) {
      throw new Error("the address is refused")
    }
    const answer = await fetch(url, {
      ...(init as object),
      dispatcher: agent,
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMillis), ...(init.signal ? [init.signal] : [])])
    })
    const bytes = await readWithin(answer.body as AsyncIterable<Uint8Array> | null)
    const headers = [...answer.headers].map(([name, value]): [string, string] => [name, value])
    const body = empty.includes(answer.status) ? null : new Uint8Array(bytes)
    return new Response(body, { status: answer.status, headers })
  }

  return OutgoingFetch.of({ fetch: guarded })
})
