import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stopped, withAdmin } from "./Calls.ts"
import { type Ask, ask, askPlainly, bearer, type Server, serving, temporaryDirectory, wcs } from "./Process.ts"

const surface = "/openapi/v1"
const birthDate = "1987-06-05"
const person = (externalId: string) =>
  JSON.stringify({ identity: { displayName: "Ann", birthDate }, source: { externalId } })
const json = { "content-type": "application/json" }
const form = { "content-type": "application/x-www-form-urlencoded" }

/** The secrets that must not appear in logs, collected when they are created. */
class Secrets {
  readonly #known = new Map<string, string>([["most of a birth date", birthDate.slice(0, -3)]])

  add(what: string, secret: string): string {
    assert.isAtLeast(secret.length, 7, what)
    this.#known.set(what, secret)
    return secret
  }

  /** Fails if a text contains a secret, plain, in base64 or percent-encoded. */
  assertAbsent(text: string): void {
    for (const [what, secret] of this.#known) {
      for (const form of [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)]) {
        assert.notInclude(text, form, what)
      }
    }
  }
}

const post = (server: Server, path: string, body: string, headers: Readonly<Record<string, string>>) =>
  ask(server, path, { method: "POST", body, headers })

const exchangeForm = (clientId: string, secret: string) =>
  `grant_type=client_credentials&client_id=${clientId}&client_secret=${secret}`

/** The settings of debug logs. */
const loud = (format: string) => ({ WCS_LOG_LEVEL: "debug", WCS_LOG_FORMAT: format })

/** Requests tokens with right and wrong secrets. Refused secrets must not be logged either. */
const exchangeTokens = Effect.fnUntraced(function* (server: Server, secrets: Secrets, clientFile: string) {
  const { clientId, clientSecret } = JSON.parse(readFileSync(clientFile, "utf8"))
  secrets.add("the client's secret", clientSecret)
  const wrong = secrets.add("a wrong secret", `${clientSecret.slice(0, -4)}oops`)
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64")
  secrets.add("the client's header", basic)
  const path = `${surface}/oauth/token`
  const made = yield* post(server, path, exchangeForm(clientId, clientSecret), form)
  assert.strictEqual(made.status, 200)
  assert.strictEqual((yield* post(server, path, exchangeForm(clientId, wrong), form)).status, 401)
  const viaBasic = { ...form, authorization: `Basic ${basic}` }
  assert.strictEqual((yield* post(server, path, "grant_type=client_credentials", viaBasic)).status, 200)
  assert.strictEqual((yield* post(server, path, exchangeForm(clientId, clientSecret), json)).status, 400)
  return secrets.add("an access token", JSON.parse(made.text).access_token)
})

/** Makes good calls and all kinds of bad calls with a token. */
const callWith = Effect.fnUntraced(function* (server: Server, secrets: Secrets, token: string) {
  const call = (path: string, { headers, ...options }: Ask = {}) =>
    ask(server, `${surface}${path}`, { ...options, headers: { ...headers, ...bearer(token) } })
  const made = yield* call("/workers", { method: "POST", body: person("good"), headers: json })
  assert.strictEqual(made.status, 201)
  assert.strictEqual(
    (yield* call("/workers", { method: "POST", body: `${person("bad")}}`, headers: json })).status,
    400
  )
  const mistyped = person("bad").replace(`"${birthDate}"`, `"${birthDate}T"`)
  assert.strictEqual((yield* call("/workers", { method: "POST", body: mistyped, headers: json })).status, 400)
  assert.strictEqual((yield* call(`/workers/${birthDate}`)).status, 400)
  assert.strictEqual((yield* askPlainly(server.port, `${surface}/workers`, { headers: bearer(token) })).status, 400)
  const wrong = secrets.add("a wrong token", `${token.slice(0, -4)}oops`)
  assert.strictEqual((yield* ask(server, `${surface}/workers`, { headers: bearer(wrong) })).status, 401)
  assert.strictEqual((yield* ask(server, `/nowhere/${token}`)).status, 404)
})

/** Damages the store while the server runs. */
const spoil = (data: string, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const database = new DatabaseSync(join(data, "wcs.sqlite"), { timeout: 5_000 })
    for (const statement of statements) database.exec(statement)
    database.close()
  })

/** Stops the server and returns its output, without the line with its address. */
const logOf = Effect.fnUntraced(function* (server: Server) {
  const { stderr, stdout } = yield* stopped(server)
  const [announcement, rest] = stdout.split("\n")
  assert.strictEqual(rest, "")
  return { announcement: announcement ?? "", log: stderr }
})

describe("threat 9: server output contains no secret and no birth date", () => {
  for (const format of ["text", "json"]) {
    it.live(`contains no tokens, keys and birth dates from the first run on, with ${format} logs`, () =>
      Effect.gen(function* () {
        const clientFile = join(yield* temporaryDirectory, "client.json")
        const { environment, server, token } = yield* withAdmin({ ...loud(format), WCS_CLIENT_FILE: clientFile })
        const data = environment.WCS_DATA
        const secrets = new Secrets()
        secrets.add("the master key", readFileSync(join(data, "master.key"), "utf8").trim())
        for (const line of readFileSync(join(data, "tls-key.pem"), "utf8").split("\n")) {
          if (line.length > 40) secrets.add("the key of TLS", line)
        }
        const personal = secrets.add("the first token", token)
        const access = yield* exchangeTokens(server, secrets, clientFile)
        for (const token of [personal, access]) yield* callWith(server, secrets, token)
        const made = yield* wcs(["admin", "create-client", "--name", "more", "--json"], environment)
        const client = JSON.parse(made.stdout)
        secrets.add("another client's secret", client.clientSecret)

        // Unreadable rows, failing writes and missing tables: each causes a 500.
        const calling = { headers: { ...json, ...bearer(personal) } }
        const create = ask(server, `${surface}/workers`, { ...calling, method: "POST", body: person("late") })
        const failing = [
          [`UPDATE worker SET document = replace(document, '"${birthDate}"', 'x"${birthDate}"')`, "list"],
          [`UPDATE worker SET document = replace(document, 'x"${birthDate}"', '["${birthDate}"]')`, "list"],
          [`UPDATE worker SET document = replace(document, '["${birthDate}"]', '{"of": "${birthDate}"}')`, "list"],
          [
            "CREATE TRIGGER spoilt BEFORE INSERT ON worker BEGIN SELECT RAISE(ABORT, 'spoilt ' || NEW.id); END",
            "create"
          ],
          ["ALTER TABLE worker RENAME TO worker_gone", "list"]
        ] as const
        for (const [statement, what] of failing) {
          yield* spoil(data, statement)
          const reply = yield* what === "create" ? create : ask(server, `${surface}/workers`, calling)
          assert.strictEqual(reply.status, 500, statement)
          secrets.assertAbsent(reply.text)
        }
        yield* spoil(
          data,
          "ALTER TABLE oauth_client RENAME TO client_gone",
          "ALTER TABLE account RENAME TO account_gone"
        )
        const path = `${surface}/oauth/token`
        const exchange = post(server, path, exchangeForm(client.clientId, client.clientSecret), form)
        assert.strictEqual((yield* exchange).status, 500)
        const admin = ["admin", "create-token", "--email", "root@example.com", "--name", "x"]
        assert.strictEqual((yield* wcs(admin, environment)).code, 1)

        const { announcement, log } = yield* logOf(server)
        for (const said of ["a request failed", "an admin command failed", "serving"]) assert.include(log, said)
        secrets.assertAbsent(announcement)
        secrets.assertAbsent(log)
      })
    )
  }

  it.live("contains no signing secrets or passwords of refused URLs; neither does the store", () =>
    Effect.gen(function* () {
      const { environment, server, token } = yield* withAdmin(loud("json"))
      const data = environment.WCS_DATA
      const calling = { ...json, ...bearer(token) }
      const path = `${surface}/webhooks`
      const body = (fields: object = {}) =>
        JSON.stringify({ name: "HR", url: "https://receiver.invalid/", events: ["credential.created"], ...fields })
      const secrets = new Secrets()
      const told = (reply: { readonly text: string }) => {
        const { id, signingSecret } = JSON.parse(reply.text).data
        const [, key = ""] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(signingSecret) ?? []
        secrets.add(`a signing secret ${signingSecret.slice(-4)}`, key)
        secrets.add(`the key ${signingSecret.slice(-4)} as it signs`, Buffer.from(key, "base64").toString("latin1"))
        return id
      }
      const id = told(yield* post(server, path, body(), calling))
      for (let rotation = 0; rotation < 2; rotation++) {
        told(yield* ask(server, `${path}/${id}/rotate`, { method: "POST", headers: calling }))
      }
      const password = secrets.add("a password", "hunter2hunter2")
      const withPassword = body({ url: `https://user:${password}@receiver.invalid/` })
      const refused = yield* post(server, path, withPassword, calling)
      assert.strictEqual(refused.status, 400)
      secrets.assertAbsent(refused.text)
      const [read, patched] = [
        yield* ask(server, `${path}/${id}`, { headers: calling }),
        yield* ask(server, `${path}/${id}`, { method: "PATCH", headers: calling, body: '{"name":"Payroll"}' })
      ]
      for (const reply of [read, patched]) {
        assert.strictEqual(reply.status, 200)
        secrets.assertAbsent(reply.text)
      }
      yield* spoil(data, "CREATE TRIGGER spoilt BEFORE UPDATE ON webhook BEGIN SELECT RAISE(ABORT, 'spoilt'); END")
      const failed = yield* ask(server, `${path}/${id}/rotate`, { method: "POST", headers: calling })
      assert.strictEqual(failed.status, 500)
      const kept = readdirSync(data).filter((name) => name.startsWith("wcs.sqlite"))
      const bytes = kept.map((name) => readFileSync(join(data, name), "latin1")).join("\n")
      assert.include(bytes, '"sealed":"v1.')
      secrets.assertAbsent(bytes)
      const { log } = yield* logOf(server)
      assert.include(log, "a request failed")
      secrets.assertAbsent(log)
    })
  )

  it.live("contains no legacy passwords or tokens, even when the store fails; neither does the store", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const environment = { WCS_DATA: join(home, "data") }
      const server = yield* serving({ ...environment, ...loud("json") })
      const secrets = new Secrets()
      const password = secrets.add("a password", "correct horse battery")
      const wrong = secrets.add("a wrong password", "correct horse batteries")
      const email = "ann@example.com"
      writeFileSync(join(home, "password"), password)
      const admin = (...args: ReadonlyArray<string>) => wcs(["admin", ...args, "--email", email], environment)
      assert.strictEqual((yield* admin("create-user", "--role", "Viewer")).code, 0)
      const set = yield* admin("set-password", "--password-file", join(home, "password"))
      assert.strictEqual(set.code, 0)
      secrets.assertAbsent(set.stdout)
      const basic = (secret: string) => {
        const encoded = Buffer.from(`${email}:${secret}`).toString("base64")
        secrets.add(`the header of ${secret}`, encoded)
        return { authorization: `Basic ${encoded}` }
      }
      const me = (headers: Readonly<Record<string, string>>) => ask(server, "/api/users/me", { headers })
      const refused = yield* me(basic(wrong))
      assert.strictEqual(refused.status, 401)
      const { id } = JSON.parse((yield* me(basic(password))).text)
      const exchange = ask(server, `/api/users/${id}/token`, { method: "POST", headers: basic(password) })
      const token = secrets.add("a legacy token", JSON.parse((yield* exchange).text).token)
      assert.strictEqual((yield* me(bearer(token))).status, 200)
      assert.strictEqual((yield* me(bearer(secrets.add("a wrong token", `${token.slice(0, -4)}oops`)))).status, 401)
      const kept = readdirSync(environment.WCS_DATA).filter((name) => name.startsWith("wcs.sqlite"))
      const bytes = kept.map((name) => readFileSync(join(environment.WCS_DATA, name), "latin1")).join("\n")
      assert.include(bytes, "$argon2id$")
      secrets.assertAbsent(bytes)
      yield* spoil(environment.WCS_DATA, "ALTER TABLE legacy_token RENAME TO legacy_gone")
      for (const failed of [yield* exchange, yield* me(bearer(token))]) {
        assert.strictEqual(failed.status, 500)
        secrets.assertAbsent(failed.text)
      }
      yield* spoil(environment.WCS_DATA, "ALTER TABLE account RENAME TO account_gone")
      assert.strictEqual((yield* me(basic(password))).status, 500)
      assert.strictEqual((yield* admin("set-password", "--password-file", join(home, "password"))).code, 1)
      const { log } = yield* logOf(server)
      assert.include(log, "a request failed")
      secrets.assertAbsent(log)
    })
  )

  it.live("contains no set-up token and no token created with it, even when the store fails", () =>
    Effect.gen(function* () {
      const data = join(yield* temporaryDirectory, "data")
      const server = yield* serving({ WCS_DATA: data, ...loud("text") })
      const path = new URL(server.setUpUrl ?? "").pathname
      const secrets = new Secrets()
      secrets.add("the token of the set-up", path.split("/").at(-1) ?? "")
      assert.strictEqual((yield* ask(server, path)).status, 200)
      assert.strictEqual((yield* post(server, path, "email=nobody", form)).status, 400)
      yield* spoil(data, "ALTER TABLE oauth_client RENAME TO client_gone")
      assert.strictEqual((yield* ask(server, path)).status, 500)
      assert.strictEqual((yield* post(server, path, "email=ann@example.com", form)).status, 500)
      yield* spoil(data, "ALTER TABLE client_gone RENAME TO oauth_client")
      const made = yield* post(server, path, "email=ann@example.com", form)
      assert.strictEqual(made.status, 201)
      const { token } = JSON.parse(made.text)
      yield* callWith(server, secrets, secrets.add("the token that was made", token))
      assert.strictEqual((yield* post(server, path, "email=eve@example.com", form)).status, 404)
      const { log } = yield* logOf(server)
      assert.include(log, "a request failed")
      secrets.assertAbsent(log)
    })
  )
})
