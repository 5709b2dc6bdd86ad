import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inProcess } from "./InProcess.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory } from "./Process.ts"

/** A server in a new directory. Its first run wrote a token of a Super Admin. */
export const withAdmin = Effect.fnUntraced(function* (settings: Environment = {}) {
  const home = yield* temporaryDirectory
  const tokenFile = join(home, "token")
  const environment = {
    WCS_DATA: join(home, "data"),
    WCS_ADMIN_EMAIL: "root@example.com",
    WCS_ADMIN_TOKEN_FILE: tokenFile,
    ...settings
  }
  const server = yield* serving(environment)
  return { home, environment, server, token: readFileSync(tokenFile, "utf8").trim() }
})

/** Stops a server in order. Returns its output. */
export const stopped = Effect.fnUntraced(function* (server: Server) {
  server.signal("SIGTERM")
  const ended = yield* server.ended
  assert.strictEqual(ended.code, 0, ended.stderr)
  return ended
})

/** Runs a command in this process, successfully. Returns the object that it prints. */
export const done = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* inProcess([...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
})

const root = "/openapi/v1"

/** Reads below `/openapi/v1`, or posts JSON there. */
export const call = (server: Server, token: string, path: string, body?: object) =>
  ask(server, root + path, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { ...bearer(token), ...(body === undefined ? {} : { "content-type": "application/json" }) }
  })

/** The data of a successful call. */
export const dataOf = Effect.fnUntraced(function* (...of: Parameters<typeof call>) {
  const { status, text } = yield* call(...of)
  assert.isBelow(status, 300, text)
  return JSON.parse(text).data
})

/** Whether a token works: 200 or 401. */
export const statusOf = (server: Server, token: string) =>
  Effect.map(call(server, token, "/workers"), ({ status }) => status)

export interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

/** Asks for an access token of a client. */
export const grant = (server: Server, { clientId, clientSecret }: Client) =>
  ask(server, `${root}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`
  })

export const tokenOf = (server: Server, client: Client) =>
  Effect.map(grant(server, client), ({ text }) => String(JSON.parse(text).access_token))
