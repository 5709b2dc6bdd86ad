/** A browser without script: keeps cookies and sends the headers of same-origin requests. */
import { Agent, request } from "node:https"

export interface Visitor {
  /** Sends a form to a page, and returns its answer as JSON. Fails unless the status is 2xx. */
  readonly post: (path: string, fields: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, unknown>>>
  /** Makes a call of the API with the session, as the console does. */
  readonly call: (method: string, path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>
}

/** A visitor of a service with this certificate. */
export const visitor = (origin: string, ca: string): Visitor => {
  const cookies = new Map<string, string>()
  const agent = new Agent({ ca, keepAlive: false })

  const send = (method: string, path: string, type: string, text: string) =>
    new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      const headers = {
        accept: "application/json",
        "content-type": type,
        cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        origin,
        "sec-fetch-site": "same-origin",
        "x-wcs-console": "1"
      }
      const sent = request(new URL(path, origin), { method, headers, agent }, (answer) => {
        for (const cookie of answer.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
          cookies.set(name, value)
        }
        let body = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          body += chunk
        })
        answer.on("end", () => {
          const isSuccess = answer.statusCode !== undefined && answer.statusCode < 300
          if (isSuccess) resolve(body === "" ? {} : JSON.parse(body))
          else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${body}`))
        })
      })
      sent.on("error", reject)
      sent.end(text)
    })

  return {
    post: (path, fields) =>
      send("POST", path, "application/x-www-form-urlencoded", new URLSearchParams(fields).toString()),
    call: (method, path, body) =>
      send(method, `/openapi/v1${path}`, "application/json", body === undefined ? "" : JSON.stringify(body))
  }
}
