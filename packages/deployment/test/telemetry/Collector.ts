import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { OtlpTracer } from "effect/observability"

/** A span as a test reads it. */
export interface Exported {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly service: unknown
  /** Everything that was sent of the span. */
  readonly text: string
}

/** A request for a register, or for the collector. */
interface Request {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const requestOf = async (message: IncomingMessage): Promise<Request> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return { path: message.url ?? "", headers: message.headers, text: Buffer.concat(chunks).toString() }
}

/** A server on this machine that keeps its requests and gives each the same answer, until the scope closes. */
export const answering = Effect.fnUntraced(function* (body: string, status = 200) {
  const requests: Array<Request> = []
  const server = createServer((message, response) => {
    requestOf(message).then(
      (request) => {
        requests.push(request)
        response.writeHead(status, { "content-type": "application/json" }).end(body)
      },
      () => response.destroy()
    )
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
})

type Attributes = OtlpTracer.TraceData["resourceSpans"][number]["resource"]["attributes"]

const valuesOf = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansIn = ({ text }: Request): ReadonlyArray<Exported> => {
  const { resourceSpans }: OtlpTracer.TraceData = JSON.parse(text)
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        attributes: valuesOf(span.attributes),
        service: valuesOf(resource.attributes)["service.name"],
        text: JSON.stringify(span)
      }))
    )
  )
}

/** A collector of OpenTelemetry in memory. Servers send the last spans when they stop. */
export const collector = Effect.map(answering("{}"), ({ requests, url }) => ({
  url,
  requests,
  spans: (): ReadonlyArray<Exported> => requests.filter(({ path }) => path === "/v1/traces").flatMap(spansIn)
}))
