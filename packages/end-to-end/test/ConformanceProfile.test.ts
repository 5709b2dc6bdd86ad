import { appendFileSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { resourcesOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { Profile } from "@wcs/conformance/profile/Profile"
import { Effect, Schema } from "effect"
import { grant, statusOf } from "./Calls.ts"
import { inProcess, migrated } from "./InProcess.ts"
import { type Ask, ask, type Server, serving, temporaryDirectory } from "./Process.ts"

const Secret = Schema.String.check(Schema.isPattern(/^\$\{CONF_[A-Z_]+\}$/))
const Client = Schema.Struct({ clientId: Schema.String, clientSecret: Secret })
const Login = Schema.Struct({ username: Schema.String, password: Secret })
const OfClient = Schema.Struct({ oauth: Client })

/** The fields that depend on the deployment. `npm run conformance` uses all others. */
const Described = Schema.Struct({
  name: Schema.String,
  newer: Schema.Struct({ tenantBaseUrl: Schema.String, plainHttpUrl: Schema.String }),
  secondTenant: Schema.Struct({ tenantBaseUrl: Schema.String, admin: OfClient }),
  tls: Schema.Struct({ caFile: Schema.String }),
  resolve: Schema.Record(Schema.String, Schema.String),
  principals: Schema.Struct({ admin: OfClient, expiredToken: Secret, personalToken: Secret }),
  legacy: Schema.Struct({ baseUrl: Schema.String, user: Login, tokenLifetimeSeconds: Schema.Int }),
  oauthLifetimeSeconds: Schema.Int,
  groups: Schema.Record(Schema.String, Schema.Unknown)
})

const decode = (text: string) => {
  Schema.decodeUnknownSync(Schema.fromJsonString(Profile), { onExcessProperty: "error" })(text)
  return Schema.decodeUnknownSync(Schema.fromJsonString(Described))(text)
}

/** Paths for a deployment, its profile and its secrets. */
const place = Effect.map(temporaryDirectory, (home) => ({
  home,
  environment: { WCS_DATA: join(home, "data") },
  out: join(home, "profile.json"),
  env: join(home, "secrets.env")
}))
type Place = Effect.Success<typeof place>

/** Runs the command. Returns the written files and the output. */
const profiled = Effect.fnUntraced(function* ({ env, environment, out }: Place, ...args: ReadonlyArray<string>) {
  const ended = yield* inProcess(["conformance-profile", "--out", out, "--env", env, ...args], environment)
  assert.strictEqual(ended.code, 0, ended.stderr)
  const text = readFileSync(out, "utf8")
  const lines = readFileSync(env, "utf8").trimEnd().split("\n")
  const secrets = new Map<string, string>(
    lines.map((line) => {
      const [, name = "", value = ""] =
        /^(CONF_[A-Z_]+)=([\w.-]+)$/.exec(line) ?? assert.fail(`no line of an env file: ${line}`)
      return [`\${${name}}`, value] as const
    })
  )
  return { ...ended, profile: decode(text), text, secrets, secretOf: (name: string) => secrets.get(name) ?? "" }
})
type Profiled = Effect.Success<ReturnType<typeof profiled>>

const jsonHeader = { "content-type": "application/json" }

const legacyStatus = (server: Server, path: string, authorization: string, { body, headers, ...rest }: Ask = {}) =>
  Effect.map(
    ask(server, `/api${path}`, {
      ...rest,
      ...(body === undefined ? {} : { body }),
      headers: { authorization, ...(body === undefined ? {} : jsonHeader), ...headers }
    }),
    ({ status }) => status
  )

const basicOf = ({ secretOf }: Profiled, { password, username }: typeof Login.Type) =>
  `Basic ${Buffer.from(`${username}:${secretOf(password)}`).toString("base64")}`

/** Gets a legacy token for a user of the profile. */
const logIn = Effect.fnUntraced(function* (
  server: Server,
  made: Profiled,
  who: typeof Login.Type,
  headers: Ask["headers"] = {}
) {
  const authorization = basicOf(made, who)
  const me = yield* ask(server, "/api/users/me", { headers: { authorization, ...headers } })
  const path = `/api/users/${JSON.parse(me.text).id}/token`
  const issued = yield* ask(server, path, { method: "POST", headers: { authorization, ...headers } })
  assert.strictEqual(issued.status, 200, issued.text)
  return `Bearer ${JSON.parse(issued.text).token}`
})

describe("wcs conformance-profile", () => {
  it.live("describes the addresses of a running server", () =>
    Effect.gen(function* () {
      const here = yield* place
      const server = yield* serving({ ...here.environment, WCS_PLAIN_PORT: "0" })
      const { legacy, newer, oauthLifetimeSeconds, resolve, secondTenant, tls } = (yield* profiled(here)).profile
      assert.deepStrictEqual(newer, {
        tenantBaseUrl: `https://localhost:${server.port}`,
        plainHttpUrl: `http://localhost:${server.plainPort}`
      })
      assert.strictEqual(secondTenant.tenantBaseUrl, `https://other.localhost:${server.port}`)
      assert.deepStrictEqual(resolve, { localhost: "127.0.0.1", "other.localhost": "127.0.0.1" })
      assert.deepStrictEqual([legacy.baseUrl, legacy.tokenLifetimeSeconds], [newer.tenantBaseUrl, 30 * 24 * 3600])
      assert.deepStrictEqual([tls.caFile, oauthLifetimeSeconds], ["data/tls-cert.pem", 3600])
    })
  )

  it.live("threat 9: writes secrets only to the env file, also without a server; a later server serves them", () =>
    Effect.gen(function* () {
      const here = yield* place
      yield* migrated(here.environment)
      const { profile, secrets, stderr, stdout, text } = yield* profiled(here)
      const references = new Set(text.match(/\$\{[^}]*\}/g))
      assert.sameMembers([...references], [...secrets.keys()])
      assert.strictEqual(new Set(secrets.values()).size, secrets.size)
      for (const [name, secret] of secrets) {
        assert.isAtLeast(secret.length, 40, name)
        for (const told of [text, stdout, stderr]) assert.notInclude(told, secret, name)
      }
      assert.strictEqual(statSync(here.env).mode & 0o777, 0o600)
      assert.include(stdout, `set -a; . ${here.env}; set +a; npx wcs-conformance run -p ${here.out}`)
      assert.strictEqual(profile.name, "localhost:8443")
      // Bearer tokens cannot create identity providers, and the specification has neither sources of registers, tasks, units, messages nor answers.
      const without: ReadonlyArray<string> = [
        "identityProvider",
        "verificationSource",
        "task",
        "unit",
        "message",
        "answer"
      ]
      const served = resourcesOf(NewerSurface).map(({ type }) => type)
      assert.includeMembers(
        Object.keys(profile.groups),
        served.filter((type) => !without.includes(type))
      )

      const asJson = yield* profiled(here, "--json", "--url", "https://127.0.0.1:9443", "--name", "staging")
      for (const secret of asJson.secrets.values()) assert.notInclude(asJson.stdout, secret)
      const { name, newer, principals, resolve } = asJson.profile
      assert.deepStrictEqual(newer, { tenantBaseUrl: "https://127.0.0.1:9443", plainHttpUrl: "http://127.0.0.1:9443" })
      assert.deepStrictEqual([name, resolve], ["staging", { "other.localhost": "127.0.0.1" }])
      const printed = yield* profiled(here, "--print-env")
      for (const secret of printed.secrets.values()) assert.include(printed.stdout, secret)
      const server = yield* serving(here.environment)
      assert.strictEqual(yield* statusOf(server, asJson.secretOf(principals.personalToken)), 200)
    })
  )

  it.live(
    "AUT-12, OAU-13: creates new principals in a second run, and revokes exactly those of all runs with --revoke",
    () =>
      Effect.gen(function* () {
        const here = yield* place
        const server = yield* serving(here.environment)
        const kept = yield* inProcess(["admin", "create-client", "--name", "conformance", "--json"], here.environment)
        const first = yield* profiled(here, "--json")
        const [noReceiver, ...notes] = JSON.parse(first.stdout).notes
        assert.match(noReceiver, /^The server sends no webhooks to this machine, so the profile has no receiver/)
        assert.deepStrictEqual(notes, [])
        appendFileSync(here.env, "CONF_OF_ANOTHER_COMMAND=kept\n")
        const second = yield* profiled(here, "--json")
        assert.strictEqual(second.secretOf("${CONF_OF_ANOTHER_COMMAND}"), "kept")
        assert.strictEqual(second.secrets.size, first.secrets.size + 1)
        assert.match(JSON.parse(second.stdout).notes.join(), /secrets\.env keeps its other lines \(1\)/)
        assert.match(
          JSON.parse(second.stdout).notes.join(),
          /\b\d+ tokens, clients and logins of earlier runs stay valid\b/
        )
        const living = [first, second].map((made) => made.secretOf(made.profile.principals.personalToken))
        assert.strictEqual(new Set(living).size, 2)
        for (const token of living) assert.strictEqual(yield* statusOf(server, token), 200)
        const loggedIn = yield* logIn(server, second, second.profile.legacy.user)
        const tenants = yield* inProcess(["admin", "list-tenants", "--json"], here.environment)
        assert.strictEqual(JSON.parse(tenants.stdout).tenants.length, 2)

        const revoked = yield* inProcess(["conformance-profile", "--revoke", "--json"], here.environment)
        assert.deepStrictEqual([revoked.code, revoked.stderr], [0, ""])
        for (const token of living) assert.strictEqual(yield* statusOf(server, token), 401)
        for (const authorization of [loggedIn, basicOf(second, second.profile.legacy.user)]) {
          assert.strictEqual(yield* legacyStatus(server, "/users/me", authorization), 401)
        }
        const admin = second.profile.principals.admin.oauth
        const ended = yield* grant(server, { ...admin, clientSecret: second.secretOf(admin.clientSecret) })
        assert.strictEqual(ended.status, 401)
        assert.strictEqual((yield* grant(server, JSON.parse(kept.stdout))).status, 200)
        const again = yield* inProcess(["conformance-profile", "--revoke", "--json"], here.environment)
        assert.deepStrictEqual(JSON.parse(again.stdout), { revokedTokens: 0, revokedClients: 0, deactivatedUsers: 0 })
      })
  )
})
