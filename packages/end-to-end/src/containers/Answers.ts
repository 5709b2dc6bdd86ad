import { type RequestOptions, request } from "node:https"

/** Sends a request to a local port and accepts any certificate. Returns the status, or 0 if there is no answer. */
export const send = (port: number, options: RequestOptions, body = ""): Promise<number> =>
  new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, rejectUnauthorized: false, agent: false, ...options })
    asked.once("response", (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.once("error", () => resolve(0)).end(body)
  })

/** Whether a server answers at a port of this machine. */
export const answers = async (port: number): Promise<boolean> => (await send(port, { path: "/openapi.json" })) === 200
