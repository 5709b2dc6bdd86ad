import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Answering, AnswerRequest, Outgoing } from "@wcs/http/pipeline/Edge"
import * as AddressLimit from "@wcs/http/request/AddressLimit"
import { Cause, Context, Effect, Exit, Fiber, Option, type Scope } from "effect"
import { Certificate } from "./Certificate.ts"
import { cappedBy, type Range } from "./ClientAddress.ts"
import type { Exemplars } from "./Exemplars.ts"
import { ambiguityOf } from "./Framing.ts"
import { build, standardLimits } from "./Listener.ts"
import { type Facts, NodeIncoming } from "./Requests.ts"
import { send, sendInterrupted } from "./Responses.ts"
import * as SocketPeers from "./SocketPeers.ts"
import { describe, reasonOf, StartRefused } from "./StartRefused.ts"
import { recorder } from "./Traffic.ts"

/** The maximum time for requests in flight after a stop signal. */
const drainMillis = 24_000

/** The time in which the responses to interrupted requests are sent. */
const lastAnswersMillis = 1_000

/** Returns the port of a server. */
const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** An address and port, with the variables that set them. */
export interface Place {
  readonly port: number
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined
  readonly portVariable: string
  readonly hostVariable: string
}

/** Whether the error code is about the address or the name. */
const isOfHost = (reason: string): boolean =>
  ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL", "ENOTFOUND"].includes(reason) || reason.startsWith("EAI_")

/** Converts a listen error to one sentence. */
const refused = ({ host, hostVariable, port, portVariable }: Place, cause: unknown): StartRefused => {
  const reason = reasonOf(cause)
  if (reason === "EADDRINUSE") {
    return new StartRefused({
      message: `${portVariable} must be a free port, but ${port} is in use by another program.`
    })
  }
  const message =
    host !== undefined && isOfHost(reason)
      ? `${hostVariable} must be an address of this machine, but listening on ${host} failed: ${describe(cause)}.`
      : `${portVariable} must be a usable port, but listening on ${port} failed: ${describe(cause)}.`
  return new StartRefused({ message })
}

/**
 * The context of every request: the clock, the log levels and other services of the runtime. Other services are left
 * out, because the context is copied for each request.
 */
export const withoutServices = (context: Context.Context<Scope.Scope>): Context.Context<Scope.Scope> =>
  Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => !key.startsWith("@wcs/"))))

type ConnectionFacts = Omit<Facts, "unfinished">

/** Notes the trace of a response before it is sent. */
type Traced = (response: ServerResponse, traceId: string) => void

/** Answers each request in a fiber. A client that leaves interrupts its fiber. */
const answerEach = (
  server: Server,
  answer: AnswerRequest,
  facts: ConnectionFacts,
  traced: Traced,
  context: Context.Context<never>
) => {
  const running = new Set<Fiber.Fiber<Outgoing>>()
  const all: Facts = { ...facts, unfinished: () => running.size }
  const fail = (cause: Cause.Cause<never>, response: ServerResponse) => {
    Effect.runForkWith(context)(Effect.logError("a response could not be sent", cause))
    response.destroy()
  }
  /** Begins an answer. If it throws, only this answer fails: a listener that throws would end the process. */
  const begin = (message: IncomingMessage, response: ServerResponse): Answering => {
    try {
      return answer(new NodeIncoming(message, response, all), context)
    } catch (defect) {
      return Exit.die(defect)
    }
  }
  const onRequest = (message: IncomingMessage, response: ServerResponse) => {
    const settle = (exit: Exit.Exit<Outgoing>) => {
      if (Exit.isFailure(exit)) {
        return Cause.hasInterruptsOnly(exit.cause) ? sendInterrupted(response) : fail(exit.cause, response)
      }
      const { traceId } = exit.value
      if (traceId !== undefined) traced(response, traceId)
      try {
        send(exit.value, message, response)
      } catch (defect) {
        fail(Cause.die(defect), response)
      }
    }
    const answering = begin(message, response)
    if (Exit.isExit(answering)) return settle(answering)
    running.add(answering)
    response.on("close", () => {
      if (!response.writableEnded) answering.interruptUnsafe()
    })
    answering.addObserver((exit) => {
      running.delete(answering)
      settle(exit)
    })
  }
  server.on("request", onRequest).on("checkContinue", onRequest)
  return running
}

/** Listens until the scope closes. Then accepts nothing more, and waits for the end of all connections. */
const listenOn = (server: Server, place: Place, beforeEnd: Effect.Effect<void> = Effect.void) =>
  Effect.acquireRelease(
    Effect.callback<number, StartRefused>((resume) => {
      const onError = (cause: unknown) => resume(Effect.fail(refused(place, cause)))
      server.once("error", onError)
      server.listen({ port: place.port, host: place.host }, () => {
        server.off("error", onError)
        resume(Effect.succeed(portOf(server)))
      })
    }),
    () =>
      Effect.gen(function* () {
        const closing = yield* Effect.forkChild(
          Effect.callback<void>((resume) => void server.close(() => resume(Effect.void))),
          { startImmediately: true }
        )
        yield* Effect.timeoutOption(Fiber.await(closing), drainMillis)
        yield* beforeEnd
        yield* Effect.timeoutOption(Fiber.await(closing), lastAnswersMillis)
        server.closeAllConnections()
        yield* Fiber.await(closing)
      })
  )

/** Listens and serves until the scope closes. Then accepts nothing more and finishes the requests in flight. */
export const serveOn = Effect.fnUntraced(function* (
  server: Server,
  place: Place,
  answer: AnswerRequest,
  facts: ConnectionFacts,
  traced: Traced = () => undefined
) {
  const context = withoutServices(yield* Effect.context<Scope.Scope>())
  const running = answerEach(server, answer, facts, traced, context)
  return yield* listenOn(
    server,
    place,
    Effect.suspend(() => Fiber.interruptAll(running))
  )
})

/** The address, the ports, the trusted proxies and the connection limits of a server. */
export interface ServerSettings {
  /** None: all addresses of the machine. */
  readonly host: Option.Option<string>
  /** 0: any free port. */
  readonly port: number
  readonly plainPort: Option.Option<number>
  readonly trustedProxies: ReadonlyArray<Range>
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
}

/** Serves both surfaces on the ports of the settings. The handler is complete before the first port opens. */
export const listen = Effect.fnUntraced(function* (
  settings: ServerSettings,
  answer: AnswerRequest,
  exemplars: Exemplars
) {
  const tls = yield* Certificate
  const { refuseUnread } = yield* AddressLimit.make
  const context = yield* Effect.context<never>()
  const { began, traced } = recorder(context, exemplars)
  const { plain, server } = build({
    tls,
    limits: {
      ...standardLimits,
      connections: settings.maxConnections,
      connectionsPerAddress: settings.maxConnectionsPerAddress
    },
    cappedBy: ({ remoteAddress }) => cappedBy(remoteAddress, settings.trustedProxies),
    refuse: (refusal, socket, send) =>
      Effect.runForkWith(context)(Effect.map(refuseUnread(refusal, SocketPeers.addressOf(socket)), send)),
    onRequest: began,
    onError: (error) =>
      Effect.runForkWith(context)(Effect.logError("a connection could not be accepted", error.message))
  })
  const at = (port: number, portVariable: string): Place => ({
    port,
    host: Option.getOrUndefined(settings.host),
    portVariable,
    hostVariable: "WCS_HOST"
  })
  const peerOf = SocketPeers.peersBy({ proxies: settings.trustedProxies, endTls: Option.isNone(tls) })
  const port = yield* serveOn(server, at(settings.port, "WCS_PORT"), answer, { peerOf, ambiguityOf }, traced)
  const plainPort = yield* Effect.transposeOption(
    Option.zipWith(plain, settings.plainPort, (beside, on) => listenOn(beside, at(on, "WCS_PLAIN_PORT")))
  )
  return { port, plainPort }
})
