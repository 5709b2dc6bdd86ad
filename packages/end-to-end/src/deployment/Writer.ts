/** A client that writes without a pause, and knows which writes were acknowledged. */
import { readFileSync } from "node:fs"
import { Agent, request } from "node:https"
import { setTimeout } from "node:timers/promises"

interface Answer {
  readonly status: number
  readonly text: string
}

/** Where a client calls. */
export interface Place {
  readonly port: number
  readonly certificateFile: string
}

/** Calls the newer surface with a token. Resolves to status 0 without an answer. */
export const caller = ({ certificateFile, port }: Place, token: string) => {
  const agent = new Agent({ ca: readFileSync(certificateFile), keepAlive: true })
  return (method: string, path: string, body?: object) =>
    new Promise<Answer>((resolve) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      const sent = request({ host: "localhost", port, agent, method, path: `/openapi/v1${path}`, headers })
      sent.once("error", () => resolve({ status: 0, text: "" }))
      sent.once("response", (response) => {
        let text = ""
        response
          .setEncoding("utf8")
          .on("data", (chunk: string) => {
            text += chunk
          })
          .once("end", () => resolve({ status: response.statusCode ?? 0, text }))
          .once("error", () => resolve({ status: 0, text }))
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
}

const pauseMillis = 50

/** Creates workers one after the other until `stop`, which returns what was lost and how long the deployment refused. */
export const writing = (place: Place, token: string) => {
  const call = caller(place, token)
  const written: Array<string> = []
  let [isOver, refusedMillis, longestMillis, slowestMillis] = [false, 0, 0, 0]
  const going = (async () => {
    let since: number | undefined
    while (!isOver) {
      const name = `Written ${written.length}`
      const begunAt = performance.now()
      const { status, text } = await call("POST", "/workers", { identity: { displayName: name } })
      slowestMillis = Math.max(slowestMillis, performance.now() - begunAt)
      if (status === 201) written.push(JSON.parse(text).data.id)
      if (status === 503) since ??= performance.now()
      else if (since !== undefined) {
        const millis = performance.now() - since
        refusedMillis += millis
        longestMillis = Math.max(longestMillis, millis)
        since = undefined
      }
      await setTimeout(pauseMillis)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await going
      let lost = 0
      for (const id of written) if ((await call("GET", `/workers/${id}`)).status !== 200) lost += 1
      return {
        acknowledged: written.length,
        lost,
        refusedMillis: Math.round(refusedMillis),
        longestMillis: Math.round(longestMillis),
        slowestMillis: Math.round(slowestMillis)
      }
    }
  }
}
