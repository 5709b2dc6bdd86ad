import * as dns from "node:dns"
import * as http from "node:http"
import * as https from "node:https"
import type { LookupFunction } from "node:net"
import type * as tls from "node:tls"
import * as zlib from "node:zlib"
import { Effect, Layer } from "effect"
import type { ClientCertificate } from "../profile/ProfileFile.ts"
import { suiteVersion } from "../release/SuiteVersion.ts"
import { parse } from "../text/Json.ts"
import type { Answer, Request } from "../wire/Exchange.ts"
import { NoAnswer, Wire } from "../wire/Wire.ts"
import { lookupOf } from "./Addresses.ts"
import { contextOf, silenceOf } from "./Trust.ts"

/** The maximum number of bytes of an answer. */
export const maxAnswerBytes = 2 * 1024 * 1024

/** How much longer a connection may take than an answer: DNS, TLS and a free socket are not the deployment's time. */
const connectFactor = 3

/** Sockets that were idle for longer may be closing on the other side. */
const idleMillis = 1000

export interface Options {
  /** PEM of issuers that are trusted besides those that Node and the system know. */
  readonly ca?: string
  readonly clientCertificate?: ClientCertificate
  /** Addresses of hosts that are not in DNS. */
  readonly resolve: Readonly<Record<string, string>>
  /** From the written request to the complete answer. */
  readonly secondsPerCall: number
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; default: no proxy. */
  readonly proxies?: Readonly<Record<string, string>> | undefined
  /** Returns a request as what stands in front of the deployment wants it; default: unchanged. */
  readonly forwarded?: (request: Request) => Request
  /** Asks the system for an address; default: Node's. */
  readonly lookup?: LookupFunction
}

const noAnswer = (error: Error & { readonly code?: unknown }, isConnected: boolean): NoAnswer => {
  const code = typeof error.code === "string" ? error.code : ""
  return new NoAnswer({ silence: silenceOf(code, isConnected), detail: code === "" ? error.message : code })
}

/** Several values of one header are sent as separate lines. */
const headersOf = ({ headers }: Request): Record<string, Array<string>> => {
  const isNamed = headers.some(([name]) => name.toLowerCase() === "user-agent")
  const grouped: Record<string, Array<string>> = isNamed ? {} : { "User-Agent": [`wcs-conformance/${suiteVersion}`] }
  for (const [name, value] of headers) grouped[name] = [...(grouped[name] ?? []), value]
  return grouped
}

const decoders: Readonly<Record<string, (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer>> = {
  gzip: zlib.gunzipSync,
  "x-gzip": zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync
}

/** The decoded body: a server may encode it although the request asks for no encoding (RFC 9110, section 12.5.3). */
const decoded = (body: Buffer, codings: string): Buffer =>
  codings
    .toLowerCase()
    .split(/\s*,\s*/)
    .reduceRight((coded, coding) => decoders[coding]?.(coded, { maxOutputLength: maxAnswerBytes }) ?? coded, body)

const isTooLarge = (error: unknown): boolean =>
  error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"

const answerOf = (response: http.IncomingMessage, chunks: ReadonlyArray<Buffer>): Answer => {
  const body = Buffer.concat(chunks)
  const text = (body.length === 0 ? body : decoded(body, response.headers["content-encoding"] ?? "")).toString("utf8")
  const headers = Object.entries(response.headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")])
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(headers), text, json: parse(text) }
}

/** Node refuses some headers, such as one with a line break that came from an answer. */
const begin = (request: () => http.ClientRequest): http.ClientRequest | NoAnswer => {
  try {
    return request()
  } catch (error) {
    return new NoAnswer({
      silence: "malformed",
      detail: `the request cannot be sent: ${String(error).split("\n", 1)[0]}`
    })
  }
}

/** Sends over reused sockets. */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const { proxies: proxyEnv } = options
    const keeping = { keepAlive: true, maxSockets: 64, scheduling: "fifo" as const, timeout: idleMillis, proxyEnv }
    const agents = { "http:": new http.Agent(keeping), "https:": new https.Agent(keeping) }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        agents["http:"].destroy()
        agents["https:"].destroy()
      })
    )
    const lookup = lookupOf(options.resolve, options.lookup ?? dns.lookup)

    let trusted: tls.SecureContext | undefined
    /** One context for all sockets: the agent compares certificates of the options with each request. */
    const trust = () => {
      trusted ??= contextOf(options.ca, options.clientCertificate)
      return { secureContext: trusted }
    }

    const optionsOf = ({ method, url }: Request, target: URL) => ({
      method,
      // the URL as given: paths must not be normalized
      path: url.slice(target.origin.length) || "/",
      host: target.hostname.replace(/^\[|\]$/g, ""),
      port: target.port,
      lookup
    })

    const { forwarded = (request: Request) => request } = options

    const send = (given: Request) =>
      Effect.callback<Answer, NoAnswer>((resume) => {
        const request = forwarded(given)
        const target = new URL(request.url)
        const isTls = target.protocol === "https:"
        const settings = { ...optionsOf(request, target), headers: headersOf(request) }
        const sent = begin(() =>
          isTls
            ? https.request({ ...settings, ...trust(), agent: agents["https:"] })
            : http.request({ ...settings, agent: agents["http:"] })
        )
        if (sent instanceof NoAnswer) return resume(Effect.fail(sent))
        const fail = (failure: NoAnswer) => {
          resume(Effect.fail(failure))
          sent.destroy()
        }
        let isConnected = false
        const due = (seconds: number, failure: () => ConstructorParameters<typeof NoAnswer>[0]) =>
          setTimeout(() => fail(new NoAnswer(failure())), seconds * 1000)
        let timer = due(connectFactor * options.secondsPerCall, () => ({
          silence: isConnected ? "timeout" : "no connection",
          detail: "the request could not be written in time"
        }))
        sent.once("socket", (socket) => {
          const connected = () => {
            isConnected = true
          }
          if (socket.connecting) socket.once(isTls ? "secureConnect" : "connect", connected)
          else connected()
        })
        // the time before this is not the deployment's
        sent.once("finish", () => {
          isConnected = true
          clearTimeout(timer)
          const { secondsPerCall } = options
          timer = due(secondsPerCall, () => ({
            silence: "timeout",
            detail: `no complete answer within ${secondsPerCall} s`
          }))
        })
        let hasBegun = false
        sent.on("close", () => {
          clearTimeout(timer)
          // a socket closed without an answer, as after a 101
          if (!hasBegun) fail(new NoAnswer({ silence: "malformed", detail: "closed without an answer" }))
        })
        sent.on("error", (error) => fail(noAnswer(error, isConnected)))
        sent.on("response", (response) => {
          hasBegun = true
          const chunks: Array<Buffer> = []
          let bytes = 0
          response.on("data", (chunk: Buffer) => {
            chunks.push(chunk)
            bytes += chunk.length
            if (bytes > maxAnswerBytes) {
              fail(new NoAnswer({ silence: "too large", detail: `more than ${maxAnswerBytes} bytes` }))
            }
          })
          response.on("error", (error) => fail(noAnswer(error, true)))
          response.on("end", () =>
            resume(
              Effect.try({
                try: () => answerOf(response, chunks),
                catch: (error) =>
                  new NoAnswer({ silence: isTooLarge(error) ? "too large" : "malformed", detail: String(error) })
              })
            )
          )
        })
        if (request.body !== "") sent.setHeader("Content-Length", Buffer.byteLength(request.body))
        sent.end(request.body)
        return Effect.sync(() => {
          clearTimeout(timer)
          sent.destroy()
        })
      })

    return Wire.of({ send })
  })

export const layer = (options: Options): Layer.Layer<Wire> => Layer.effect(Wire, make(options))
