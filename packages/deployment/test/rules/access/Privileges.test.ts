import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { everyPrivilege } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { type Answer, Service, tokenOf } from "../../Service.ts"
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
    POST: isAction ? "UPDATE" : path.endsWith("/restore") ? "DELETE" : "CREATE",
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

layer(layerService())("privileges", (it) => {
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
})
