/** Receivers on real sockets, and a sender that may reach them. */
import { createServer, type Socket } from "node:net"
import { createServer as createTlsServer, type TlsOptions } from "node:tls"
import * as Destinations from "@wcs/delivery/Destinations"
import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as InterimResponses from "@wcs/delivery/InterimResponses"
import { NameNotFound, Resolver } from "@wcs/delivery/Resolver"
import { type Outgoing, Sender, SenderSettings } from "@wcs/delivery/Sender"
import * as UndiciSender from "@wcs/delivery/UndiciSender"
import * as UrlGuard from "@wcs/delivery/UrlGuard"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import { Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"

export interface Receiver {
  readonly port: number
  /** The number of connections, and the bytes received on all of them. */
  readonly seen: { connections: number; received: string; open: Set<Socket> }
}

/** Listens on a free port of this host until the scope closes, and passes each received chunk to `behave`. */
export const receiver = (
  behave: (socket: Socket, chunk: Buffer) => void,
  { host = "127.0.0.1", tls }: { readonly host?: string; readonly tls?: TlsOptions } = {}
) =>
  Effect.acquireRelease(
    Effect.callback<Receiver & { readonly close: () => void }>((resume) => {
      const seen: Receiver["seen"] = { connections: 0, received: "", open: new Set() }
      const accept = (socket: Socket) => {
        seen.connections += 1
        seen.open.add(socket)
        socket.on("data", (chunk) => {
          seen.received += chunk.toString("latin1")
          behave(socket, chunk)
        })
        socket.on("error", () => socket.destroy())
        socket.on("close", () => seen.open.delete(socket))
      }
      const server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept)
      server.on("tlsClientError", () => undefined)
      server.listen(0, host, () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          for (const socket of seen.open) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ port, seen, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** Answers every request that arrives in one chunk with these bytes. */
export const answering = (answer: string) => receiver((socket) => socket.write(answer))

export const loopback = [ipaddr.parseCIDR("127.0.0.0/8")]

/** Resolves names from a list: each query gets the next answer of the name, and the last one is repeated. */
export const resolverOf = (answers: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>) => {
  const asked: Array<string> = []
  const resolve = (name: string) => {
    const turn = asked.filter((one) => one === name).length
    asked.push(name)
    const found = answers[name]?.[Math.min(turn, (answers[name]?.length ?? 0) - 1)]
    return found === undefined ? new NameNotFound({ name }) : Effect.succeed(found)
  }
  const layer = Layer.succeed(Resolver, {
    resolve: (name) => Effect.suspend(() => resolve(name)),
    resolveInside: (name) => Effect.suspend(() => resolve(name))
  })
  return { asked, layer }
}

/** The real guard and sender, except for the given overrides. */
export const outbound = (
  options: {
    readonly resolver?: Layer.Layer<Resolver>
    readonly allowed?: ReadonlyArray<readonly [ipaddr.IPv4 | ipaddr.IPv6, number]>
    readonly allowsHttp?: boolean
    readonly settings?: Partial<typeof SenderSettings.Service>
  } = {}
) => {
  const { allowed = [], allowsHttp = true, resolver = resolverOf({}).layer, settings = {} } = options
  const standard = SenderSettings.defaultValue()
  return Layer.mergeAll(UndiciSender.layer, UrlGuard.layer, InterimResponses.layer).pipe(
    Layer.provide(Destinations.layer),
    Layer.provide(resolver),
    Layer.provide(Layer.succeed(AllowedRanges, allowed)),
    Layer.provide(Layer.succeed(WebhookSettings, { allowsHttp, changeoverSeconds: 86_400, webhooksMax: 100 })),
    Layer.provide(Layer.succeed(SenderSettings, { ...standard, ...settings }))
  )
}

export const outgoing = (url: string, body = '{"type":"webhook.test"}'): Outgoing => ({
  url,
  headers: { "webhook-id": "dlv_0000000000000001" },
  body: Buffer.from(body)
})

export const send = (url: string, body?: string) => Sender.use((sender) => sender.send(outgoing(url, body)))
