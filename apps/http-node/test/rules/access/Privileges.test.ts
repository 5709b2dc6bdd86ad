import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { everyPrivilege, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { type Answer, at, ownersOf, Service, textAt, tokenFor, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"

/** A privilege, and its text in a refusal. */
interface Needed {
  readonly name: string
  readonly text: string
}

/** The privileges of a route according to §4.2's two tables: by its group, method and last path segment. */
const neededBy = ({ method, name, path }: Endpoint): readonly [Needed, ...ReadonlyArray<Needed>] => {
  if (name === "complianceChecks.evaluate" || name === "complianceChecks.matrix") {
    return [
      { name: "complianceCheck:READ", text: "READ compliance checks" },
      { name: "worker:READ", text: "READ workers" },
      { name: "credential:READ", text: "READ credentials" }
    ]
  }
  if (name === "credentials.review") {
    return [
      { name: "verification:UPDATE", text: "UPDATE verifications" },
      { name: "credential:READ", text: "READ credentials" }
    ]
  }
  const { entity, plural } = EveryRoute.groupOf({ name })
  const isAction =
    /\/(link|unlink|transfer|verify|rotate|enable|disable|ping|redrive|resend|remind|cancel|verify-domains)$/.test(path)
  const operations: Readonly<Record<string, string>> = {
    GET: "READ",
    POST: isAction ? "UPDATE" : "CREATE",
    PUT: "UPDATE",
    PATCH: "UPDATE",
    DELETE: "DELETE"
  }
  const operation = operations[method] ?? "?"
  return [{ name: `${entity}:${operation}`, text: `${operation} ${plural}` }]
}

const assertForbidden = (answer: Answer, urn: string, { text }: Pick<Needed, "text">, what: string) => {
  assert.strictEqual(answer.status, 403, `${what}: ${answer.text}`)
  assert.deepStrictEqual(
    answer.json,
    {
      error: {
        code: "FORBIDDEN",
        message: `${urn} is unauthorized to ${text}.`,
        requestId: answer.headers["x-request-id"]
      }
    },
    what
  )
}

/** Changeable groups; audit events are read-only. */
const changeable = Object.values(EveryRoute.groups).filter(
  ({ entity }) => entity !== "auditEvent" && entity !== "accessToken" // a token's last use moves with each call
)

/** The latest row and the number of rows of everything. */
const everything = Effect.gen(function* () {
  const { call } = yield* Service
  const pages = yield* Effect.forEach(changeable, ({ path: group }) =>
    call({
      method: "GET",
      path: `/openapi/v1/${group}?sort=createdAt:desc&pageSize=100&includeDeleted=true&includeTotal=true`
    })
  )
  for (const page of pages) assert.strictEqual(page.status, 200)
  return pages.map((page) => ({ data: at(page, "data"), total: at(page, "meta.total") }))
})

const withoutEntity = (entity: string) => everyPrivilege.filter((name) => !name.startsWith(`${entity}:`))

/** Calls that leave the webhook itself unchanged: only its log and the audit log show them. */
const toldOnly: ReadonlyArray<string> = ["webhooks.ping", "webhooks.redrive"]

/** The calls on credentials that are not plain methods (PRV-16). For webhooks see `Webhooks.test.ts`. */
const actions = EveryRoute.asking.filter(({ path }) => /\/(link|unlink|transfer|verify)$/.test(path))

layer(layerService())("privileges", (it) => {
  it.effect.each(everyPrivilege)(
    "PRV-01, PRV-02, PRV-03, PRV-04, PRV-05, PRV-06, PRV-10, threat 2: with %s alone exactly its routes succeed; all others are 403, with the exact message",
    (privilege) =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { token, urn } = yield* tokenOf([privilege])
        const idle = yield* EveryRoute.subjects
        for (const route of EveryRoute.asking) {
          const lacked = neededBy(route).find(({ name }) => name !== privilege)
          if (lacked === undefined) {
            const answer = yield* call({ ...EveryRoute.goodCall(route, yield* EveryRoute.subjects), token })
            assert.strictEqual(answer.status, EveryRoute.goodStatus(route), `${route.name}: ${answer.text}`)
          } else {
            const answer = yield* call({ ...EveryRoute.goodCall(route, idle), token })
            assertForbidden(answer, urn, lacked, route.name)
          }
        }
      })
  )

  it.effect(
    "PRV-01, PRV-02, PRV-03, PRV-04, PRV-05, PRV-06: a route is 403 if any one of its privileges is missing",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const idle = yield* EveryRoute.subjects
        const seen = new Set<string>()
        for (const route of EveryRoute.asking) {
          for (const needed of neededBy(route)) {
            seen.add(needed.name)
            const { token, urn } = yield* tokenOf(everyPrivilege.filter((name) => name !== needed.name))
            const answer = yield* call({ ...EveryRoute.goodCall(route, idle), token })
            assertForbidden(answer, urn, needed, route.name)
          }
        }
        const operationsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
          ban: ["READ"], // PRV-12
          auditEvent: ["READ"],
          accessToken: [], // everybody may use their own tokens: the use case applies the privilege
          apiClient: ["READ", "CREATE", "DELETE"],
          user: ["READ"], // tokens change no users
          session: [] // as for tokens
        }
        const expected = Object.values(EveryRoute.groups).flatMap(({ entity }) =>
          (operationsOf[entity] ?? ["READ", "CREATE", "UPDATE", "DELETE"]).map((operation) => `${entity}:${operation}`)
        )
        assert.sameMembers([...seen], [...expected, "verification:UPDATE"])
      })
  )

  it.effect("PRV-05: roles may do exactly what their sets allow, on every route", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const operationsOf = {
        "Super Admin": ["READ", "CREATE", "UPDATE", "DELETE"],
        Admin: ["READ", "CREATE", "UPDATE", "DELETE"],
        // A data manager only reads the tenant-wide setup.
        "Data Manager": ["READ", "CREATE", "UPDATE"],
        Viewer: ["READ"]
      } as const
      const shared = yield* EveryRoute.subjects
      for (const role of ["Super Admin", "Admin", "Data Manager", "Viewer"] as const) {
        const { token } = yield* tokenOf(role)
        for (const route of EveryRoute.asking) {
          const may = neededBy(route).every(({ name }) => {
            const isSetUp =
              role === "Data Manager" && /^(screeningPackage|complianceCheck|webhook|verification):/.test(name)
            const isSupervision = role !== "Super Admin" && /^(auditEvent|apiClient):/.test(name)
            const isSignOn = role !== "Super Admin" && name.startsWith("identityProvider:")
            const ofSignOn = role === "Admin" ? operationsOf.Viewer : []
            const ofOthers = isSupervision ? [] : isSetUp ? operationsOf.Viewer : operationsOf[role]
            const operations = isSignOn ? ofSignOn : ofOthers
            return operations.some((operation) => name.endsWith(operation))
          })
          const of = may && !EveryRoute.isReading(route) ? yield* EveryRoute.subjects : shared
          const answer = yield* call({ ...EveryRoute.goodCall(route, of), token })
          assert.strictEqual(answer.status, may ? EveryRoute.goodStatus(route) : 403, `${role}: ${route.name}`)
        }
      }
    })
  )

  it.effect("PRV-07, PRV-08, PRV-09, threat 3: a bad body for a missing entity is 403 and never 400 or 404", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token, urn } = yield* tokenOf([])
      for (const route of EveryRoute.asking) {
        const [needed] = neededBy(route)
        const bad = EveryRoute.badCall(route)
        assertForbidden(yield* call({ ...bad, token }), urn, needed, route.name)
        // The control: the same call with the privilege is judged by its content. DELETE and a read have only an id.
        const control = yield* call(bad)
        assert.include([400, 404], control.status, `${route.name}: ${control.text}`)
      }
    })
  )

  it.effect("PRV-07, PRV-08: so is a malformed id, and a body that is too large or of another type", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token, urn } = yield* tokenOf([])
      for (const route of EveryRoute.asking) {
        const [needed] = neededBy(route)
        const path = route.path.replace(":id", "nonsense")
        const { method } = route
        assertForbidden(yield* call({ method, path, token }), urn, needed, route.name)
        if (method === "GET") continue
        const form = { "content-type": "application/x-www-form-urlencoded" }
        assertForbidden(yield* call({ method, path, token, rawBody: "a=b", headers: form }), urn, needed, route.name)
        const json = { "content-type": "application/json" }
        const huge = `"${"a".repeat(1024 * 1024)}"`
        assertForbidden(yield* call({ method, path, token, rawBody: huge, headers: json }), urn, needed, route.name)
      }
    })
  )

  it.effect("PRV-07, PRV-08: so is an unreadable id in the path; a caller with the privilege gets the reason", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token, urn } = yield* tokenOf([])
      for (const route of EveryRoute.asking.filter(({ path }) => path.includes(":id"))) {
        for (const id of ["%", "%ff", "%zz", "a".repeat(200)]) {
          const { method } = route
          const path = route.path.replace(":id", id)
          assertForbidden(yield* call({ method, path, token }), urn, neededBy(route)[0], `${route.name} ${id}`)
          const control = yield* call({ method, path })
          assert.strictEqual(at(control, "error.code"), EveryRoute.malformedCode(route), `${route.name} ${id}`)
        }
      }
    })
  )

  it.effect("PRV-09: refused calls change nothing; the same calls with the privileges do", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* EveryRoute.subjects
      const reader = yield* tokenOf(["worker:READ", "applicant:READ", "credential:READ"])
      const before = yield* everything
      const writing = EveryRoute.asking.filter((route) => !EveryRoute.isReading(route))
      for (const route of writing) {
        const answer = yield* call({ ...EveryRoute.goodCall(route, of), token: reader.token })
        assertForbidden(answer, reader.urn, neededBy(route)[0], route.name)
      }
      assert.deepStrictEqual(yield* everything, before)
      for (const route of writing) {
        const fresh = yield* EveryRoute.subjects
        const then = yield* everything
        const answer = yield* call(EveryRoute.goodCall(route, fresh))
        assert.strictEqual(answer.status, EveryRoute.goodStatus(route), `${route.name}: ${answer.text}`)
        if (!toldOnly.includes(route.name)) assert.notDeepEqual(yield* everything, then, route.name)
      }
    })
  )

  it.effect("PRV-11: a reissued token with the same privileges is refused alike", () =>
    Effect.gen(function* () {
      const { administration, call, tenant } = yield* Service
      const of = yield* EveryRoute.subjects
      const first = yield* tokenOf(["worker:READ"])
      const again = yield* tokenFor(first.email)
      const refusals = Effect.fnUntraced(function* (token: string) {
        return yield* Effect.forEach(EveryRoute.asking, (route) =>
          Effect.map(call({ ...EveryRoute.goodCall(route, of), token }), (answer) => ({
            status: answer.status,
            code: at(answer, "error.code"),
            message: at(answer, "error.message")
          }))
        )
      })
      const before = yield* refusals(first.token)
      assert.strictEqual(before.filter(({ status }) => status === 403).length, EveryRoute.asking.length - 2)
      assert.deepStrictEqual(yield* refusals(again.token), before)
      yield* Effect.orDie(
        administration.revokeToken(tenant.id, first.id, { account: first.urn, bearer: null, requestId: "test" })
      )
      assert.deepStrictEqual(yield* refusals(again.token), before)
    })
  )

  it.effect(
    "PRV-16: without privileges on credentials, link, unlink, transfer and verify are 403, single and bulk",
    () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        assert.strictEqual(actions.length, 6)
        const { token, urn } = yield* tokenOf(withoutEntity("credential"))
        for (const route of actions) {
          const of = yield* EveryRoute.subjects
          const credentials = Effect.forEach([of.credential, of.shared, of.verified], (id) =>
            Effect.map(call({ method: "GET", path: `/openapi/v1/credentials/${id}` }), (shown) => at(shown, "data"))
          )
          const before = yield* credentials
          const answer = yield* call({ ...EveryRoute.goodCall(route, of), token })
          assertForbidden(answer, urn, { text: "UPDATE credentials" }, route.name)
          assert.deepStrictEqual(yield* credentials, before)
          const control = yield* call(EveryRoute.goodCall(route, of))
          assert.strictEqual(control.status, 200, `${route.name}: ${control.text}`)
          assert.notDeepEqual(yield* credentials, before, route.name)
        }
      })
  )

  it.effect("PRV-17: neither READ nor CREATE nor DELETE allows them", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const of = yield* EveryRoute.subjects
      const sets: ReadonlyArray<ReadonlyArray<PrivilegeName>> = [
        ["credential:READ"],
        ["credential:READ", "credential:CREATE", "credential:DELETE", "worker:UPDATE", "applicant:UPDATE"]
      ]
      for (const set of sets) {
        const { token, urn } = yield* tokenOf(set)
        for (const route of actions) {
          const answer = yield* call({ ...EveryRoute.goodCall(route, of), token })
          assertForbidden(answer, urn, { text: "UPDATE credentials" }, route.name)
        }
      }
      assert.deepStrictEqual(yield* ownersOf(of.credential), { worker: of.worker, applicant: null })
      const { token } = yield* tokenOf(["credential:UPDATE"])
      for (const route of actions) {
        const answer = yield* call({ ...EveryRoute.goodCall(route, yield* EveryRoute.subjects), token })
        assert.strictEqual(answer.status, 200, `${route.name}: ${answer.text}`)
      }
    })
  )

  it.effect("PRV-10: a refusal names the token's own account", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [one, two] = [yield* tokenOf([]), yield* tokenOf([])]
      assert.notStrictEqual(one.urn, two.urn)
      for (const { token, urn } of [one, two, one]) {
        const answer = yield* call({ method: "GET", path: "/openapi/v1/workers", token })
        assert.strictEqual(textAt(answer, "error.message"), `${urn} is unauthorized to READ workers.`)
      }
    })
  )
})
