import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { answerQuestions } from "./Questions.ts"

/** How long a receiver takes to answer. */
const answerMillis = 20

/**
 * Listens on so many ports and takes every delivery after a while; counts them by their ids. On one port more nothing is
 * ever answered, or counted.
 */
export const receive = async (count: number): Promise<void> => {
  const ids = new Set<string>()
  let requests = 0
  const listen = (answers: boolean) =>
    new Promise<number>((resolve) => {
      const server = createServer((request, response) => {
        if (!answers) return
        requests += 1
        const id = request.headers["webhook-id"]
        if (typeof id === "string") ids.add(id)
        request.resume()
        setTimeout(() => response.writeHead(204).end(), answerMillis)
      })
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    })
  const ports = await Promise.all(Array.from({ length: count + 1 }, (_, index) => listen(index < count)))
  const taken = () => {
    const seen = { requests, ids: ids.size }
    requests = 0
    ids.clear()
    return seen
  }
  answerQuestions({ taken }, ports)
}
