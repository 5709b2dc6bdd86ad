import { Agent, request } from "node:http"

/** A request to a server on this machine, which trusts this machine as a proxy. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly authorization?: string
  readonly body?: unknown
  /** A body that is sent as it is. */
  readonly text?: string
}

export interface Got {
  readonly status: number
  readonly text: string
  readonly millis: number
}

const agent = new Agent({ keepAlive: true })

/** Sends one request and reads its response. */
export const send = (port: number, { authorization, body, method, path, text, token }: Sent): Promise<Got> => {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const headers = {
      "x-forwarded-proto": "https",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(content === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(content)) })
    }
    request({ agent, host: "127.0.0.1", port, method, path, headers })
      .once("error", reject)
      .once("response", (response) => {
        const pieces: Array<Buffer> = []
        response
          .on("data", (piece: Buffer) => pieces.push(piece))
          .once("error", reject)
          .once("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              text: Buffer.concat(pieces).toString(),
              millis: performance.now() - begun
            })
          )
      })
      .end(content)
  })
}
