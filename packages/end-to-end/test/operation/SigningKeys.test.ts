import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"
import { inProcess } from "../InProcess.ts"
import { onOneMachine, sharing, until } from "../Machines.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory } from "../Process.ts"

interface Client {
  readonly clientId: string
  readonly clientSecret: string
}

const root = "/openapi/v1"

const command = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* inProcess(["admin", ...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
})

const tokenOf = Effect.fnUntraced(function* (server: Server, { clientId, clientSecret }: Client) {
  const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const body = new URLSearchParams(grant).toString()
  const { text } = yield* ask(server, `${root}/oauth/token`, { method: "POST", headers, body })
  return String(JSON.parse(text).access_token)
})

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid

const statusOf = (server: Server, token: string) =>
  Effect.map(ask(server, `${root}/workers`, { headers: bearer(token) }), ({ status }) => status)

describe("wcs admin rotate-signing-keys", () => {
  it.live("signs with a new key at once, while tokens of the old one still work", () =>
    Effect.gen(function* () {
      const environment = { WCS_DATA: join(yield* temporaryDirectory, "data") }
      const server = yield* serving(environment)
      const client: Client = yield* command(environment, "create-client", "--name", "first")
      const before = yield* tokenOf(server, client)
      const { keys } = yield* command(environment, "rotate-signing-keys")
      assert.deepStrictEqual(
        keys.map(({ use }: { readonly use: string }) => use),
        ["access", "legacy", "audit"]
      )
      const after = yield* tokenOf(server, client)
      assert.strictEqual(kidOf(after), keys[0].kid)
      assert.notStrictEqual(kidOf(after), kidOf(before))
      assert.deepStrictEqual([yield* statusOf(server, before), yield* statusOf(server, after)], [200, 200])
      const verified = yield* inProcess(["audit", "verify"], environment)
      assert.strictEqual(verified.code, 0, verified.stderr)
    })
  )

  it.live("reaches other servers of the database", () =>
    Effect.gen(function* () {
      const environment = yield* sharing(Redacted.value(yield* freshDatabase))
      const [here, there] = yield* Effect.all([onOneMachine(serving, environment), onOneMachine(serving, environment)])
      const alone = { ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") }
      const client: Client = yield* command(alone, "create-client", "--name", "first")
      const before = yield* tokenOf(here, client)
      const { keys } = yield* command(alone, "rotate-signing-keys", "--use", "access")
      assert.lengthOf(keys, 1)
      for (const server of [here, there]) {
        const after = yield* until(tokenOf(server, client), (token) => kidOf(token) === keys[0].kid)
        assert.deepStrictEqual([yield* statusOf(here, after), yield* statusOf(there, after)], [200, 200])
      }
      assert.strictEqual(yield* statusOf(there, before), 200)
    })
  )
})
