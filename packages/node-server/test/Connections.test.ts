import { connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { cappedBy } from "@wcs/node-server/ClientAddress"
import type { Limits } from "@wcs/node-server/Listener"
import { Effect, Fiber, Queue } from "effect"
import ipaddr from "ipaddr.js"
import { closed, halfHello, portOf, serving, tls, untilClosed } from "./TestListener.ts"

/** The address of a trusted proxy. */
const proxy = "127.0.0.9"
const proxies = [ipaddr.parseCIDR(`${proxy}/32`)]

/** Sends bytes and waits for the response. */
const answerTo = (socket: Socket, bytes: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        socket.once("data", (chunk) => resolve(String(chunk)))
        socket.once("error", reject).once("close", () => reject(new Error("closed without an answer")))
        socket.write(bytes)
      })
  )

const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/** A server with these caps, and connections to it. Each step waits until the server has taken it. */
const capped = Effect.fnUntraced(function* (limits: Partial<Limits>) {
  const received = yield* Queue.unbounded<void>()
  const finished = yield* Queue.unbounded<void>()
  const server = yield* serving(limits, {
    cappedBy: ({ remoteAddress }) => cappedBy(remoteAddress, proxies),
    onRequest: (_, response) => {
      Queue.offerUnsafe(received, undefined)
      response.on("close", () => Queue.offerUnsafe(finished, undefined))
    }
  })
  const port = portOf(server)
  const open = (localAddress = "127.0.0.1") =>
    connectTls({ socket: connect({ port, host: "127.0.0.1", localAddress }), ca: tls.cert, servername: "localhost" })

  /** Sends a request on an idle connection. */
  const again = Effect.fnUntraced(function* (socket: Socket) {
    assert.match(yield* answerTo(socket, request), /answer$/)
    yield* Queue.take(received)
    yield* Queue.take(finished)
  })

  /** A connection that is idle after its first response. */
  const idle = (address?: string) =>
    Effect.tap(
      Effect.sync(() => open(address)),
      again
    )

  /** A connection with a request whose body is not complete. */
  const busy = Effect.fnUntraced(function* (address?: string) {
    const socket = open(address)
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n12")
    yield* Queue.take(received)
    return socket
  })

  /** Completes the body of a busy connection. */
  const complete = Effect.fnUntraced(function* (socket: Socket) {
    assert.match(yield* answerTo(socket, "34"), /answer$/)
    yield* Queue.take(finished)
  })

  /** Opens a connection that must be refused. */
  const refused = Effect.fnUntraced(function* (address?: string) {
    assert.strictEqual(yield* untilClosed(open(address), request), "")
  })

  return { again, busy, complete, idle, port, received, refused }
})

const many = <A, E, R>(count: number, one: Effect.Effect<A, E, R>) => Effect.replicateEffect(one, count)

/** Runs an effect, during which the server must close the socket. */
const closing = Effect.fnUntraced(function* <A, E, R>(socket: Socket, effect: Effect.Effect<A, E, R>) {
  const end = yield* Effect.forkChild(closed(socket), { startImmediately: true })
  const result = yield* effect
  yield* Fiber.join(end)
  return result
})

describe("Connections: caps (threats 27 and 43)", () => {
  it.live("lets one address hold no more busy connections than its cap, and still serves others", () =>
    Effect.gen(function* () {
      const { busy, complete, idle, refused } = yield* capped({ connectionsPerAddress: 3 })
      const held = yield* many(3, busy())
      yield* many(10, refused())
      yield* idle("127.0.0.2")
      for (const socket of held) yield* complete(socket)
    })
  )

  it.live(
    "closes the connection of the same address that is idle longest, and no busy one, at the cap of an address",
    () =>
      Effect.gen(function* () {
        const { again, busy, complete, idle } = yield* capped({ connectionsPerAddress: 3 })
        const foreign = yield* idle("127.0.0.2")
        const [one, two, three] = [yield* idle(), yield* idle(), yield* busy()]
        yield* again(one)
        const four = yield* closing(two, idle())
        yield* closing(one, idle())
        yield* again(four)
        yield* again(foreign)
        yield* complete(three)
      })
  )

  it.live("lets one /24 network hold at most a quarter of all connections, and still serves another network", () =>
    Effect.gen(function* () {
      const { busy, complete, idle, refused } = yield* capped({ connections: 12, connectionsPerAddress: 2 })
      const held = [yield* busy(), yield* busy(), yield* busy("127.0.0.2")]
      yield* refused("127.0.0.3")
      yield* complete(held[2] ?? (yield* busy()))
      yield* closing(held[2] ?? (yield* busy()), busy("127.0.0.3"))
      yield* idle("127.0.1.1")
      yield* idle(proxy)
    })
  )

  it.live("closes the connection of any address that is idle longest, and no busy one, at the cap of all", () =>
    Effect.gen(function* () {
      const { busy, complete, idle, refused } = yield* capped({ connections: 3 })
      const [one, two, three] = [yield* busy(), yield* idle("127.0.0.2"), yield* idle(proxy)]
      yield* closing(two, busy("127.0.0.3"))
      yield* closing(three, busy("127.0.0.4"))
      yield* many(3, refused())
      yield* refused(proxy)
      yield* complete(one)
      yield* closing(one, idle())
    })
  )

  it.live("applies only the cap of all connections to a trusted proxy", () =>
    Effect.gen(function* () {
      const { busy, complete, refused } = yield* capped({ connections: 8, connectionsPerAddress: 3 })
      const held = yield* many(8, busy(proxy))
      yield* refused(proxy)
      for (const socket of held) yield* complete(socket)
    })
  )

  it.live("counts connections that send nothing or never finish their handshake, and closes them first", () =>
    Effect.gen(function* () {
      const { again, idle, port } = yield* capped({ connectionsPerAddress: 3 })
      const silent = connect(port, "127.0.0.1")
      yield* Effect.promise(() => new Promise((resolve) => silent.once("connect", resolve)))
      const half = connect(port, "127.0.0.1")
      yield* Effect.promise(() => new Promise((resolve) => half.write(halfHello, resolve)))
      const one = yield* idle()
      const two = yield* closing(silent, idle())
      const three = yield* closing(half, idle())
      for (const socket of [one, two, three]) yield* again(socket)
    })
  )

  it.live("frees the place of a connection that its client closes, over TLS and in plain", () =>
    Effect.gen(function* () {
      const { busy, port, received } = yield* capped({ connectionsPerAddress: 2 })
      const plainly = () => untilClosed(connect(port, "127.0.0.1"), request)
      for (let round = 0; round < 3; round++) {
        const held = yield* many(2, busy())
        assert.strictEqual(yield* plainly(), "")
        for (const socket of held) socket.destroy()
        // The server may see the ends a moment after the client.
        assert.match(yield* Effect.repeat(Effect.suspend(plainly), { while: (text) => text === "" }), /answer$/)
        yield* Queue.take(received)
      }
    })
  )
})
