import { createHmac } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { inProcess, migrated } from "./InProcess.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory, wcs } from "./Process.ts"

const admin = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* inProcess(["admin", ...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  const result: Readonly<Record<string, unknown>> = JSON.parse(stdout)
  return result
})

const email = "dana@example.org"
const me = (server: Server, authorization: string) =>
  Effect.map(ask(server, "/api/users/me", { headers: { authorization } }), ({ status, text }) => ({
    status,
    json: JSON.parse(text)
  }))
const basic = (password: string) => `Basic ${Buffer.from(`${email}:${password}`).toString("base64")}`

/** Returns the code of an app with this base32 seed (RFC 6238; RFC 4226, section 5.3). */
const codeAt = (seed: string, now: number): string => {
  const bits = [...seed].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")
  )
  const bytes = (bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)))
  const mac = createHmac("sha1", Buffer.from(bytes)).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, "0")
}

describe("wcs admin: users", () => {
  it.live("LEG-05, LEG-19, LEG-22: creates, verifies and deactivates a user, with effect on the next call", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const environment = { WCS_DATA: join(directory, "data") }
      yield* migrated(environment)
      const file = join(directory, "password")
      writeFileSync(file, "\uFEFFcorrect horse battery\r\nnot this line")
      yield* admin(environment, "create-user", "--email", email, "--role", "Viewer")
      const set = yield* admin(environment, "set-password", "--email", email, "--password-file", file)
      assert.deepInclude(set, { email, hasPassword: true, verifiedAt: null })
      assert.notInclude(JSON.stringify(set), "argon2")

      const server = yield* serving(environment)
      const first = yield* me(server, basic("correct horse battery"))
      assert.strictEqual(first.status, 200)
      const issued = yield* ask(server, `/api/users/${first.json.id}/token`, {
        method: "POST",
        headers: { authorization: basic("correct horse battery") }
      })
      const bearer = `Bearer ${JSON.parse(issued.text).token}`
      const organization = (authorization: string) =>
        Effect.map(ask(server, "/api/organizations/me", { headers: { authorization } }), ({ status }) => status)
      assert.strictEqual(yield* organization(bearer), 403)
      yield* admin(environment, "verify-user", "--email", email)
      assert.strictEqual(yield* organization(bearer), 200)

      yield* admin(environment, "update-user", "--email", email, "--first-name", "Dana", "--surname", "Doe")
      const { json } = yield* me(server, bearer)
      assert.deepInclude(json, { first_name: "Dana", surname: "Doe", is_verified: true })
      yield* admin(environment, "set-abn", "51 824 753 556")
      assert.strictEqual((yield* me(server, bearer)).json.organization.abn, "51824753556")

      const { legacyTokens } = yield* admin(environment, "list-legacy-tokens", "--email", email)
      const [{ id }] = legacyTokens as [{ id: string }]
      yield* admin(environment, "revoke-legacy-token", id)
      assert.strictEqual(yield* organization(bearer), 401)
      const made = yield* admin(environment, "create-legacy-token", "--email", email, "--expires-in", "1h")
      assert.strictEqual(yield* organization(`Bearer ${made["token"]}`), 200)
      const history = yield* admin(environment, "list-legacy-tokens", "--email", email)
      const tokens = history["legacyTokens"] as ReadonlyArray<object>
      assert.deepInclude(tokens[1], { id: made["id"], expiresAt: made["expiresAt"], revokedAt: null })
      yield* admin(environment, "revoke-legacy-token", String(made["id"]))
      assert.strictEqual(yield* organization(`Bearer ${made["token"]}`), 401)
      yield* admin(environment, "deactivate-user", "--email", email)
      assert.strictEqual((yield* me(server, basic("correct horse battery"))).status, 401)
      const { users } = yield* admin(environment, "list-users")
      assert.deepInclude((users as ReadonlyArray<object>)[0], { email, firstName: "Dana", role: "Viewer" })
    })
  )

  it.live("reports an invalid password, user or ABN in one sentence", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const environment = { WCS_DATA: join(directory, "data") }
      yield* migrated(environment)
      const file = join(directory, "password")
      writeFileSync(file, "short")
      yield* admin(environment, "create-user", "--email", email, "--role", "Viewer")
      const refused = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
        const { code, stderr, stdout } = yield* inProcess(["admin", ...args], environment)
        assert.notStrictEqual(code, 0, stdout)
        assert.notInclude(stderr, "short ")
        return stderr
      })
      assert.match(yield* refused("set-password", "--email", email, "--password-file", file), /password must have 10/)
      assert.match(
        yield* refused("set-password", "--email", email, "--password-file", join(directory, "none")),
        /none cannot be read: ENOENT/
      )
      assert.match(yield* refused("verify-user", "--email", "nobody@example.org"), /no user nobody@example.org/)
      assert.match(yield* refused("set-abn", "51 824 753 557"), /abn must be an ABN: 11 digits/)
      assert.match(yield* refused("revoke-legacy-token", "x"), /no token x/)
      const token = ["create-legacy-token", "--email", email, "--expires-in"] as const
      for (const wrong of ["91d", "0s", "1", "soon"]) assert.match(yield* refused(...token, wrong), /at most 90d/)
      yield* admin(environment, "deactivate-user", "--email", email)
      assert.match(yield* refused(...token, "1h"), /no user/)
    })
  )

  it.live("resets the second factor of a locked-out user, ends the sessions and writes an audit entry", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const environment = { WCS_DATA: join(directory, "data") }
      yield* migrated(environment)
      const file = join(directory, "password")
      const password = "correct horse battery staple"
      writeFileSync(file, password)
      yield* admin(environment, "create-user", "--email", email, "--role", "Super Admin")
      yield* admin(environment, "set-password", "--email", email, "--password-file", file)
      const server = yield* serving(environment)
      const ours = { origin: `https://localhost:${server.port}`, "sec-fetch-site": "same-origin" }
      const post = (path: string, fields: Readonly<Record<string, string>>, cookie = "") =>
        Effect.map(
          ask(server, path, {
            method: "POST",
            headers: { ...ours, accept: "application/json", "content-type": "application/json", cookie },
            body: JSON.stringify(fields)
          }),
          ({ headers, status, text }) => ({
            status,
            json: JSON.parse(text),
            cookie: (headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ")
          })
        )
      const status = (cookie: string) =>
        Effect.map(
          ask(server, "/openapi/v1/me", { headers: { cookie, "x-wcs-console": "1", "sec-fetch-site": "same-origin" } }),
          (reply) => reply.status
        )
      const half = yield* post("/login", { email, password })
      assert.deepStrictEqual(half.json, { next: "enrolment" })
      const enrolment = yield* post("/login/enrol", {}, half.cookie)
      const code = codeAt(enrolment.json.seed, yield* Clock.currentTimeMillis)
      const session = yield* post("/login/confirm", { code }, half.cookie)
      assert.strictEqual(yield* status(session.cookie), 200)
      assert.deepStrictEqual((yield* post("/login", { email, password })).json, { next: "code" })

      const reset = yield* admin(environment, "reset-second-factor", "--email", email)
      assert.deepInclude(reset, { email, reset: true })
      assert.strictEqual(yield* status(session.cookie), 401)
      assert.deepStrictEqual((yield* post("/login", { email, password })).json, { next: "enrolment" })
      const again = yield* admin(environment, "reset-second-factor", "--email", email)
      assert.deepInclude(again, { reset: false })

      const { token } = yield* admin(environment, "create-token", "--email", email, "--name", "audit")
      const history = yield* ask(server, "/openapi/v1/audit-events?pageSize=100", { headers: bearer(String(token)) })
      const entries: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(history.text).data
      const resets = entries.filter(({ action, entityType }) => action === "reset" && entityType === "secondFactor")
      assert.lengthOf(resets, 1)
      assert.deepInclude(resets[0], { account: "urn:wcs:operator", bearer: null })

      const { code: exit, stderr } = yield* wcs(
        ["admin", "reset-second-factor", "--email", "nobody@example.org"],
        environment
      )
      assert.notStrictEqual(exit, 0)
      assert.match(stderr, /no user nobody@example.org/)
    })
  )
})
