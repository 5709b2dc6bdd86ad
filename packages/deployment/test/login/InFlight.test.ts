import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import { assert, layer } from "@effect/vitest"
import { Serving } from "@wcs/deployment/Serving"
import { Administration } from "@wcs/domain/token/Administration"
import { Users } from "@wcs/domain/user/Users"
import { Context, Effect, Layer, Redacted } from "effect"
import { operator } from "../Service.ts"
import { oneServer, type Server, twoServers } from "../SharedDatabase.ts"
import { certificateFile } from "../TestServer.ts"
import { limitVariables, raisedLimits } from "../TestService.ts"

// Revocations at one server while a call or a login is in flight at the other. `EndedCallers.test.ts` proves every write
// at the exact moment; here the race is real.

/** How often each race is run. */
const tries = Number(process.env["WCS_TRIES"] ?? "3")

type Servers = Effect.Success<ReturnType<typeof twoServers>>

class Shared extends Context.Service<Shared, Servers>()("@wcs/deployment/test/InFlight") {}

interface Reply {
  readonly status: number
  readonly text: string
  /** The value of the session cookie; empty if none is set. */
  readonly cookie: string
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly cookie?: string
  readonly body?: unknown
}

const replyTo = (response: IncomingMessage): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let text = ""
    response.setEncoding("utf8")
    response.on("data", (piece: string) => {
      text += piece
    })
    response.on("error", reject)
    response.on("end", () => {
      const cookies = (response.headers["set-cookie"] ?? []).map((line) => line.split(";")[0] ?? "")
      const cookie = cookies.flatMap((one) => /^__Host-wcs-\d+=(.+)$/.exec(one)?.[1] ?? [])[0] ?? ""
      resolve({ status: response.statusCode ?? 0, text, cookie })
    })
  })

/** Begins a request without its last byte. Returns the function that sends the last byte and resolves to the answer. */
const hold = (server: Server, { body, cookie, method = "POST", path }: Sent) =>
  Effect.gen(function* () {
    const { port } = yield* Serving
    const ca = readFileSync(yield* certificateFile)
    const content = Buffer.from(JSON.stringify(body ?? {}))
    const headers = {
      accept: "application/json",
      origin: `https://localhost:${port}`,
      "x-wcs-console": "1",
      ...(cookie === undefined ? {} : { cookie: `__Host-wcs-${port}=${cookie}` }),
      ...(method === "GET" ? {} : { "content-type": "application/json", "content-length": content.length })
    }
    const call = request({ host: "localhost", port, ca, path, method, headers, agent: false })
    const answer = new Promise<Reply>((resolve, reject) => {
      call.once("error", reject)
      call.once("response", (response) => replyTo(response).then(resolve, reject))
    })
    if (method === "GET") call.end()
    else call.write(content.subarray(0, -1))
    return () => {
      if (method !== "GET") call.end(content.subarray(-1))
      return answer
    }
  }).pipe(Effect.provideContext(server))

const send = (server: Server, sent: Sent) => Effect.flatMap(hold(server, sent), (end) => Effect.promise(end))

const password = "correct horse battery staple"

/** A logged-in Admin, and the ways to end the login, at the first server. */
const admin = Effect.gen(function* () {
  const { here, tenantId } = yield* Shared
  const administration = yield* Effect.provideContext(Administration, here)
  const users = yield* Effect.provideContext(Users, here)
  const email = `${randomUUID()}@example.org`
  yield* administration.createUser(tenantId, email, "Admin", operator)
  yield* users.setPassword(tenantId, email, Redacted.make(password), operator)
  const { cookie } = yield* send(here, { path: "/login", body: { email, password } })
  assert.isNotEmpty(cookie)
  const ends = {
    "log out": send(here, { path: "/logout", cookie }),
    "end all sessions": users.endTokens(tenantId, email, operator),
    "new password": users.setPassword(tenantId, email, Redacted.make(`${password}!`), operator),
    demote: users.update(tenantId, email, { role: "Viewer" }, operator),
    deactivate: users.setActive(tenantId, email, false, operator)
  } as const
  return { cookie, email, ends: ends as Record<keyof typeof ends, Effect.Effect<unknown, unknown>> }
})

const ways = ["log out", "end all sessions", "new password", "demote", "deactivate"] as const

const isAlive = (server: Server, cookie: string) =>
  Effect.map(send(server, { method: "GET", path: "/openapi/v1/me", cookie }), ({ status }) => status === 200)

/** Runs a race `tries` times, and returns how often it was lost. */
const losses = <E, R>(race: (nth: number) => Effect.Effect<boolean, E, R>) =>
  Effect.map(
    Effect.forEach(Array.from({ length: tries }), (_, nth) => race(nth)),
    (lost) => lost.filter(Boolean).length
  )

const assertNone = (what: string, lost: number) => {
  if (process.env["WCS_TRIES"] !== undefined) process.stderr.write(`MEASURED ${what}: ${lost} of ${tries}\n`)
  assert.strictEqual(lost, 0, `of ${tries}`)
}

const deployments = [
  ["one server on SQLite", oneServer],
  ["two servers on Postgres", twoServers]
] as const

for (const [name, deploy] of deployments) {
  const shared = Layer.effect(Shared, deploy(limitVariables(raisedLimits)))
  layer(shared, { excludeTestServices: true })(`threat 58: on ${name}`, (it) => {
    const writes = [
      ["/openapi/v1/users", () => ({ email: `${randomUUID()}@example.org`, role: "Viewer" })],
      ["/openapi/v1/workers", () => ({ identity: { displayName: "Ann Example" } })]
    ] as const

    it.effect.each(writes.flatMap(([path, body]) => ways.map((way) => ({ path, body, way }))))(
      "a held $path is refused after: $way",
      ({ body, path, way }) =>
        Effect.gen(function* () {
          const { there } = yield* Shared
          const lost = yield* losses(() =>
            Effect.gen(function* () {
              const { cookie, ends } = yield* admin
              const end = yield* hold(there, { path, cookie, body: body() })
              yield* isAlive(there, cookie) // so the held call is likely past its authentication
              yield* ends[way]
              const { status } = yield* Effect.promise(end)
              return status < 400
            })
          )
          assertNone(`${name}, ${path}, ${way}`, lost)
        })
    )

    it.effect("no step-up in flight revives an ended session", () =>
      Effect.gen(function* () {
        const { there } = yield* Shared
        const lost = yield* losses((nth) =>
          Effect.gen(function* () {
            const { cookie, ends } = yield* admin
            const stepUp = send(there, { path: "/account/step-up", cookie, body: { password } })
            const later = Effect.andThen(Effect.sleep(nth % 40), ends["end all sessions"])
            const [renewed] = yield* Effect.all([stepUp, later], { concurrency: "unbounded" })
            return renewed.cookie !== "" && (yield* isAlive(there, renewed.cookie))
          })
        )
        assertNone(`${name}, step-up`, lost)
      })
    )

    it.effect("no login in flight with the old password survives the new one", () =>
      Effect.gen(function* () {
        const { there } = yield* Shared
        const lost = yield* losses((nth) =>
          Effect.gen(function* () {
            const { email, ends } = yield* admin
            const login = send(there, { path: "/login", body: { email, password } })
            const later = Effect.andThen(Effect.sleep(nth % 40), ends["new password"])
            const [entered] = yield* Effect.all([login, later], { concurrency: "unbounded" })
            return entered.cookie !== "" && (yield* isAlive(there, entered.cookie))
          })
        )
        assertNone(`${name}, login`, lost)
      })
    )
  })
}
