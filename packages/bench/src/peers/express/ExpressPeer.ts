import { createServer } from "node:http"
import express, { type ErrorRequestHandler, type RequestHandler } from "express"
import { databaseOf } from "../../data/DatabaseUrl.ts"
import type { ServerOptions, Side } from "../../Side.ts"
import { refusalOf, unknownPath } from "../Answer.ts"
import { Gate, type Headers, type Privilege } from "../Gate.ts"
import { type LearntAccess, learntAccess } from "../LearntAccess.ts"
import { listen } from "../Listen.ts"
import { credentialsRouter } from "./CredentialsRouter.ts"
import { identify, send } from "./Identify.ts"
import { accessQueries, openKnex } from "./KnexStore.ts"

/** Middleware that authenticates, counts the call, and requires a privilege. */
const entering =
  (gate: Gate, access: LearntAccess) =>
  (privilege?: Privilege): RequestHandler =>
  async (request, response, next) => {
    const { authorization = "", host = "" } = request.headers
    await access.learn(host, authorization)
    const headers: Headers = {}
    const caller = gate.enter(request, headers, request.requestId, Date.now(), privilege)
    response.set(headers)
    if ("status" in caller) return send(response, caller)
    request.caller = caller
    next()
  }

const refuseError: ErrorRequestHandler = (error, request, response, _) =>
  send(response, refusalOf(error.status ?? 500, request.requestId))

/** A typical service with Express and Knex on Postgres. */
export const start = async ({ directory, limits }: ServerOptions): Promise<Side> => {
  const url = databaseOf(directory)
  if (url === null) throw new Error("the Express peer needs a store on Postgres")
  const db = openKnex(url)
  const access = learntAccess(accessQueries(db))
  const gate = new Gate(access, limits)
  const enter = entering(gate, access)

  const app = express().disable("x-powered-by").disable("etag")
  app.use(identify(gate))
  app.use("/openapi/v1/credentials", credentialsRouter(db, enter))
  app.use("/openapi/v1", enter())
  app.use((request, response) => send(response, unknownPath(request.requestId)))
  app.use(refuseError)

  const server = createServer({ keepAliveTimeout: 65_000 }, app)
  const port = await listen(server)
  return {
    port,
    revoke: (tenantId, tokenId) => gate.revoke(tenantId, tokenId),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await db.destroy()
    }
  }
}
