import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { databaseOf } from "../data/DatabaseUrl.ts"
import type { Limits, ServerOptions, Side } from "../Side.ts"
import { type Answer, malformedId, noCredential, refusalOf, unknownParameter, unknownPath } from "./Answer.ts"
import { documentOf, isCredentialId, tagOf } from "./Document.ts"
import { type Caller, Gate, headersOf, mayRead, mayUpdate, type Privilege } from "./Gate.ts"
import { link as linkOnSqlite, type Owner, readOwner } from "./Link.ts"
import { listen } from "./Listen.ts"
import { ulid } from "./RandomText.ts"
import { type CredentialRow, openStore } from "./Store.ts"

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null
  }
  interface FastifyContextConfig {
    privilege?: Privilege
  }
}

const root = "/openapi/v1"

interface OfOne {
  Params: { readonly id: string }
}

const send = (reply: FastifyReply, { body, headers = {}, status }: Answer) =>
  reply.code(status).headers(headers).header("content-type", "application/json").send(body)

const sendOne = (reply: FastifyReply, row: CredentialRow, requestId: string, now: number) => {
  const data = documentOf(row, now)
  return reply
    .header("content-type", "application/json")
    .header("etag", tagOf(row, data, now))
    .send(JSON.stringify({ data, meta: { requestId } }))
}

/** The store operations of the service: synchronous with `node:sqlite`, asynchronous with Postgres. */
interface Peer {
  readonly gate: Gate
  /** Loads the caller's data that the gate does not have yet; undefined if it has all. */
  readonly learn: (host: string, authorization: string) => Promise<void> | undefined
  readonly read: (tenantId: string, id: string) => Eventual<CredentialRow | undefined>
  readonly link: (
    caller: Caller,
    id: string,
    owner: Owner,
    requestId: string,
    now: number
  ) => Eventual<CredentialRow | Answer>
  readonly close: () => Eventual<void>
}

type Eventual<A> = A | Promise<A>

const andThen = <A, B>(value: Eventual<A>, use: (value: A) => B): Eventual<B> =>
  value instanceof Promise ? value.then(use) : use(value)

/** With `node:sqlite`: one connection, one COMMIT for each change. */
const onSqlite = ({ directory, limits }: ServerOptions): Peer => {
  const store = openStore(directory)
  return {
    gate: new Gate(store, limits),
    learn: () => undefined,
    read: (tenantId, id) => store.credential.get(tenantId, id) as CredentialRow | undefined,
    link: (...link) => linkOnSqlite(store, ...link),
    close: store.close
  }
}

/** With `pg`: a pool, one transaction for each change. */
const onPostgres = async (url: string, limits: Limits): Promise<Peer> => {
  const { openPostgres } = await import("./PostgresStore.ts")
  const { access, ...store } = openPostgres(url)
  return { gate: new Gate(access, limits), learn: access.learn, ...store }
}

/** A typical service with Fastify and the driver of its store. */
export const start = async ({ directory, limits }: ServerOptions): Promise<Side> => {
  const url = databaseOf(directory)
  const { close, gate, learn, link, read } =
    url === null ? onSqlite({ directory, limits }) : await onPostgres(url, limits)
  const app = Fastify({
    logger: false,
    keepAliveTimeout: 65_000,
    exposeHeadRoutes: false,
    genReqId: () => ulid(Date.now()),
    routerOptions: { ignoreTrailingSlash: true }
  })
  app.removeContentTypeParser("text/plain")
  app.decorateRequest("caller", null)

  /** Runs before the body is read, so that an unauthorized body is never parsed. */
  app.addHook("onRequest", (request, reply, done) => {
    const headers = headersOf(request.raw, request.id)
    const proceed = () => {
      const answer = gate.refuseTransport(request.raw, request.id) ?? enter(request, headers)
      reply.headers(headers)
      if (answer === undefined) done()
      else send(reply, answer)
    }
    const { authorization = "", host = "" } = request.headers
    const learning = learn(host, authorization)
    if (learning === undefined) proceed()
    else learning.then(proceed, done)
  })

  const enter = (request: FastifyRequest, headers: Record<string, string>): Answer | undefined => {
    if (!request.url.startsWith(`${root}/`)) return undefined
    const { privilege } = request.routeOptions.config
    const caller = gate.enter(request.raw, headers, request.id, Date.now(), privilege)
    if ("status" in caller) return caller
    request.caller = caller
    return undefined
  }

  const callerOf = ({ caller }: FastifyRequest): Caller => {
    if (caller === null) throw new Error("a route without a privilege")
    return caller
  }

  app.get<OfOne & { Querystring: Record<string, unknown> }>(
    `${root}/credentials/:id`,
    { config: { privilege: mayRead } },
    (request, reply) => {
      const { id } = request.params
      const unknown = Object.keys(request.query).find((name) => name !== "includeDeleted")
      if (unknown !== undefined) {
        return send(reply, unknownParameter(unknown, request.id))
      }
      if (!isCredentialId(id)) return send(reply, malformedId(request.id))
      return andThen(read(callerOf(request).tenantId, id), (row) => {
        const isVisible = row !== undefined && (row.deleted_at === null || request.query["includeDeleted"] === "true")
        return isVisible ? sendOne(reply, row, request.id, Date.now()) : send(reply, noCredential(id, request.id))
      })
    }
  )

  app.post<OfOne>(`${root}/credentials/:id/link`, { config: { privilege: mayUpdate } }, (request, reply) => {
    const { id } = request.params
    const owner = readOwner(request.body, request.id)
    if ("status" in owner) return send(reply, owner)
    if (!isCredentialId(id)) return send(reply, malformedId(request.id))
    const now = Date.now()
    return andThen(link(callerOf(request), id, owner, request.id, now), (linked) =>
      "status" in linked ? send(reply, linked) : sendOne(reply, linked, request.id, now)
    )
  })

  app.setNotFoundHandler((request, reply) => send(reply, unknownPath(request.id)))
  app.setErrorHandler<{ readonly statusCode?: number }>((error, request, reply) =>
    send(reply, refusalOf(error.statusCode ?? 500, request.id))
  )

  await app.ready()
  const port = await listen(app.server)
  return {
    port,
    revoke: (tenantId, tokenId) => gate.revoke(tenantId, tokenId),
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
      await close()
    }
  }
}
