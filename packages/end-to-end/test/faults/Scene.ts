import { join } from "node:path"
import { Effect } from "effect"
import { type Environment, serving, temporaryDirectory, type Wrapper } from "../Process.ts"
import { violations } from "./Checker.ts"
import { connection, type Send } from "./Connection.ts"
import { History } from "./History.ts"
import { type Commons, load, makeCommons } from "./Load.ts"
import { prepare, read } from "./Stored.ts"

const clients = 32

const many = "1000000"

/** Limits above the load. */
export const raisedLimits = {
  WCS_RATE_STANDARD: many,
  WCS_RATE_INTENSIVE: many,
  WCS_RATE_UNAUTHENTICATED: many,
  WCS_RATE_TOKEN_FAILURES: many,
  WCS_RATE_ADDRESS_FAILURES: many,
  WCS_RATE_LOGIN_FAILURES: many,
  WCS_RATE_TOKENS_ISSUED: many
}

/** A new store in a directory, the environment of its servers and a token for them. */
export const placeIn = Effect.fnUntraced(function* (root: string) {
  const directory = join(root, "data")
  const token = yield* Effect.orDie(prepare({ WCS_DATA: directory }))
  const environment: Environment = { WCS_DATA: directory, ...raisedLimits }
  return { directory, token, environment }
})

/** The conditions of a server. */
export interface Circumstances {
  readonly environment?: Environment
  readonly wrapper?: Wrapper
}

/** A store with 32 writing clients, and the history of their calls. */
export const sceneIn = Effect.fnUntraced(function* (root: string) {
  const { directory, environment, token } = yield* placeIn(root)
  const history = new History()
  let commons: Commons | undefined
  let round = 0
  const commonsFrom = async (send: Send) => (commons = commons ?? (await makeCommons(send, history)))
  return {
    history,
    /** A server on the store with its client connections, until the scope closes. */
    server: Effect.fnUntraced(function* (circumstances: Circumstances = {}) {
      const server = yield* serving({ ...environment, ...circumstances.environment }, circumstances.wrapper)
      const send = yield* connection(server, token, clients)
      return { server, send, commons: yield* Effect.promise(() => commonsFrom(send)) }
    }),
    /** Lets the clients write until the server is gone or a number of failures is reached. */
    load: (send: Send, failuresMax = 0) =>
      Effect.promise(async () =>
        load(send, history, await commonsFrom(send), { clients, round: ++round, failuresMax })
      ),
    /** Returns contradictions between the store and the history. No server may run. */
    violations: Effect.map(Effect.orDie(read({ WCS_DATA: directory })), (stored) => violations(history, stored))
  }
})

export const scene = Effect.flatMap(temporaryDirectory, sceneIn)
