import { assert, describe, it, layer } from "@effect/vitest"
import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { GuardOf, guard, unguarded } from "@wcs/api/Guard"
import { ByBasic, ByBasicOrBearer, ByBearer, CheckLegacyParameters } from "@wcs/api/legacy/LegacyMiddleware"
import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import { Authenticate, Authorize, CheckParameters, LimitRate, ResolveTenant } from "@wcs/api/Middleware"
import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { everyCall } from "@wcs/api/WireError"
import * as Authorization from "@wcs/domain/access/Privilege"
import { handlersOf, routesOf, type Step } from "@wcs/http/pipeline/Endpoints"
import * as Routes from "@wcs/http/Routes"
import { Effect, Record, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Deployment from "./Deployment.ts"
import { callOf } from "./Requests.ts"

/** Returns endpoints without a guard that are not in `unguarded`. */
const unguardedIn = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<string> =>
  endpoints.filter(({ guard, name }) => guard === undefined && !unguarded.includes(name)).map(({ name }) => name)

/** The middleware of an endpoint, in order (DECISIONS.md#access). */
const steps = [ResolveTenant, Authenticate, LimitRate, Authorize, CheckParameters].map(({ key }) => key)
const stepsOfTheTokenEndpoint = [ResolveTenant].map(({ key }) => key)

/** Returns endpoints with missing or unordered middleware. */
const misplacedIn = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<string> =>
  endpoints
    .filter(({ middleware, name }) => {
      const due = unguarded.includes(name) ? stepsOfTheTokenEndpoint : steps
      return middleware.join() !== due.join()
    })
    .map(({ name }) => name)

/** The public paths outside both surfaces. */
const documents = ["jwks.json", "oauth-authorization-server"]
  .map((name) => `GET /.well-known/${name}`)
  .concat("GET /docs", "GET /openapi.json")

const open = HttpApiEndpoint.get("open", "/open", {
  success: Schema.Struct({ secret: Schema.String }),
  error: everyCall
})
const guarded = HttpApiEndpoint.get("guarded", "/guarded", {
  success: Schema.Struct({ secret: Schema.String }),
  error: everyCall
}).annotate(GuardOf, guard("worker", "READ"))

/** A surface with an endpoint without a guard. */
class Planted extends HttpApi.make("planted").add(
  HttpApiGroup.make("planted")
    .add(open, guarded)
    .middleware(CheckParameters)
    .middleware(Authorize)
    .middleware(LimitRate)
    .middleware(Authenticate)
    .middleware(ResolveTenant)
    .prefix(`${newerRoot}/planted`)
) {}

/** A surface with an endpoint without middleware. */
class Bare extends HttpApi.make("bare").add(HttpApiGroup.make("bare").add(guarded)) {}
class Disordered extends HttpApi.make("disordered").add(
  HttpApiGroup.make("disordered")
    .add(guarded)
    .middleware(CheckParameters)
    .middleware(LimitRate)
    .middleware(Authorize)
    .middleware(Authenticate)
    .middleware(ResolveTenant)
) {}

/** What a caller must be allowed to do with workers, for the operations on imports of them. */
const ofWorkers: Readonly<Record<string, ReadonlyArray<Authorization.Operation>>> = {
  "credentials.decidable": ["READ"],
  "bans.decidable": ["READ"],
  "imports.list": ["READ"],
  "imports.read": ["READ"],
  "imports.rows": ["READ"],
  "imports.remove": ["READ"],
  "imports.create": ["READ", "CREATE", "UPDATE"],
  "imports.check": ["READ"],
  "imports.run": ["READ", "CREATE", "UPDATE"],
  "imports.undo": ["READ", "UPDATE", "DELETE"],
  "imports.stop": ["READ"]
}

/** The privileges of a merge besides those on workers. */
const movedByMerge = (["credential", "exemption", "captureRequest"] as const).map((entityType) => ({
  ...{ entityType, operation: "UPDATE" as const }
}))
const ofMerge: Readonly<Record<string, ReadonlyArray<Authorization.Privilege>>> = {
  "merges.merge": movedByMerge,
  "merges.undo": movedByMerge,
  "answers.document": [{ entityType: "credential", operation: "READ" }],
  "answers.approve": (["READ", "CREATE", "UPDATE"] as const).map((operation) => ({
    entityType: "credential",
    operation
  }))
}

/** The groups whose names differ from their entity types (§4.2; DECISIONS.md#fields). */
const otherEntityTypes: Readonly<Record<string, Authorization.EntityType>> = {
  credentialTypes: "credential",
  scans: "credential",
  documents: "credential",
  duplicates: "worker",
  merges: "worker",
  recruitmentChecks: "credentialCheck",
  fetchRequests: "captureRequest"
}

/** The privileges of answers that are derived from several entity types. */
const derived: Readonly<Record<string, ReadonlyArray<Authorization.PrivilegeName>>> = {
  "complianceChecks.evaluate": ["complianceCheck:READ", "worker:READ", "credential:READ", "ban:READ"],
  "complianceChecks.matrix": ["complianceCheck:READ", "worker:READ", "credential:READ", "ban:READ"],
  "reports.verifications": ["worker:READ", "credential:READ"],
  "workers.proof": ["complianceCheck:READ", "worker:READ", "credential:READ", "ban:READ", "exemption:READ"]
}

describe("threat 4: the contract", () => {
  const endpoints = endpointsOf(NewerSurface)

  it("has a guard on every endpoint, except those in `unguarded`", () => {
    assert.deepStrictEqual(unguardedIn(endpoints), [])
    assert.deepStrictEqual(unguardedIn(endpointsOf(Planted)), ["planted.open"])
  })

  it("has only the token endpoint in `unguarded`", () => {
    assert.deepStrictEqual(unguarded, ["oauth.token"])
    assert.include(
      endpoints.map(({ name }) => name),
      "oauth.token"
    )
  })

  it("has no privileges only on access tokens, sessions, /me, its messages, notes and changes", () => {
    const judgedWithin = endpoints.filter(({ guard }) => guard !== undefined && "judgedWithin" in guard)
    assert.deepStrictEqual(
      judgedWithin.map(({ name }) => name),
      [
        "changes.list",
        ...["accessTokens.list", "accessTokens.create", "accessTokens.read", "accessTokens.remove"],
        ...["sessions.list", "sessions.read", "sessions.remove", "me.read"],
        ...["messages.own", "messages.setOwn"],
        ...["notes.list", "notes.write", "notes.remove", "notes.mentions", "notes.caretaker", "notes.setCaretaker"]
      ]
    )
    for (const { guard, name } of endpoints) {
      if (guard !== undefined && !("judgedWithin" in guard)) assert.isNotEmpty(guard.privileges, name)
    }
  })

  it("has every middleware in order: host, token, limit, privilege, body", () => {
    assert.deepStrictEqual(misplacedIn(endpoints), [])
    assert.deepStrictEqual(misplacedIn(endpointsOf(Bare)), ["bare.guarded"])
    assert.deepStrictEqual(misplacedIn(endpointsOf(Disordered)), ["disordered.guarded"])
  })

  it("has every middleware in order on the legacy surface: host, caller, parameters", () => {
    const gates: Readonly<Record<string, string>> = {
      "legacy.me": ByBasicOrBearer.key,
      "legacy.token": ByBasic.key,
      "legacy.organization": ByBearer.key,
      "legacy.constituents": ByBearer.key,
      "legacy.constituent": ByBearer.key,
      "legacy.scan": ByBearer.key
    }
    const found = Object.fromEntries(endpointsOf(LegacySurface).map(({ middleware, name }) => [name, middleware]))
    assert.deepStrictEqual(
      found,
      Record.map(gates, (gate) => [ResolveTenant.key, gate, CheckLegacyParameters.key])
    )
  })

  it("requires only privileges that exist", () => {
    const names = endpoints.flatMap(({ guard }) => guard?.privileges.map(Authorization.nameOf) ?? [])
    assert.isAtLeast(names.length, 23)
    for (const name of names) assert.include(Authorization.everyPrivilege, name)
  })

  it("requires the operation of §4.2 for methods, UPDATE for actions, DELETE to undo a delete, and READ of every source for derived answers", () => {
    for (const { guard, method, name, path } of endpoints) {
      if (guard === undefined || "judgedWithin" in guard) continue
      const sources = derived[name]
      if (sources !== undefined) {
        assert.deepStrictEqual(guard.privileges.map(Authorization.nameOf), sources)
        assert.strictEqual(guard.tier, "intensive")
        continue
      }
      const isAction =
        /\/(link|unlink|transfer|verify|review|notices|decisions|rotate|enable|disable|ping|redrive|resend|remind|cancel|activate|invite|reset-second-factor|verify-domains|pause|resume|test|check|run|undo|stop|assign|dismiss|merge|preview|sample|approve|reject)$/.test(
          path
        )
      // the cells of an import are the raw file
      const expected =
        isAction || name === "imports.rows" || (name.startsWith("documents.") && method !== "GET")
          ? "UPDATE"
          : name.endsWith(".restore")
            ? "DELETE"
            : Authorization.operationOfMethod(method as "GET" | "POST" | "PATCH" | "PUT" | "DELETE")
      const [group = ""] = name.split(".")
      const isReview = /^(credentials\.(review|notices|decisions)|bans\.decisions)$/.test(name)
      const entityType = isReview
        ? "verification"
        : name === "users.requireFactors" // decides who can log in, as the settings of a provider do
          ? "identityProvider"
          : (otherEntityTypes[group] ?? (group.slice(0, -1) as Authorization.EntityType))
      const read = (entityType: Authorization.EntityType) => ({ entityType, operation: "READ" }) as const
      const engaged = name.endsWith(".decisions") ? [read("worker")] : []
      const told = isReview
        ? [read(group === "bans" ? "ban" : "credential"), ...engaged]
        : [
            ...(ofMerge[name] ?? []),
            ...(ofWorkers[name] ?? []).map((each) => ({ entityType: "worker", operation: each }) as const)
          ]
      assert.deepStrictEqual(guard.privileges, [{ entityType, operation: expected }, ...told])
      assert.strictEqual(
        guard.tier,
        /\.(bulk|verify$|verifyDomains$|ping$|redrive$|erase$)|^duplicates\.list$|^documents\.create$|^imports\.(create|check|run|undo)$|^verificationSources\.(test|monitoring)$|^webhooks\.operation$|^identityProviders\.(create|patch|replace)$/.test(
          name
        )
          ? "intensive"
          : "standard",
        name
      )
    }
  })
})

/** The login pages, and the page on which people answer. They need no token. Other tests cover their own rules. */
const loginPages = [
  ...["/login", "/login/code", "/login/enrol", "/login.css", "/account"].map((path) => `GET ${path}`),
  ...["/login", "/login/code", "/login/recovery", "/login/enrol", "/login/confirm"].map((path) => `POST ${path}`),
  ...["GET /invite/:secret", "POST /invite/:secret", "GET /answer/:secret", "POST /answer/:secret"],
  ...["/logout", "/account/sessions/end", "/account/step-up", "/account/password"].map((path) => `POST ${path}`),
  ...["/account/second-factor", "/account/second-factor/confirm", "/account/recovery-codes"].map(
    (path) => `POST ${path}`
  ),
  ...["/login/sso", "/saml/:id/login", "/saml/:id/test", "/saml/:id/metadata"].map((path) => `GET ${path}`),
  ...["/oidc/:id/login", "/oidc/:id/test", "/oidc/:id/callback"].map((path) => `GET ${path}`),
  "POST /saml/:id/acs"
]

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("threat 4: the router", (it) => {
  it.effect("has only the routes of the contract and the documents", () =>
    Effect.gen(function* () {
      const routes = yield* Routes.make
      const seen = routes.map(({ method, path }) => `${method} ${path}`)
      const endpoints = [...endpointsOf(NewerSurface), ...endpointsOf(LegacySurface)]
      const contract = endpoints.map(({ method, path }) => `${method} ${path}`)
      assert.sameMembers(seen, [...contract, ...documents, ...loginPages])
    })
  )

  it.effect("ENV-08: refuses a repeated query parameter before the body is read", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const answer = yield* Deployment.call({
        method: "POST",
        path: `${newerRoot}/compliance-checks/none/evaluate?pageSize=1&pageSize=2`,
        token: yield* tokenOf("Super Admin"),
        headers: { "content-type": "application/json" },
        body: "{"
      })
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, '"message":"pageSize ')
    })
  )
})

describe("threat 4: the start", () => {
  const pass: Step = () => () => Effect.void
  const known = new Map(steps.map((key) => [key, pass]))
  const answer = () => Effect.succeed(HttpServerResponse.empty())
  const handlers = handlersOf(Planted, "planted", { open: answer, guarded: answer })
  const [planted, fine] = endpointsOf(Planted)

  it("fails for an endpoint whose guard no step checks", () => {
    const guarded = fine === undefined ? [] : [fine]
    const unchecked = guarded.map((endpoint) => ({
      ...endpoint,
      middleware: endpoint.middleware.filter((key) => key !== Authorize.key)
    }))
    const message = "the endpoint planted.guarded has a guard that no step checks"
    assert.throws(() => routesOf(unchecked, known, handlers), message)
  })

  it("fails for an endpoint without a guard", () => {
    assert.strictEqual(planted?.name, "planted.open")
    assert.throws(() => routesOf(endpointsOf(Planted), known, handlers), "the endpoint planted.open has no guard")
  })

  it("fails for an endpoint without a handler, and for a step that nobody implements", () => {
    const guarded = fine === undefined ? [] : [fine]
    assert.lengthOf(routesOf(guarded, known, handlers), 1)
    assert.throws(() => routesOf(guarded, known, new Map()), "the endpoint planted.guarded has no handler")
    const incomplete = new Map([...known].filter(([key]) => key !== Authorize.key))
    assert.throws(
      () => routesOf(guarded, incomplete, handlers),
      `the endpoint planted.guarded has the unknown step ${Authorize.key}`
    )
  })
})

describe("the steps of an endpoint", () => {
  it.effect("run once each, in order, before the handler", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const noted = (name: string) => Effect.sync(() => void ran.push(name))
      const recorded = new Map(steps.map((key): [string, Step] => [key, () => () => noted(key)]))
      const answer = () => Effect.as(noted("handler"), HttpServerResponse.empty())
      const handlers = handlersOf(Planted, "planted", { open: answer, guarded: answer })
      const [route] = routesOf(
        endpointsOf(Planted).filter(({ guard }) => guard !== undefined),
        recorded,
        handlers
      )
      yield* route?.answer(callOf({ body: "" })) ?? Effect.die("there is no route")
      assert.deepStrictEqual(ran, [...steps, "handler"])
    })
  )
})
