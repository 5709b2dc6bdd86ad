/**
 * A receiver of webhooks with three addresses: one always accepts deliveries, one never, and one only after a while.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Receiver {
  readonly urlOf: (name: "healthy" | "broken" | "recovering") => string
  /** From now on `recovering` accepts deliveries. */
  readonly recover: () => void
  readonly close: () => void
}

export const openReceiver = (): Promise<Receiver> => {
  let hasRecovered = false
  const server = createServer((request, response) => {
    request.resume()
    const isTaken = request.url === "/healthy" || (request.url === "/recovering" && hasRecovered)
    response.writeHead(isTaken ? 204 : 500).end(isTaken ? undefined : "The receiver's database is not available.")
  })
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({
        urlOf: (name) => `http://127.0.0.1:${port}/${name}`,
        recover: () => {
          hasRecovered = true
        },
        close: () => server.close()
      })
    })
  })
}
