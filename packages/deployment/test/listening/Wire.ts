import { readFileSync } from "node:fs"
import * as Http from "node:http"
import * as Https from "node:https"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { Effect } from "effect"

/** The response to a request. */
export interface Reply {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly text: string
}

/** A request over a connection of its own. */
export interface Ask {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The file of the certificate to trust. */
  readonly ca?: string
}

/** Reads the whole response. */
export const collect = async (response: Http.IncomingMessage): Promise<Reply> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString("utf8") }
}

/** Sends a request and waits for the whole response. Does not follow redirects. */
export const ask = ({ body, ca, headers = {}, method = "GET", url }: Ask) =>
  Effect.promise(
    () =>
      new Promise<Reply>((resolve, reject) => {
        // The certificate is for this machine. The request may name another host.
        const name = headers["host"] === undefined ? {} : { servername: "localhost" }
        const trust = ca === undefined ? {} : { ca: readFileSync(ca), ...name }
        const options = { method, headers, agent: false, ...trust }
        const request = url.startsWith("https:") ? Https.request(url, options) : Http.request(url, options)
        request.once("error", reject)
        request.once("response", (response) => collect(response).then(resolve, reject))
        request.end(body)
      })
  )

/** Sends bytes and returns everything received until the other end closes the connection. */
export const exchange = (port: number, bytes: string, ca?: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const address = { port, host: "127.0.0.1" }
        const socket = ca === undefined ? connect(address) : connectTls({ ...address, ca: readFileSync(ca) })
        let text = ""
        socket.setEncoding("utf8")
        socket.on("data", (chunk: string) => {
          text += chunk
        })
        socket.once("error", reject)
        socket.once("close", () => resolve(text))
        socket.write(bytes)
      })
  )
