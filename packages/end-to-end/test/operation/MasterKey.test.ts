import { createHmac, randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { codeAt } from "@wcs/end-to-end/Totp"
import { visitor } from "@wcs/end-to-end/Visitor"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Effect, Fiber, Redacted, Schedule } from "effect"
import { dataOf, done, statusOf, stopped, tokenOf } from "../Calls.ts"
import { inProcess } from "../InProcess.ts"
import { onOneMachine, receiver, sharing, until } from "../Machines.ts"
import { type Environment, type Server, serving, temporaryDirectory, wcs } from "../Process.ts"

const email = "ann@example.org"
/** Too short to log in without a second factor. */
const password = "correct ho"

const newKey = () => randomBytes(32).toString("hex")

/** The number of resealed secrets of each kind. */
const resealed = Effect.fnUntraced(function* (environment: Environment) {
  const { secrets } = yield* done(environment, "admin", "reseal")
  return Object.fromEntries(
    secrets.map(({ kind, resealed }: { readonly kind: string; readonly resealed: number }) => [kind, resealed])
  )
})

/** The single sentence of a refused start. */
const refusal = Effect.fnUntraced(function* (environment: Environment) {
  const { code, stderr } = yield* wcs(["serve"], { WCS_PORT: "0", WCS_ADMIN_PORT: "0", ...environment })
  assert.strictEqual(code, 2, stderr)
  return stderr
})

/** An access token of a new client. */
const issued = (environment: Environment, server: Server) =>
  Effect.flatMap(done(environment, "admin", "create-client", "--name", "first"), (client) => tokenOf(server, client))

const createWebhook = Effect.fnUntraced(function* (server: Server, token: string, url: string) {
  const webhook = yield* dataOf(server, token, "/webhooks", { name: "HR", url, events: ["credential.verified"] })
  return { id: String(webhook.id), secret: String(webhook.signingSecret) }
})

/** Pings a webhook, and verifies the signature of the delivery by Standard Webhooks. */
const verifyPing = Effect.fnUntraced(function* (
  server: Server,
  token: string,
  { received }: Effect.Success<typeof receiver>,
  webhook: { readonly id: string; readonly secret: string }
) {
  const { id } = yield* dataOf(server, token, `/webhooks/${webhook.id}/ping`, {})
  const read = Effect.sync(() => received.find(({ headers }) => headers["webhook-id"] === id))
  const { headers, text } = (yield* until(read, (delivery) => delivery !== undefined)) ?? assert.fail("no delivery")
  const key = Buffer.from(webhook.secret.slice("whsec_".length), "base64")
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`
  const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`
  assert.include(String(headers["webhook-signature"]).split(" "), signature)
})

/** A browser of a server, and the code of an app some steps after the present one. A code is accepted once. */
const browserOf = ({ certificateFile, port }: Server) => {
  const { post } = visitor(`https://localhost:${port}`, readFileSync(certificateFile, "utf8"))
  return (path: string, form: Readonly<Record<string, string>>) => Effect.promise(() => post(path, form))
}
const codeAfter = (seed: string, steps: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => codeAt(seed, now + steps * 30_000))

const enrol = Effect.fnUntraced(function* (environment: Environment, server: Server) {
  const file = join(yield* temporaryDirectory, "password")
  writeFileSync(file, password, { mode: 0o600 })
  yield* done(environment, "admin", "create-user", "--email", email, "--role", "Admin")
  yield* done(environment, "admin", "set-password", "--email", email, "--password-file", file)
  const send = browserOf(server)
  yield* send("/login", { email, password })
  const { seed } = yield* send("/login/enrol", {})
  yield* send("/login/confirm", { code: yield* codeAfter(String(seed), -1) })
  return String(seed)
})

const logIn = Effect.fnUntraced(function* (server: Server, seed: string) {
  const send = browserOf(server)
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
        const target = yield* receiver
        keys(old)
        const first = yield* serving(environment)
        const token = yield* issued(environment, first)
        const webhook = yield* createWebhook(first, token, target.url)
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
              yield* verifyPing(second, token, target, webhook)
              asked++
            }),
            Schedule.spaced("100 millis")
          )
        )
        const counts = yield* resealed(environment)
        assert.deepStrictEqual(counts, {
          webhook: 1,
          identityProvider: 0,
          verificationSource: 0,
          secondFactor: 1,
          document: 0,
          signingKey: 3
        })
        const none = {
          webhook: 0,
          identityProvider: 0,
          verificationSource: 0,
          secondFactor: 0,
          document: 0,
          signingKey: 0
        }
        assert.deepStrictEqual(yield* resealed(environment), none)
        assert.isAbove(asked, 0)
        assert.isUndefined(asking.pollUnsafe(), "no request failed")
        yield* Fiber.interrupt(asking)
        yield* stopped(second)

        keys(fresh)
        const third = yield* serving(environment)
        assert.strictEqual(yield* statusOf(third, token), 200)
        yield* verifyPing(third, token, target, webhook)
        yield* logIn(third, seed)
        assert.deepStrictEqual(yield* resealed(environment), none)
        yield* done(environment, "audit", "verify")
        yield* stopped(third)

        // A secret that no key opens is named, and the signing keys are left as they are.
        using database = new DatabaseSync(join(environment.WCS_DATA, "wcs.sqlite"))
        database.exec("UPDATE second_factor SET sealed_seed = 'v1.AAAA'")
        database.close()
        const { code, stderr, stdout } = yield* inProcess(["admin", "reseal", "--json"], environment)
        assert.strictEqual(code, 1)
        assert.match(JSON.parse(stderr).error.message, /no key for 1 secrets, such as the second factor of /)
        assert.notInclude(stdout, "signingKey")
        const reset = yield* done(environment, "admin", "reset-second-factor", "--email", email)
        assert.deepInclude(reset, { email, reset: true }, "a lost key does not lock the user out")
        using log = new DatabaseSync(join(environment.WCS_DATA, "wcs.sqlite"))
        const [entry] = log.prepare("SELECT account FROM audit_event WHERE action = 'reset'").all()
        assert.strictEqual(entry?.["account"], "urn:wcs:operator")
      }),
    300_000
  )

  it.live(
    "lets two servers restart one after the other in each step, and then both sign with a new signing key at once",
    () =>
      Effect.gen(function* () {
        const shared = yield* sharing(Redacted.value(yield* freshDatabase))
        const environment: Environment = { ...shared, WCS_WORKER: "inside" }
        const keys = (...lines: ReadonlyArray<string>) =>
          writeFileSync(environment["WCS_MASTER_KEY_FILE"] ?? "", lines.join("\n"))
        const [old, fresh] = [newKey(), newKey()]
        const target = yield* receiver
        keys(old)
        const alone = { ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") }
        let here = yield* onOneMachine(serving, environment)
        let there = yield* onOneMachine(serving, environment)
        const client = yield* done(alone, "admin", "create-client", "--name", "first")
        const token = yield* tokenOf(here, client)
        const webhooks = [yield* createWebhook(here, token, target.url)]

        /** Either server signs the deliveries of the other one's webhooks. */
        const works = Effect.gen(function* () {
          for (const server of [here, there]) {
            assert.strictEqual(yield* statusOf(server, token), 200)
            webhooks.push(yield* createWebhook(server, token, target.url))
          }
          const pings = webhooks.flatMap((webhook) =>
            [here, there].map((server) => verifyPing(server, token, target, webhook))
          )
          yield* Effect.all(pings, { concurrency: "unbounded", discard: true })
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

        const { keys: signing } = yield* done(alone, "admin", "rotate-signing-keys")
        assert.deepStrictEqual(
          signing.map(({ use }: { readonly use: string }) => use),
          ["access", "legacy", "audit"]
        )
        const kidOf = (token: string): string =>
          JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid
        assert.notStrictEqual(kidOf(token), signing[0].kid)
        for (const server of [here, there]) {
          const after = yield* until(tokenOf(server, client), (token) => kidOf(token) === signing[0].kid)
          for (const one of [token, after]) {
            assert.deepStrictEqual([yield* statusOf(here, one), yield* statusOf(there, one)], [200, 200])
          }
        }
        yield* done(alone, "audit", "verify")
      }),
    300_000
  )
})
