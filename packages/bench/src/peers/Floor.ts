import { createServer, type IncomingMessage } from "node:http"
import type { ServerOptions, Side } from "../Side.ts"
import { type Answer, malformedId, noCredential, refusal, unknownParameter, unknownPath } from "./Answer.ts"
import { documentOf, isCredentialId, tagOf } from "./Document.ts"
import { Gate, type Headers, headersOf, mayRead } from "./Gate.ts"
import { listen } from "./Listen.ts"
import { ulid } from "./RandomText.ts"
import { type CredentialRow, openStore, type Store } from "./Store.ts"

const root = "/openapi/v1"
const credentials = `${root}/credentials/`

/** The value of `includeDeleted`, or an error response for any other query. */
const readQuery = (query: string, requestId: string): boolean | Answer => {
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => name !== "includeDeleted")
  if (unknown !== undefined) return unknownParameter(unknown, requestId)
  const values = parameters.getAll("includeDeleted")
  if (values.length > 1) return refusal(400, "INVALID_ARGUMENT", "includeDeleted: must be given once.", requestId)
  if (values[0] === "true") return true
  if (values[0] === undefined || values[0] === "false") return false
  return refusal(400, "INVALID_ARGUMENT", "includeDeleted: must be true or false.", requestId)
}

const read = (store: Store, tenantId: string, id: string, query: string, requestId: string, now: number): Answer => {
  const includeDeleted = query === "" ? false : readQuery(query, requestId)
  if (typeof includeDeleted !== "boolean") return includeDeleted
  if (!isCredentialId(id)) return malformedId(requestId)
  const row = store.credential.get(tenantId, id) as CredentialRow | undefined
  if (row === undefined || (row.deleted_at !== null && !includeDeleted)) return noCredential(id, requestId)
  const data = documentOf(row, now)
  return { status: 200, headers: { etag: tagOf(row, data, now) }, body: JSON.stringify({ data, meta: { requestId } }) }
}

const answerTo = (
  store: Store,
  gate: Gate,
  request: IncomingMessage,
  headers: Headers,
  requestId: string,
  now: number
): Answer => {
  const refused = gate.refuseTransport(request, requestId)
  if (refused !== undefined) return refused
  const url = request.url ?? ""
  const end = url.indexOf("?")
  const path = end === -1 ? url : url.slice(0, end)
  const id = path.startsWith(credentials) ? path.slice(credentials.length) : ""
  const isRead = request.method === "GET" && id !== "" && !id.includes("/")
  if (!isRead && !path.startsWith(`${root}/`)) return unknownPath(requestId)
  const caller = gate.enter(request, headers, requestId, now, isRead ? mayRead : undefined)
  if ("status" in caller) return caller
  if (!isRead) return unknownPath(requestId)
  return read(store, caller.tenantId, id, end === -1 ? "" : url.slice(end + 1), requestId, now)
}

/** The minimal cost of a GET of a credential on `node:http`: the checks, the read and the envelope. */
export const start = async ({ directory, limits }: ServerOptions): Promise<Side> => {
  const store = openStore(directory)
  const gate = new Gate(store, limits)
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const now = Date.now()
    const requestId = ulid(now)
    const headers = headersOf(request, requestId)
    const { body, headers: own, status } = answerTo(store, gate, request, headers, requestId, now)
    headers["content-type"] = "application/json"
    headers["content-length"] = String(Buffer.byteLength(body))
    if (own !== undefined) Object.assign(headers, own)
    response.writeHead(status, headers).end(body)
  })
  const port = await listen(server)
  return {
    port,
    revoke: (tenantId, tokenId) => gate.revoke(tenantId, tokenId),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      store.close()
    }
  }
}
