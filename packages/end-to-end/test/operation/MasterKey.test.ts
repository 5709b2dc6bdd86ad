import { createHmac, randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { Totp } from "@wcs/domain/second-factor/Totp"
import * as TotpLayer from "@wcs/keys/Totp"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SecureRandom } from "effect/crypto"
import { inProcess } from "../InProcess.ts"
import { onOneMachine, sharing, until } from "../Machines.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory, wcs } from "../Process.ts"

const root = "/openapi/v1"
const email = "ann@example.org"
/** Too short to log in without a second factor. */
const password = "correct ho"

const newKey = () => randomBytes(32).toString("hex")

const admin = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* inProcess(["admin", ...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
})

/** The number of resealed secrets of each kind. */
const resealed = Effect.fnUntraced(function* (environment: Environment) {
  const { secrets } = yield* admin(environment, "reseal")
  return Object.fromEntries(
    secrets.map(({ kind, resealed }: { readonly kind: string; readonly resealed: number }) => [kind, resealed])
  )
})

const stopped = Effect.fnUntraced(function* (server: Server) {
  server.signal("SIGTERM")
  assert.strictEqual((yield* server.ended).code, 0)
})

/** The single sentence of a refused start. */
const refusal = Effect.fnUntraced(function* (environment: Environment) {
  const { code, stderr } = yield* wcs(["serve"], { WCS_PORT: "0", WCS_ADMIN_PORT: "0", ...environment })
  assert.strictEqual(code, 2, stderr)
  return stderr
})

const tokenOf = Effect.fnUntraced(function* (environment: Environment, server: Server) {
  const { clientId, clientSecret } = yield* admin(environment, "create-client", "--name", "first")
  const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const body = new URLSearchParams(grant).toString()
  const { text } = yield* ask(server, `${root}/oauth/token`, { method: "POST", headers, body })
  return String(JSON.parse(text).access_token)
})

const statusOf = (server: Server, token: string) =>
  Effect.map(ask(server, `${root}/workers`, { headers: bearer(token) }), ({ status }) => status)

const post = Effect.fnUntraced(function* (server: Server, token: string, path: string, body: object = {}) {
  const headers = { ...bearer(token), "content-type": "application/json" }
  const { status, text } = yield* ask(server, root + path, { method: "POST", headers, body: JSON.stringify(body) })
  assert.isBelow(status, 300, text)
  return JSON.parse(text).data
})

const createWebhook = Effect.fnUntraced(function* (server: Server, token: string, url: string) {
  const webhook = yield* post(server, token, "/webhooks", { name: "HR", url, events: ["credential.verified"] })
  return { id: String(webhook.id), secret: String(webhook.signingSecret) }
})

interface Delivery {
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A receiver that keeps each delivery by its id, until the end of the test. */
const deliveries = Effect.gen(function* () {
  const received = new Map<string, Delivery>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers } = request
      received.set(String(headers["webhook-id"]), { headers, text: Buffer.concat(chunks).toString() })
      response.writeHead(204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, received }
})

/** Pings a webhook, and verifies the signature of the delivery by Standard Webhooks. */
const verifyPing = Effect.fnUntraced(function* (
  server: Server,
  token: string,
  { received }: Effect.Success<typeof deliveries>,
  webhook: { readonly id: string; readonly secret: string }
) {
  const { id } = yield* post(server, token, `/webhooks/${webhook.id}/ping`)
  const read = Effect.sync(() => received.get(String(id)))
  const { headers, text } = (yield* until(read, (delivery) => delivery !== undefined)) ?? assert.fail("no delivery")
  const key = Buffer.from(webhook.secret.slice("whsec_".length), "base64")
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`
  const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
  assert.include(String(headers["webhook-signature"]).split(" "), signature)
})

/** Sends the forms of the login pages with the cookies of a browser. */
const browser = (server: Server) => {
  const cookies = new Map<string, string>()
  return Effect.fnUntraced(function* (path: string, form: Readonly<Record<string, string>>) {
    const headers = {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
      origin: `https://localhost:${server.port}`,
      "sec-fetch-site": "same-origin"
    }
    const body = new URLSearchParams(form).toString()
    const { headers: answered, status, text } = yield* ask(server, path, { method: "POST", headers, body })
    assert.isBelow(status, 300, text)
    for (const cookie of answered["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return text === "" ? {} : JSON.parse(text)
  })
}

/** The code of an app, some steps after the present one. A code is accepted once, and a step early or late. */
const codeAfter = (seed: string, steps: number) =>
  Effect.gen(function* () {
    const totp = yield* Totp
    return totp.codeAt(Redacted.make(seed), stepOf(yield* Clock.currentTimeMillis) + steps)
  }).pipe(Effect.provide(Layer.provide(TotpLayer.layer, SecureRandom.layerWebCrypto)))

const enrol = Effect.fnUntraced(function* (environment: Environment, server: Server) {
  const file = join(yield* temporaryDirectory, "password")
  writeFileSync(file, password, { mode: 0o600 })
  yield* admin(environment, "create-user", "--email", email, "--role", "Admin")
  yield* admin(environment, "set-password", "--email", email, "--password-file", file)
  const send = browser(server)
  yield* send("/login", { email, password })
  const { seed } = yield* send("/login/enrol", {})
  yield* send("/login/confirm", { code: yield* codeAfter(String(seed), -1) })
  return String(seed)
})

const logIn = Effect.fnUntraced(function* (server: Server, seed: string) {
  const send = browser(server)
  yield* send("/login", { email, password })
  yield* send("/login/code", { code: yield* codeAfter(seed, 1) })
})

describe("the rotation of the master key", () => {
  it.live(
    "threat 34: reseals while requests run; then the new key alone verifies tokens, signs deliveries and accepts codes",
    () =>
      Effect.gen(function* () {
        const keyFile = join(yield* temporaryDirectory, "master.key")
        const keys = (...lines: ReadonlyArray<string>) => writeFileSync(keyFile, lines.join("\n"), { mode: 0o600 })
        const [old, fresh] = [newKey(), newKey()]
        const environment = {
          WCS_DATA: join(yield* temporaryDirectory, "data"),
          WCS_MASTER_KEY_FILE: keyFile,
          WCS_WEBHOOK_HTTP: "allow",
          WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
          WCS_RATE_STANDARD: "1000000",
          WCS_RATE_INTENSIVE: "1000000"
        }
        const receiver = yield* deliveries
        keys(old)
        const first = yield* serving(environment)
        const token = yield* tokenOf(environment, first)
        const webhook = yield* createWebhook(first, token, receiver.url)
        const seed = yield* enrol(environment, first)
        yield* stopped(first)

        // Without the old key, or with a wrong one in its place, nothing starts.
        for (const lines of [[fresh], [fresh, newKey()]]) {
          keys(...lines)
          assert.match(yield* refusal(environment), /does not open signing key .*: its rotation is not complete, or/)
        }
        keys(fresh, old, newKey())
        assert.match(yield* refusal(environment), /there must be one master key, or two on a line each/)

        keys(fresh, old)
        const second = yield* serving(environment)
        let asked = 0
        const asking = yield* Effect.forkScoped(
          Effect.repeat(
            Effect.gen(function* () {
              assert.strictEqual(yield* statusOf(second, token), 200)
              yield* verifyPing(second, token, receiver, webhook)
              asked++
            }),
            Schedule.spaced("100 millis")
          )
        )
        const counts = yield* resealed(environment)
        assert.deepStrictEqual(counts, { webhook: 1, identityProvider: 0, secondFactor: 1, signingKey: 3 })
        const none = { webhook: 0, identityProvider: 0, secondFactor: 0, signingKey: 0 }
        assert.deepStrictEqual(yield* resealed(environment), none)
        assert.isAbove(asked, 0)
        assert.isUndefined(asking.pollUnsafe(), "no request failed")
        yield* Fiber.interrupt(asking)
        yield* stopped(second)

        keys(fresh)
        const third = yield* serving(environment)
        assert.strictEqual(yield* statusOf(third, token), 200)
        yield* verifyPing(third, token, receiver, webhook)
        yield* logIn(third, seed)
        assert.deepStrictEqual(yield* resealed(environment), none)
        const verified = yield* inProcess(["audit", "verify"], environment)
        assert.strictEqual(verified.code, 0, verified.stderr)
        yield* stopped(third)

        // A secret that no key opens is named, and the signing keys are left as they are.
        using database = new DatabaseSync(join(environment.WCS_DATA, "wcs.sqlite"))
        database.exec("UPDATE second_factor SET sealed_seed = 'v1.AAAA'")
        database.close()
        const { code, stderr, stdout } = yield* inProcess(["admin", "reseal", "--json"], environment)
        assert.strictEqual(code, 1)
        assert.match(JSON.parse(stderr).error.message, /no key for 1 secrets, such as the second factor of /)
        assert.notInclude(stdout, "signingKey")
      }),
    300_000
  )

  it.live(
    "lets two servers restart one after the other in each step",
    () =>
      Effect.gen(function* () {
        const shared = yield* sharing(Redacted.value(yield* freshDatabase))
        const environment: Environment = { ...shared, WCS_WORKER: "inside" }
        const keys = (...lines: ReadonlyArray<string>) =>
          writeFileSync(environment["WCS_MASTER_KEY_FILE"] ?? "", lines.join("\n"))
        const [old, fresh] = [newKey(), newKey()]
        const receiver = yield* deliveries
        keys(old)
        const alone = { ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") }
        let here = yield* onOneMachine(serving, environment)
        let there = yield* onOneMachine(serving, environment)
        const token = yield* tokenOf(alone, here)
        const webhooks = [yield* createWebhook(here, token, receiver.url)]

        /** Either server signs the deliveries of the other one's webhooks. */
        const works = Effect.gen(function* () {
          for (const server of [here, there]) {
            assert.strictEqual(yield* statusOf(server, token), 200)
            webhooks.push(yield* createWebhook(server, token, receiver.url))
          }
          for (const webhook of webhooks) {
            for (const server of [here, there]) yield* verifyPing(server, token, receiver, webhook)
          }
        })
        const step = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
          keys(...lines)
          yield* stopped(there)
          there = yield* onOneMachine(serving, environment)
          yield* works
          yield* stopped(here)
          here = yield* onOneMachine(serving, environment)
        })
        yield* step(old, fresh)
        yield* step(fresh, old)
        const { webhook } = yield* resealed(alone)
        assert.isAbove(webhook, 0)
        assert.strictEqual((yield* resealed(alone)).webhook, 0)
        yield* step(fresh)
        yield* works
      }),
    300_000
  )
})
