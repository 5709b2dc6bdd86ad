import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { Effect } from "effect"
import {
  type Answer,
  accessToken,
  applicant,
  at,
  ban,
  type Call,
  client,
  credential,
  freshCode,
  grant,
  grantForm,
  identityProviderFields,
  otherHost,
  ownersOf,
  Service,
  textAt,
  tokenOf,
  webhookFields,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import * as Situations from "../Situations.ts"

const root = "/openapi/v1"
const form = { "content-type": "application/x-www-form-urlencoded" }

/** A response without the parts that may depend on the caller, the time or the requested id. */
const impersonal = (answer: Answer, of: EveryRoute.Subjects) => {
  const changing = ["date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"]
  const requestId = answer.headers["x-request-id"] ?? ""
  const text = Object.entries(of).reduce((rest, [name, id]) => rest.replaceAll(id, `<${name}>`), answer.text)
  return {
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !changing.includes(name) && name !== "content-length"),
    text: text.replaceAll(requestId, "<requestId>")
  }
}

/** Replaces all or single subjects of a call by ones from elsewhere. */
type Mixture = (own: EveryRoute.Subjects, elsewhere: EveryRoute.Subjects) => EveryRoute.Subjects
const mixtures: ReadonlyArray<Mixture> = [
  (_own, elsewhere) => elsewhere,
  (own, { worker }) => ({ ...own, worker }),
  (own, { applicant }) => ({ ...own, applicant }),
  (own, { credential, exemption, shared }) => ({ ...own, credential, exemption, shared }),
  (own, { captureRequest, credentialCheck }) => ({ ...own, captureRequest, credentialCheck }),
  (own, { ban, complianceCheck, disabledWebhook, screeningPackage, webhook }) => ({
    ...own,
    ban,
    complianceCheck,
    disabledWebhook,
    screeningPackage,
    webhook
  }),
  (own, { accessToken, apiClient }) => ({ ...own, accessToken, apiClient })
]

const namesFrom = (place: string) =>
  Object.fromEntries(
    Object.keys(EveryRoute.missing).map((name) => [name, `${place} ${name}`])
  ) as unknown as EveryRoute.Subjects

/** The mixtures in which a route's call differs, since most calls use few subjects. */
const mixturesOf = (route: Endpoint): ReadonlyArray<Mixture> => {
  const calls = new Map<string, Mixture>()
  for (const mix of mixtures) {
    const { body, path } = EveryRoute.goodCall(route, mix(namesFrom("own"), namesFrom("elsewhere")))
    const call = JSON.stringify([path, body]).replaceAll(/code-[0-9a-f-]+/g, "code")
    if (!calls.has(call) && (calls.size === 0 || call.includes("elsewhere"))) calls.set(call, mix)
  }
  return [...calls.values()]
}

const get = (path: string): Call => ({ method: "GET", path: `${root}${path}` })
const post = (path: string, body: unknown): Call => ({ method: "POST", path: `${root}${path}`, body })

/** Calls with own and foreign subjects: every route in every mixture, and everything else that names an id. */
const callsAbout: ReadonlyArray<(own: EveryRoute.Subjects, elsewhere: EveryRoute.Subjects) => Call> = [
  ...EveryRoute.routes.flatMap((route) =>
    mixturesOf(route).map(
      (mix) => (own: EveryRoute.Subjects, elsewhere: EveryRoute.Subjects) =>
        EveryRoute.goodCall(route, mix(own, elsewhere))
    )
  ),
  (_own, { worker }) => get(`/workers/${worker}?includeDeleted=true`),
  (_own, { applicant }) => get(`/applicants/${applicant}?includeDeleted=true`),
  (_own, { credential }) => get(`/credentials/${credential}?includeDeleted=true`),
  (_own, { exemption }) => get(`/exemptions/${exemption}?includeDeleted=true`),
  (_own, { credentialCheck }) => get(`/recruitment-checks/${credentialCheck}?includeDeleted=true`),
  (_own, { captureRequest }) => get(`/fetch-requests/${captureRequest}?includeDeleted=true`),
  (_own, { applicant }) => get(`/recruitment-checks?applicantId=${applicant}`),
  (_own, { screeningPackage }) => get(`/recruitment-checks?screeningPackageCode=${screeningPackage}`),
  (_own, { worker }) => get(`/fetch-requests?workerId=${worker}`),
  (_own, { complianceCheck }) => get(`/compliance-checks/${complianceCheck}?includeDeleted=true`),
  (_own, { webhook }) => get(`/webhooks/${webhook}?includeDeleted=true`),
  (_own, { accessToken }) => get(`/access-tokens/${accessToken}?includeDeleted=true`),
  (_own, { apiClient }) => get(`/api-clients/${apiClient}?includeDeleted=true`),
  (_own, { worker }) => get(`/exemptions?ownerType=worker&ownerId=${worker}`),
  (_own, { worker }) => get(`/credentials?ownerType=worker&ownerId=${worker}`),
  (_own, { applicant }) => get(`/credentials?ownerType=applicant&ownerId=${applicant}`),
  (own, elsewhere) =>
    post("/credentials/transfer", {
      from: { type: "worker", id: elsewhere.worker },
      to: { type: "worker", id: own.worker }
    }),
  (own, elsewhere) =>
    post("/credentials/link", {
      from: { type: "worker", id: elsewhere.worker },
      to: { type: "applicant", id: own.applicant }
    }),
  (own, elsewhere) =>
    post("/credentials/transfer", {
      from: { type: "worker", id: own.worker },
      to: { type: "worker", id: elsewhere.worker }
    })
]

const atOnce = <const Makers extends Readonly<Record<string, Effect.Effect<string, never, Service>>>>(makers: Makers) =>
  Effect.all(makers, { concurrency: "unbounded" })

layer(layerService())("transport, surfaces, tenancy", (it) => {
  it.effect("TRN-03: everything below /api is the legacy surface, without a version in its path", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const path of ["/api", "/api/users/me", "/api/organizations/me", "/api/v1/users/me", "/api/v1"]) {
        const answer = yield* call({ method: "GET", path, token: null })
        assert.include([401, 404], answer.status, path)
        assert.strictEqual(at(answer, "status"), answer.status, path)
        assert.isString(at(answer, "message"), path)
        assert.isUndefined(at(answer, "error"), path)
      }
      const newer = yield* call({ method: "GET", path: `${root}/nonsense` })
      assert.strictEqual(at(newer, "error.code"), "NOT_FOUND")
    })
  )

  it.effect("TRN-04: the newer surface answers below /openapi/v1 only", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      assert.strictEqual((yield* call({ method: "GET", path: `${root}/workers` })).status, 200)
      const elsewhere = [
        "",
        "/openapi",
        "/openapi/v2",
        "/openapi/v1.0",
        "/openapi/v1/v1",
        "/v1",
        "/api",
        "/api/openapi/v1"
      ]
      for (const prefix of elsewhere) {
        const answer = yield* call({ method: "GET", path: `${prefix}/workers` })
        assert.strictEqual(answer.status, 404, prefix)
        assert.isUndefined(at(answer, "data"), prefix)
      }
    })
  )

  it.effect(
    "TRN-05, threat 1: one tenant's entities are 404 on another's host, and nothing is disclosed or changed",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const of = yield* EveryRoute.subjects
        yield* call({
          method: "PATCH",
          path: `${root}/workers/${of.worker}`,
          body: { identity: { displayName: "Distinctive Name" }, source: { externalId: "trn-05" } }
        })
        const { token } = yield* tokenOf("Super Admin", true)
        const there = { host: otherHost, token }
        const reads = [
          `/workers/${of.worker}`,
          `/applicants/${of.applicant}`,
          `/credentials/${of.credential}`,
          `/exemptions/${of.exemption}`,
          `/webhooks/${of.webhook}`,
          `/recruitment-checks/${of.credentialCheck}`,
          `/fetch-requests/${of.captureRequest}`
        ]
        const before = yield* Effect.forEach(reads, (path) => call({ method: "GET", path: `${root}${path}` }))
        for (const answer of before) assert.strictEqual(answer.status, 200)

        const byId = EveryRoute.routes.filter(({ path }) => path.includes(":id"))
        assert.strictEqual(byId.length, 70)
        for (const route of byId) {
          const answer = yield* call({ ...EveryRoute.goodCall(route, of), ...there })
          assert.strictEqual(answer.status, 404, `${route.name}: ${answer.text}`)
          assert.strictEqual(at(answer, "error.code"), "NOT_FOUND", route.name)
          assert.notInclude(answer.text, "Distinctive", route.name)
        }
        for (const path of [
          "/workers",
          "/applicants",
          "/credentials",
          "/exemptions",
          "/screening-packages",
          "/compliance-checks",
          "/bans",
          "/webhooks",
          "/recruitment-checks",
          "/fetch-requests",
          "/workers?externalId=trn-05",
          "/workers?query=D"
        ]) {
          const answer = yield* call({ method: "GET", path: `${root}${path}`, ...there })
          assert.deepStrictEqual(at(answer, "data"), [], path)
        }
        const found = yield* call({ method: "GET", path: `${root}/credentials?ownerExternalId=trn-05`, ...there })
        assert.deepStrictEqual(at(found, "data"), [])
        const control = yield* call({ method: "GET", path: `${root}/workers?externalId=trn-05` })
        assert.strictEqual(at(control, "data.0.id"), of.worker)
        assert.deepStrictEqual(
          (yield* Effect.forEach(reads, (path) => call({ method: "GET", path: `${root}${path}` }))).map((answer) =>
            at(answer, "data")
          ),
          before.map((answer) => at(answer, "data"))
        )
      })
  )

  it.effect("TRN-05, threat 1: another tenant's entities and missing ones get identical responses", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf("Super Admin", true)
      const there = { host: otherHost, token }
      const make = Effect.fnUntraced(function* (path: string, body: unknown) {
        return textAt(yield* call({ method: "POST", path: `${root}${path}`, body, ...there }), "data.id")
      })
      /** The other tenant's own entities, so that a call can combine its own and foreign ones. */
      const own = Effect.gen(function* () {
        const owners = yield* atOnce({
          worker: make("/workers", { identity: { displayName: "Own" } }),
          applicant: make("/applicants", { emailAddress: "own@example.org" })
        })
        const code = yield* make("/screening-packages", { code: freshCode(), name: "Own" })
        const held = (by: object) => make("/credentials", { attributes: { credentialType: "FIRST_AID", owners: by } })
        const shared = yield* held(owners)
        const others = yield* atOnce({
          credential: held({ worker: owners.worker }),
          exemption: make("/exemptions", { exemptionType: "MEDICAL", worker: { id: owners.worker } }),
          complianceCheck: make("/compliance-checks", {
            code: freshCode(),
            displayName: "Own",
            requirement: { credentialTypes: ["FIRST_AID"] }
          }),
          webhook: make("/webhooks", webhookFields),
          disabledWebhook: make("/webhooks", webhookFields),
          ban: ban(owners.worker, {}, true),
          credentialCheck: make("/recruitment-checks", {
            applicant: { id: owners.applicant },
            screeningPackageCode: code
          }),
          captureRequest: make("/fetch-requests", {
            worker: { id: owners.worker },
            requestedCredentialTypes: ["FIRST_AID"]
          }),
          accessToken: make("/access-tokens", { name: "Own" }),
          apiClient: make("/api-clients", { name: "Own" }),
          identityProvider: make("/identity-providers", identityProviderFields)
        })
        const { delivery, session, user } = EveryRoute.missing // the test creates none of its own
        return {
          ...owners,
          ...others,
          screeningPackage: code,
          shared,
          verified: shared,
          reviewed: shared,
          delivery,
          session,
          user
        }
      })
      const foreign = yield* EveryRoute.subjects
      /** Makes the call with foreign and new own subjects. Returns the response with ids replaced by names. */
      const told = Effect.fnUntraced(function* (about: (typeof callsAbout)[number], elsewhere: EveryRoute.Subjects) {
        const mine = yield* own
        const one = about(mine, elsewhere)
        const answer = impersonal(yield* call({ ...one, ...there }), elsewhere)
        const text = Object.entries(mine).reduce(
          (rest, [name, id]) => rest.replaceAll(id, `<own ${name}>`),
          answer.text
        )
        return { ...answer, text, what: `${one.method} ${one.path}` }
      })
      const statuses = new Set<number>()
      for (const about of callsAbout) {
        const { what, ...ofForeign } = yield* told(about, foreign)
        const { what: _, ...ofNothing } = yield* told(about, EveryRoute.missing)
        statuses.add(ofForeign.status)
        if (ofForeign.status >= 300) {
          assert.deepStrictEqual(ofForeign, ofNothing, what)
        } else {
          // Own entities in a success differ by their times. Nothing foreign is shown.
          assert.strictEqual(ofForeign.status, ofNothing.status, what)
          assert.notMatch(ofForeign.text, /<(worker|applicant|credential|shared)>.*"(linked|transferred|noop)"/, what)
          assert.notMatch(ofForeign.text, /"owners":[^}]*"<(worker|applicant)>"/, what)
        }
      }
      assert.sameMembers([...statuses], [200, 201, 400, 404, 409, 422])
      assert.strictEqual((yield* call({ method: "GET", path: `${root}/workers/${foreign.worker}` })).status, 200)
      assert.deepStrictEqual(yield* ownersOf(foreign.credential), { worker: foreign.worker, applicant: null })
    })
  )

  it.effect("TRN-05: a batch skips another tenant's credentials like missing ones", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf("Super Admin", true)
      const there = { host: otherHost, token }
      const holder = yield* worker()
      const foreign = yield* credential({ worker: holder })
      const body = { identity: { displayName: "There" } }
      const to = textAt(yield* call({ method: "POST", path: `${root}/workers`, body, ...there }), "data.id")
      const answer = yield* call({
        method: "POST",
        path: `${root}/credentials/transfer`,
        body: {
          from: { type: "worker", id: holder },
          to: { type: "worker", id: to },
          credentialIds: [foreign, EveryRoute.missing.credential]
        },
        ...there
      })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual([at(answer, "data.0.status"), at(answer, "data.0.error.code")], ["skipped", "NOT_FOUND"])
      assert.strictEqual(
        textAt(answer, "data.0.error.message").replace(foreign, "<id>"),
        textAt(answer, "data.1.error.message").replace(EveryRoute.missing.credential, "<id>")
      )
      assert.deepStrictEqual(yield* ownersOf(foreign), { worker: holder, applicant: null })
    })
  )

  it.effect(
    "TRN-06, TRN-10, threat 1: a token of one tenant, of either kind, is 401 on another's host, on every route",
    () =>
      Effect.gen(function* () {
        const { call, superAdmin } = yield* Service
        const of = yield* EveryRoute.subjects
        const here = [superAdmin, (yield* accessToken()).token]
        const there = [(yield* tokenOf("Super Admin", true)).token, (yield* accessToken(true)).token]
        const list: Call = { method: "GET", path: `${root}/workers` }
        for (const token of here) assert.strictEqual((yield* call({ ...list, token })).status, 200)
        for (const token of there) assert.strictEqual((yield* call({ ...list, token, host: otherHost })).status, 200)
        for (const route of EveryRoute.routes) {
          const good = EveryRoute.goodCall(route, of)
          for (const token of there) assert.strictEqual((yield* call({ ...good, token })).status, 401, route.name)
          for (const token of here) {
            assert.strictEqual((yield* call({ ...good, token, host: otherHost })).status, 401, route.name)
          }
        }
      })
  )

  it.effect("TRN-06, TRN-10: a client of one tenant is refused on another's host like an unknown client", () =>
    Effect.gen(function* () {
      const made = yield* client()
      assert.strictEqual((yield* grant(grantForm(made))).status, 200)
      const elsewhere = yield* grant(grantForm(made), { host: otherHost })
      const nobody = yield* grant(grantForm({ ...made, clientId: "wcs_oauth_0000000000000000" }), { host: otherHost })
      assert.strictEqual(elsewhere.status, 401)
      assert.deepStrictEqual(elsewhere.json, nobody.json)
      assert.strictEqual(nobody.status, 401)
    })
  )

  it.effect(
    "TRN-05: a host matches by name, in any letter case and with any port; an unknown host serves nothing",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        for (const host of ["LOCALHOST", "localhost:8443", "LocalHost:1"]) {
          assert.strictEqual(
            (yield* call({ method: "GET", path: `${root}/workers`, headers: { host } })).status,
            200,
            host
          )
        }
        for (const host of ["nowhere.example", "xlocalhost", "localhost.nowhere", "localhost.other.localhost"]) {
          for (const path of [`${root}/workers`, `${root}/nonsense`]) {
            const answer = yield* call({ method: "GET", path, headers: { host } })
            assert.strictEqual(answer.status, 404, `${host} ${path}`)
            assert.strictEqual(at(answer, "error.code"), "NOT_FOUND", host)
          }
          const made = yield* client()
          const token = yield* grant(grantForm(made), { headers: { host } })
          assert.strictEqual(token.status, 404, host)
          assert.isUndefined(at(token, "access_token"), host)
        }
      })
  )

  it.effect("TRN-07, TRN-09: the bodies of all responses are JSON, also by content type; a 204 has none", () =>
    Effect.gen(function* () {
      const situations = [...(yield* Situations.onTenant), ...Situations.elsewhere]
      for (const { answer, expected, shape, what } of yield* Situations.answers(situations)) {
        assert.strictEqual(answer.status, expected, what)
        if (shape === "none") {
          assert.strictEqual(answer.text, "", what)
          assert.notProperty(answer.headers, "content-type", what)
          continue
        }
        assert.isObject(answer.json, what)
        assert.match(answer.headers["content-type"] ?? "", /^application\/json(;\s*charset=utf-8)?$/i, what)
        assert.strictEqual(answer.headers["x-content-type-options"], "nosniff", what)
        const keys = Object.keys(Object(answer.json)).toSorted()
        const expectedKeys = {
          data: ["data", "meta"],
          envelope: ["error"],
          message: ["message"],
          grant: ["access_token", "expires_in", "token_type"],
          "grant error": ["error", "error_description"]
        }[shape]
        assert.deepStrictEqual(keys, expectedKeys, what)
      }
    })
  )

  it.effect("TRN-08: only the token endpoint accepts forms; elsewhere a form is 415 and changes nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      assert.strictEqual((yield* grant(grantForm(yield* client()))).status, 200)
      const of = yield* EveryRoute.subjects
      const total = Effect.map(
        call({ method: "GET", path: `${root}/workers?includeTotal=true&includeDeleted=true` }),
        (answer) => at(answer, "meta.total")
      )
      const before = yield* total
      for (const route of EveryRoute.routes.filter(EveryRoute.takesBody)) {
        const good = EveryRoute.goodCall(route, of)
        const path = EveryRoute.pathOf(route, of)
        // Also the JSON of a valid call, labelled as a form.
        for (const rawBody of ["identity.displayName=Ann&type=applicant", JSON.stringify(good.body)]) {
          const answer = yield* call({ method: route.method, path, rawBody, headers: form })
          assert.strictEqual(answer.status, 415, `${route.name}: ${answer.text}`)
          assert.strictEqual(at(answer, "error.code"), "UNSUPPORTED_MEDIA_TYPE", route.name)
        }
      }
      assert.strictEqual(yield* total, before)
      assert.deepStrictEqual(yield* ownersOf(of.credential), { worker: of.worker, applicant: null })
      for (const route of EveryRoute.routes) {
        const answer = yield* call(EveryRoute.goodCall(route, yield* EveryRoute.subjects))
        assert.strictEqual(answer.status, EveryRoute.goodStatus(route), `${route.name}: ${answer.text}`)
      }
    })
  )

  it.effect("TRN-05: an owner of another tenant is refused like a missing one", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf("Super Admin", true)
      const holder = yield* worker()
      const held = yield* credential({ worker: holder })
      const body = { emailAddress: "there@example.org" }
      const foreign = textAt(
        yield* call({ method: "POST", path: `${root}/applicants`, body, token, host: otherHost }),
        "data.id"
      )
      const link = (id: string) =>
        call({ method: "POST", path: `${root}/credentials/${held}/link`, body: { type: "applicant", id } })
      const refused = yield* link(foreign)
      const missing = yield* link(EveryRoute.missing.applicant)
      assert.strictEqual(refused.status, 422)
      assert.strictEqual(missing.status, 422)
      assert.strictEqual(
        textAt(refused, "error.message").replace(foreign, "<id>"),
        textAt(missing, "error.message").replace(EveryRoute.missing.applicant, "<id>")
      )
      assert.deepStrictEqual(yield* ownersOf(held), { worker: holder, applicant: null })
      assert.strictEqual((yield* link(yield* applicant())).status, 200)
    })
  )
})
