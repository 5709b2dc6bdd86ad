import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { answerQuestions } from "./Questions.ts"

/** The response time of a receiver. */
const answerMillis = 20

/** The hostile receivers; `ReceiverPorts` has a port for each. */
export const troubles = ["endless", "long"] as const
export type Trouble = (typeof troubles)[number]

/** The ports of the working receivers, and of one of each hostile kind. */
export interface ReceiverPorts extends Readonly<Record<Trouble, number>> {
  readonly answering: ReadonlyArray<number>
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const chunk = Buffer.alloc(64 * 1024, "a")
const longBody = Buffer.alloc(10 * 1024 * 1024, "a")

/** Writes until the client disconnects. */
const flood = (response: ServerResponse): void => {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once("drain", () => flood(response))
}

const behaviours: Readonly<Record<Trouble, Behaviour>> = {
  endless: (_, response) => flood(response.writeHead(200)),
  long: (_, response) => response.writeHead(200, { "content-length": longBody.length }).end(longBody)
}

const listen = (behave: Behaviour): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      request.resume()
      behave(request, response)
    })
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

/**
 * Listens on this many ports and accepts every delivery after a delay. Counts deliveries by id. Those to hostile
 * receivers are not counted.
 */
export const receive = async (count: number): Promise<void> => {
  const ids = new Set<string>()
  let requests = 0
  const take: Behaviour = (request, response) => {
    requests += 1
    const id = request.headers["webhook-id"]
    if (typeof id === "string") ids.add(id)
    setTimeout(() => response.writeHead(204).end(), answerMillis)
  }
  const taken = () => {
    const seen = { requests, ids: ids.size }
    requests = 0
    ids.clear()
    return seen
  }
  const answering = await Promise.all(Array.from({ length: count }, () => listen(take)))
  const others = await Promise.all(
    troubles.map(async (trouble) => [trouble, await listen(behaviours[trouble])] as const)
  )
  answerQuestions({ taken }, { answering, ...Object.fromEntries(others) })
}
