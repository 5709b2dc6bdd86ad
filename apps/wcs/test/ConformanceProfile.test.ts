import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { resourcesOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { entityTypes, everyPrivilege } from "@wcs/domain/access/Privilege"
import { Effect, Schema } from "effect"
import { type Ask, ask, askPlainly, bearer, type Server, serving, temporaryDirectory, wcs } from "./Process.ts"

const Secret = Schema.String.check(Schema.isPattern(/^\$\{CONF_[A-Z_]+\}$/))
const Client = Schema.Struct({ clientId: Schema.String, clientSecret: Secret })
const Login = Schema.Struct({ username: Schema.String, password: Secret })
const OfClient = Schema.Struct({ oauth: Client })
const Body = Schema.Record(Schema.String, Schema.Unknown)
const Group = Schema.Struct({
  path: Schema.String,
  create: Schema.Struct({ body: Body }),
  update: Schema.Array(Schema.Struct({ method: Schema.String, path: Schema.String, body: Body })),
  delete: Schema.Struct({ method: Schema.String, path: Schema.String }),
  find: Schema.optionalKey(Schema.String)
})

/** A group whose create returns a secret. */
const IssuedGroup = Schema.Struct({
  path: Schema.String,
  create: Schema.Struct({ body: Body, secret: Schema.String }),
  delete: Schema.Struct({ method: Schema.String, path: Schema.String }),
  find: Schema.String
})

/** A read-only group. */
const ReadGroup = Schema.Struct({ path: Schema.String })

/** The schema of a complete profile, without unknown fields. */
const Profile = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.String,
    deployment: Schema.Struct({ product: Schema.String }),
    newer: Schema.Struct({ tenantBaseUrl: Schema.String, plainHttpUrl: Schema.String }),
    secondTenant: Schema.Struct({ tenantBaseUrl: Schema.String, admin: OfClient }),
    tls: Schema.Struct({ caFile: Schema.String }),
    resolve: Schema.Record(Schema.String, Schema.String),
    principals: Schema.Struct({
      admin: OfClient,
      secondClient: Client,
      revokedClient: Client,
      expiredToken: Secret,
      personalToken: Secret,
      rotated: Schema.Struct({ old: Secret, new: Secret }),
      revokedToken: Schema.Struct({ revoked: Secret, living: Secret }),
      limited: Schema.Array(
        Schema.Struct({
          token: Secret,
          reissued: Schema.optionalKey(Secret),
          privileges: Schema.Record(
            Schema.String,
            Schema.Array(Schema.Literals(["READ", "CREATE", "UPDATE", "DELETE"]))
          ),
          accountUrn: Schema.String.check(Schema.isPattern(/^urn:wcs:account:acc_\w{16}$/))
        })
      ),
      rateLimited: Schema.Struct({ token: Secret })
    }),
    legacy: Schema.Struct({
      baseUrl: Schema.String,
      user: Login,
      unverified: Login,
      withoutPermission: Schema.Struct({
        user: Login,
        call: Schema.Struct({ method: Schema.Literal("GET"), path: Schema.String })
      }),
      otherOrganization: Schema.Struct({ user: Login, baseUrl: Schema.String, path: Schema.String }),
      expiredToken: Secret,
      revokedToken: Secret,
      scan: Schema.Struct({
        type: Schema.String,
        identifier: Schema.String,
        first_name: Schema.String,
        surname: Schema.String
      }),
      tokenLifetimeSeconds: Schema.Int
    }),
    groups: Schema.StructWithRest(Schema.Struct({ worker: Group }), [
      Schema.Record(Schema.String, Schema.Union([Group, IssuedGroup, ReadGroup]))
    ]),
    ownership: Schema.Struct({ link: Body, unlink: Body, bulkLink: Body }),
    sort: Schema.Struct({
      path: Schema.String,
      parameter: Schema.String,
      known: Schema.String,
      unknown: Schema.String
    }),
    signingSecret: Schema.Struct({ create: Schema.String, rotate: Schema.String }),
    signature: Schema.Struct({
      header: Schema.String,
      form: Schema.String,
      algorithm: Schema.String,
      encoding: Schema.String,
      signed: Schema.String,
      headers: Schema.Record(Schema.String, Schema.String),
      key: Schema.Struct({ prefix: Schema.String, encoding: Schema.String })
    }),
    redrive: Schema.Struct({ method: Schema.String, path: Schema.String, body: Body, of: Schema.String }),
    verifiableCredential: Schema.Struct({ body: Body }),
    subscribedWebhook: Schema.Struct({ body: Body }),
    derivedReads: Schema.Array(
      Schema.Struct({
        method: Schema.String,
        path: Schema.String,
        body: Schema.optionalKey(Body),
        tellsOf: Schema.Array(Schema.String)
      })
    ),
    businessRule: Schema.Struct({
      method: Schema.String,
      path: Schema.String,
      body: Body,
      allowedBody: Body
    }),
    audit: Schema.Struct({ path: Schema.String, actor: Schema.String }),
    bulkFetchRequest: Schema.Struct({ path: Schema.String, body: Body }),
    oauthLifetimeSeconds: Schema.Int,
    notOffered: Schema.Array(Schema.String),
    run: Schema.Struct({ ceiling: Schema.Literal("exhaust") })
  })
)

const decode = Schema.decodeUnknownSync(Profile, { onExcessProperty: "error" })

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
  const ended = yield* wcs(["conformance-profile", "--out", out, "--env", env, ...args], environment)
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

const root = "/openapi/v1"
const jsonHeader = { "content-type": "application/json" }

const call = (server: Server, token: string, path: string, { body, headers, ...rest }: Ask = {}) =>
  ask(server, `${root}${path}`, {
    ...rest,
    ...(body === undefined ? {} : { body }),
    headers: { ...bearer(token), ...(body === undefined ? {} : jsonHeader), ...headers }
  })

const statusOf = (server: Server, token: string) => Effect.map(call(server, token, "/workers"), ({ status }) => status)

const grant = (server: Server, { clientId, clientSecret }: typeof Client.Type, headers: Ask["headers"] = {}) =>
  ask(server, `${root}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret
    }).toString()
  })

/** Gets a token for an OAuth client of the profile. */
const tokenOf = Effect.fnUntraced(function* (server: Server, made: Profiled, client: typeof Client.Type) {
  const clientSecret = made.secretOf(client.clientSecret)
  const answer = yield* grant(server, { ...client, clientSecret })
  assert.strictEqual(answer.status, 200, answer.text)
  const token: string = JSON.parse(answer.text).access_token
  return token
})

/** Fills in a template like the suite. Fields without a value are dropped. */
const fill = (template: unknown, values: Readonly<Record<string, unknown>>): unknown => {
  if (typeof template === "string") {
    const whole = /^\{\{(\w+)\}\}$/.exec(template)?.[1]
    return whole === undefined
      ? template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]))
      : values[whole]
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, values))
  if (typeof template !== "object" || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, fill(inner, values)]))
}

const json = (template: unknown, values: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify(fill(template, values))

const assertPrincipals = Effect.fnUntraced(function* (server: Server, made: Profiled) {
  const { principals, secondTenant } = made.profile
  const { secretOf } = made
  // Checked first: the token has expired when the command ends.
  assert.strictEqual(yield* statusOf(server, secretOf(principals.expiredToken)), 401)
  const admin = yield* tokenOf(server, made, principals.admin.oauth)
  assert.strictEqual(yield* statusOf(server, admin), 200)
  assert.strictEqual(yield* statusOf(server, yield* tokenOf(server, made, principals.secondClient)), 200)
  const { clientId, clientSecret } = principals.revokedClient
  assert.strictEqual((yield* grant(server, { clientId, clientSecret: secretOf(clientSecret) })).status, 401)

  const expected = [
    [principals.personalToken, 200],
    [principals.rotated.old, 200],
    [principals.rotated.new, 200],
    [principals.revokedToken.revoked, 401],
    [principals.revokedToken.living, 200]
  ] as const
  for (const [name, status] of expected) assert.strictEqual(yield* statusOf(server, secretOf(name)), status, name)

  // On the host of the second tenant, which the certificate includes, only its own client works.
  const headers = { host: new URL(secondTenant.tenantBaseUrl).host }
  const other = { ...secondTenant.admin.oauth, clientSecret: secretOf(secondTenant.admin.oauth.clientSecret) }
  assert.strictEqual((yield* grant(server, other, headers)).status, 200)
  assert.strictEqual((yield* grant(server, other)).status, 401)
})

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

const assertLegacy = Effect.fnUntraced(function* (server: Server, made: Profiled) {
  const { expiredToken, otherOrganization, revokedToken, scan, unverified, user, withoutPermission } =
    made.profile.legacy
  for (const name of [expiredToken, revokedToken]) {
    assert.strictEqual(yield* legacyStatus(server, "/users/me", `Bearer ${made.secretOf(name)}`), 401, name)
  }
  const all = yield* logIn(server, made, user)
  const scanned = { method: "POST", body: json(scan, { unique: "conf-1" }) } as const
  assert.strictEqual(yield* legacyStatus(server, "/scan", all, scanned), 200)
  assert.strictEqual(yield* legacyStatus(server, "/organizations/me", yield* logIn(server, made, unverified)), 403)
  const least = yield* logIn(server, made, withoutPermission.user)
  assert.strictEqual(yield* legacyStatus(server, "/organizations/me", least), 200)
  for (const [who, status] of [[least, 403] as const, [all, 200] as const]) {
    assert.strictEqual(yield* legacyStatus(server, withoutPermission.call.path, who), status)
  }
  const token = made.secretOf(made.profile.principals.personalToken)
  const body = json(made.profile.groups.worker.create.body, { name: "Ann", unique: "conf-legacy" })
  const worker = JSON.parse((yield* call(server, token, "/workers", { method: "POST", body })).text).data.id
  const path = otherOrganization.path.replace("{{worker}}", worker)
  const headers = { host: new URL(otherOrganization.baseUrl).host }
  const other = yield* logIn(server, made, otherOrganization.user, headers)
  assert.strictEqual(yield* legacyStatus(server, path, all), 200)
  assert.strictEqual(yield* legacyStatus(server, path, other, { headers }), 403)
})

/** Checks that the limited principals are complete and have exactly their privileges on workers. */
const assertLimited = Effect.fnUntraced(function* (server: Server, { profile, secretOf }: Profiled) {
  const { limited } = profile.principals
  const granted = limited.map(({ privileges }) =>
    Object.entries(privileges).flatMap(([type, operations]) => operations.map((operation) => `${type}:${operation}`))
  )
  for (const type of entityTypes) {
    const all = everyPrivilege.filter((privilege) => privilege.startsWith(`${type}:`))
    for (const privilege of all) assert.deepInclude(granted, [privilege])
    assert.deepInclude(granted, all)
  }
  assert.deepInclude(granted, [])
  assert.deepInclude(
    granted,
    everyPrivilege.filter((privilege) => privilege.endsWith(":READ"))
  )
  assert.isAtLeast(limited.filter(({ reissued }) => reissued !== undefined).length, 1)

  const nobody = `/workers/wkr_${"0".repeat(16)}`
  const calls = [
    ["READ", nobody, { method: "GET" }],
    ["CREATE", "/workers", { method: "POST", body: "{}" }],
    ["UPDATE", nobody, { method: "PATCH", body: "{}" }],
    ["DELETE", nobody, { method: "DELETE" }]
  ] as const
  yield* Effect.forEach(
    limited.flatMap((one) => calls.map((tried) => [one, tried] as const)),
    ([{ accountUrn, privileges, reissued, token }, [operation, path, options]]) =>
      Effect.gen(function* () {
        for (const name of reissued === undefined ? [token] : [token, reissued]) {
          const answer = yield* call(server, secretOf(name), path, options)
          const isAllowed = privileges["worker"]?.includes(operation) === true
          const expected = isAllowed ? (operation === "CREATE" ? 400 : 404) : 403
          assert.strictEqual(answer.status, expected, `${name} ${operation}`)
          if (!isAllowed) assert.include(answer.text, `${accountUrn} is unauthorized to ${operation} workers.`)
        }
      }),
    { concurrency: 8 }
  )
})

/** Creates, finds, changes and deletes a resource with the templates of its group. Returns the statuses. */
const liveOnce = Effect.fnUntraced(function* (
  server: Server,
  token: string,
  group: typeof Group.Type | typeof IssuedGroup.Type,
  values: Readonly<Record<string, string>>
) {
  const { create, delete: end, find, path } = group
  const made = yield* call(server, token, path, { method: "POST", body: json(create.body, values) })
  const id: string = JSON.parse(made.text).data?.id
  const changed = yield* Effect.forEach("update" in group ? group.update : [], ({ body, method, path }) =>
    call(server, token, path.replace("{{id}}", id), { method, body: json(body, { ...values, id }) })
  )
  if (find !== undefined) {
    const found = yield* call(server, token, find.replace("{{unique}}", values["unique"] ?? ""))
    assert.strictEqual(JSON.parse(found.text).data[0]?.id, id)
  }
  const ended = yield* call(server, token, end.path.replace("{{id}}", id), { method: end.method })
  return [made, ...changed, ended].map(({ status }) => status)
})

type Filling = Readonly<Record<string, unknown>>

const assertTemplates = Effect.fnUntraced(function* (server: Server, { profile, secretOf }: Profiled) {
  const { audit, bulkFetchRequest, businessRule, groups, newer, ownership, sort } = profile
  const token = secretOf(profile.principals.personalToken)
  const made = Effect.fnUntraced(function* (group: (typeof groups)[string] | undefined, values: Filling) {
    if (group === undefined || !("create" in group)) return assert.fail("a group is missing")
    const answer = yield* call(server, token, group.path, { method: "POST", body: json(group.create.body, values) })
    const id: string = JSON.parse(answer.text).data.id
    return id
  })
  const first = { name: "Conformance conf-1", unique: "conf-1", email: "conf-1@example.org" }
  const worker = yield* made(groups.worker, first)
  const parts = {
    applicant: yield* made(groups["applicant"], first),
    screeningPackage: yield* made(groups["screeningPackage"], first)
  }
  const receiver = "https://receiver.invalid/conf-2"
  const values = {
    name: "Conformance conf-2",
    unique: "conf-2",
    email: "conf-2@example.org",
    receiver,
    worker,
    ...parts
  }
  // Bearer tokens cannot create identity providers.
  const served = resourcesOf(NewerSurface).filter(({ type }) => type !== "identityProvider")
  assert.includeMembers(
    Object.keys(groups),
    served.map(({ type }) => type)
  )
  for (const group of Object.values(groups)) {
    if ("create" in group) {
      const changed = "update" in group ? [200, 200] : []
      assert.deepStrictEqual(yield* liveOnce(server, token, group, values), [201, ...changed, 204], group.path)
    } else {
      assert.strictEqual((yield* call(server, token, group.path)).status, 200, group.path)
    }
  }

  const post = (path: string, body: string) => call(server, token, path, { method: "POST", body })
  const broken = yield* call(server, token, businessRule.path, {
    method: businessRule.method,
    body: json(businessRule.body)
  })
  assert.deepStrictEqual([broken.status, JSON.parse(broken.text).error.code], [422, "UNPROCESSABLE"])
  const allowed = yield* post(businessRule.path, json(businessRule.allowedBody, { worker }))
  assert.strictEqual(allowed.status, 201)
  const credential: string = JSON.parse(allowed.text).data.id
  const reference = { type: "worker", id: worker }
  assert.strictEqual((yield* post(`/credentials/${credential}/link`, json(ownership.link, reference))).status, 200)
  // Unlinking the last owner is refused, which shows that the body is valid.
  assert.strictEqual((yield* post(`/credentials/${credential}/unlink`, json(ownership.unlink, reference))).status, 422)
  const bulk = json(ownership.bulkLink, { to: reference, credentialIds: [credential] })
  assert.strictEqual((yield* post("/credentials/link", bulk)).status, 200)

  const asked = { worker, nobody: `wkr_${"0".repeat(16)}`, unique: "conf-3" }
  const many = yield* post(bulkFetchRequest.path, json(bulkFetchRequest.body, asked))
  assert.deepStrictEqual([many.status, JSON.parse(many.text).meta.failed], [200, 1])
  const history = yield* call(server, token, audit.path.replace("{{id}}", worker))
  assert.isString(JSON.parse(history.text).data[0][audit.actor])

  const sorted = (value: string) => call(server, token, `${sort.path}?${sort.parameter}=${value}`)
  assert.strictEqual((yield* sorted(sort.known)).status, 200)
  assert.strictEqual((yield* sorted(sort.unknown)).status, 400)
  const plain = yield* askPlainly(Number(new URL(newer.plainHttpUrl).port), `${root}/workers`)
  assert.strictEqual(plain.status, 400)
})

describe("wcs conformance-profile", () => {
  it.live(
    "AUT-02, AUT-12, OAU-13, PRV-02, PRV-10, LEG-17, LEG-19..22: creates principals with the privileges of the profile on a running server",
    () =>
      Effect.gen(function* () {
        const here = yield* place
        const server = yield* serving(here.environment)
        const made = yield* profiled(here)
        const { legacy, newer, oauthLifetimeSeconds, resolve, secondTenant, tls } = made.profile
        assert.deepStrictEqual(newer, {
          tenantBaseUrl: `https://localhost:${server.port}`,
          plainHttpUrl: `http://localhost:${server.port}`
        })
        assert.strictEqual(secondTenant.tenantBaseUrl, `https://other.localhost:${server.port}`)
        assert.deepStrictEqual(resolve, { localhost: "127.0.0.1", "other.localhost": "127.0.0.1" })
        assert.deepStrictEqual([legacy.baseUrl, legacy.tokenLifetimeSeconds], [newer.tenantBaseUrl, 30 * 24 * 3600])
        assert.deepStrictEqual([tls.caFile, oauthLifetimeSeconds], ["data/tls-cert.pem", 3600])
        yield* assertPrincipals(server, made)
        yield* assertLegacy(server, made)
        yield* assertLimited(server, made)
      })
  )

  it.live("WRK-05, CRD-07: writes valid templates and a request that breaks a business rule", () =>
    Effect.gen(function* () {
      const here = yield* place
      const server = yield* serving({ ...here.environment, WCS_PLAIN_PORT: "0" })
      const made = yield* profiled(here)
      assert.strictEqual(made.profile.newer.plainHttpUrl, `http://localhost:${server.plainPort}`)
      yield* assertTemplates(server, made)
    })
  )

  it.live("RTL-04, RTL-05: gives only one principal a limit below ten calls", () =>
    Effect.gen(function* () {
      const here = yield* place
      const server = yield* serving(here.environment)
      const { profile, secretOf } = yield* profiled(here)
      const token = secretOf(profile.principals.rateLimited.token)
      // More parallel calls than two windows allow, so some must be refused.
      const answers = yield* Effect.replicateEffect(call(server, token, "/workers"), 30, { concurrency: "unbounded" })
      const refused = answers.filter(({ status }) => status === 429)
      assert.isNotEmpty(refused)
      assert.deepStrictEqual([...new Set(answers.map(({ headers }) => headers["x-ratelimit-limit"]))], ["10"])
      for (const { headers } of refused) assert.isAtMost(Number(headers["retry-after"]), 2)
      assert.strictEqual(yield* statusOf(server, secretOf(profile.principals.personalToken)), 200)
    })
  )

  it.live("threat 9: writes secrets only to the env file, which only its owner can read", () =>
    Effect.gen(function* () {
      const here = yield* place
      const { profile, secrets, stderr, stdout, text } = yield* profiled(here)
      const references = new Set(text.match(/\$\{[^}]*\}/g))
      assert.sameMembers([...references], [...secrets.keys()])
      assert.strictEqual(new Set(secrets.values()).size, secrets.size)
      for (const [name, secret] of secrets) {
        assert.isAtLeast(secret.length, 40, name)
        for (const told of [text, stdout, stderr]) assert.notInclude(told, secret, name)
      }
      assert.strictEqual(statSync(here.env).mode & 0o777, 0o600)
      assert.include(stdout, `set -a; . ${here.env}; set +a; wcs-conformance run -p ${here.out}`)
      assert.strictEqual(profile.name, "localhost:8443")

      const asJson = yield* profiled(here, "--json")
      for (const secret of asJson.secrets.values()) assert.notInclude(asJson.stdout, secret)
      const printed = yield* profiled(here, "--print-env")
      for (const secret of printed.secrets.values()) assert.include(printed.stdout, secret)
    })
  )

  it.live("works on the store without a server, which a later server serves", () =>
    Effect.gen(function* () {
      const here = yield* place
      const made = yield* profiled(here, "--url", "https://127.0.0.1:9443", "--name", "staging")
      const { name, newer, principals, resolve } = made.profile
      assert.deepStrictEqual(newer, { tenantBaseUrl: "https://127.0.0.1:9443", plainHttpUrl: "http://127.0.0.1:9443" })
      assert.deepStrictEqual([name, resolve], ["staging", { "other.localhost": "127.0.0.1" }])
      const server = yield* serving(here.environment)
      assert.strictEqual(yield* statusOf(server, made.secretOf(principals.personalToken)), 200)
    })
  )

  it.live(
    "AUT-12, OAU-13: creates new principals in a second run, and revokes exactly those of all runs with --revoke",
    () =>
      Effect.gen(function* () {
        const here = yield* place
        const server = yield* serving(here.environment)
        const kept = yield* wcs(["admin", "create-client", "--name", "conformance", "--json"], here.environment)
        const first = yield* profiled(here, "--json")
        const [noReceiver, ...notes] = JSON.parse(first.stdout).notes
        assert.match(noReceiver, /^The server sends no webhooks to this machine, so the profile has no receiver/)
        assert.deepStrictEqual(notes, [])
        const second = yield* profiled(here, "--json")
        assert.match(
          JSON.parse(second.stdout).notes.join(),
          /\b\d+ tokens, clients and logins of earlier runs stay valid\b/
        )
        const living = [first, second].map((made) => made.secretOf(made.profile.principals.personalToken))
        assert.strictEqual(new Set(living).size, 2)
        for (const token of living) assert.strictEqual(yield* statusOf(server, token), 200)
        const loggedIn = yield* logIn(server, second, second.profile.legacy.user)
        const tenants = yield* wcs(["admin", "list-tenants", "--json"], here.environment)
        assert.strictEqual(JSON.parse(tenants.stdout).tenants.length, 2)

        const revoked = yield* wcs(["conformance-profile", "--revoke", "--json"], here.environment)
        assert.deepStrictEqual([revoked.code, revoked.stderr], [0, ""])
        for (const token of living) assert.strictEqual(yield* statusOf(server, token), 401)
        for (const authorization of [loggedIn, basicOf(second, second.profile.legacy.user)]) {
          assert.strictEqual(yield* legacyStatus(server, "/users/me", authorization), 401)
        }
        const admin = second.profile.principals.admin.oauth
        const ended = yield* grant(server, { ...admin, clientSecret: second.secretOf(admin.clientSecret) })
        assert.strictEqual(ended.status, 401)
        assert.strictEqual((yield* grant(server, JSON.parse(kept.stdout))).status, 200)
        const again = yield* wcs(["conformance-profile", "--revoke", "--json"], here.environment)
        assert.deepStrictEqual(JSON.parse(again.stdout), { revokedTokens: 0, revokedClients: 0, deactivatedUsers: 0 })
      })
  )
})
