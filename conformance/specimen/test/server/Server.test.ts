import { globSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { areaOf, faults } from "@wcs/specimen/faults/Faults"
import { answer } from "@wcs/specimen/server/Server"
import { setting } from "@wcs/specimen/server/Setting"
import { hosts, type World } from "@wcs/specimen/server/World"

/** The listener of a `node:http` server. `scheme` is that of its callers: a proxy ends TLS. */
const listener =
  (world: World, scheme: "http" | "https") =>
  async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(`${scheme}://${incoming.headers.host ?? "none"}${incoming.url ?? "/"}`)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value)
    const call = { method: incoming.method ?? "GET", url, headers, body: await text(incoming) }
    const { body, headers: sent, status } = await answer(world, call)
    response.writeHead(status, sent).end(body)
  }

/** Sends a request to a listening server, as a proxy would. */
const send = (port: number, method: string, path: string, headers: Readonly<Record<string, string>>, body = "") =>
  new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const sent = request({ port, method, path, headers: { host: hosts.first, ...headers } }, (response) => {
      text(response).then((read) => resolve({ status: response.statusCode ?? 0, body: read }), reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })

const serverFiles = globSync(fileURLToPath(new URL("../../src/server/**/*.ts", import.meta.url)))

describe("the second server", () => {
  it("uses nothing of this repository: it is an independent reading", () => {
    assert.isAbove(serverFiles.length, 15)
    for (const file of serverFiles) {
      const modules = [...readFileSync(file, "utf8").matchAll(/ from "([^"]+)"/g)].map(([, module = ""]) => module)
      for (const module of modules) assert.match(module, /^(?:node:|\.\/|\.\.\/[A-Z])/, file)
    }
  })

  it("answers over sockets: OAU-01, WRK-02, TRN-02", async () => {
    const { secrets, world } = setting()
    const [client] = world.tenants[0]?.clients.values() ?? []
    assert.isAbove(secrets.size, 20)
    for (const [scheme, granted, made] of [
      ["https", 200, 201],
      ["http", 426, 426]
    ] as const) {
      const server = createServer(listener(world, scheme)).listen(0, "127.0.0.1")
      await new Promise((resolve) => server.once("listening", resolve))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const form = `grant_type=client_credentials&client_id=${client?.id}&client_secret=${client?.secret}`
      const type = { "content-type": "application/x-www-form-urlencoded" }
      const grant = await send(port, "POST", "/openapi/v1/oauth/token", type, form)
      assert.strictEqual(grant.status, granted)
      const token = scheme === "https" ? JSON.parse(grant.body).access_token : "none"
      const worker = JSON.stringify({ identity: { displayName: "Ann" } })
      const { status } = await send(port, "POST", "/openapi/v1/workers", { authorization: `Bearer ${token}` }, worker)
      assert.strictEqual(status, made)
      server.close()
    }
  })

  it("asks for each fault at its point", () => {
    const sources = serverFiles.map((file) => readFileSync(file, "utf8")).join("\n")
    assert.deepStrictEqual(
      faults.filter(({ point }) => !sources.includes(`"${point}"`)).map(({ name }) => name),
      []
    )
  })

  it("has at least 500 faults, in every area, with unique names", () => {
    assert.isAtLeast(faults.length, 500)
    assert.strictEqual(new Set(faults.map(({ name }) => name)).size, faults.length)
    assert.strictEqual(new Set(faults.map(areaOf)).size, 15)
  })
})
