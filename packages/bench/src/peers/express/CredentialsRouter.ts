import { json, type RequestHandler, type Response, Router } from "express"
import type { Knex } from "knex"
import { malformedId, noCredential, refusalOf, unknownParameter } from "../Answer.ts"
import { documentOf, isCredentialId, tagOf } from "../Document.ts"
import { type Caller, mayRead, mayUpdate, type Privilege } from "../Gate.ts"
import { readOwner } from "../Link.ts"
import type { CredentialRow } from "../Store.ts"
import { send } from "./Identify.ts"
import { linkCredential, readCredential } from "./KnexStore.ts"

const sendOne = (response: Response, row: CredentialRow, requestId: string, now: number) => {
  const data = documentOf(row, now)
  response.setHeader("etag", tagOf(row, data, now))
  response.json({ data, meta: { requestId } })
}

const callerOf = ({ caller }: Express.Request): Caller => {
  if (caller === undefined) throw new Error("a route without authentication")
  return caller
}

const requireJson: RequestHandler = (request, response, next) => {
  if (request.is("application/json")) next()
  else send(response, refusalOf(415, request.requestId))
}

/** The routes of credentials. `enter` authenticates, and requires a privilege. */
export const credentialsRouter = (db: Knex, enter: (privilege: Privilege) => RequestHandler): Router => {
  const router = Router()

  router.get("/:id", enter(mayRead), async (request, response) => {
    const { params, query, requestId } = request
    const id = String(params["id"])
    const unknown = Object.keys(query).find((name) => name !== "includeDeleted")
    if (unknown !== undefined) return send(response, unknownParameter(unknown, requestId))
    if (!isCredentialId(id)) return send(response, malformedId(requestId))
    const row = await readCredential(db, callerOf(request).tenantId, id)
    const isVisible = row !== undefined && (row.deleted_at === null || query["includeDeleted"] === "true")
    if (!isVisible) return send(response, noCredential(id, requestId))
    sendOne(response, row, requestId, Date.now())
  })

  router.post("/:id/link", enter(mayUpdate), requireJson, json({ limit: "1mb" }), async (request, response) => {
    const { body, params, requestId } = request
    const id = String(params["id"])
    const owner = readOwner(body, requestId)
    if ("status" in owner) return send(response, owner)
    if (!isCredentialId(id)) return send(response, malformedId(requestId))
    const now = Date.now()
    const linked = await linkCredential(db, callerOf(request), id, owner, requestId, now)
    if ("status" in linked) return send(response, linked)
    sendOne(response, linked, requestId, now)
  })

  return router
}
