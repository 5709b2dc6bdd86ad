import { assert, describe, it } from "@effect/vitest"
import {
  authorize,
  type EntityType,
  entities,
  entityTypes,
  everyPrivilege,
  Forbidden,
  layer,
  nameOf,
  type Operation,
  operationOfMethod,
  type Privilege,
  type PrivilegeName,
  PrivilegeRules,
  privilegesOf,
  Role,
  type RoleName,
  refusalText,
  roles
} from "@wcs/domain/access/Privilege"
import { Effect, Option, Result, Schema } from "effect"
import * as fc from "fast-check"

const account = "urn:wcs:account:acc_0000000000000001"
const operations: ReadonlyArray<Operation> = ["READ", "CREATE", "UPDATE", "DELETE"]

/** The table of §4.2 and the entity types that the decisions add. R, C, U, D are the operations. */
const expectedEntities: Readonly<Record<EntityType, string>> = {
  worker: "RCUD",
  credential: "RCUD",
  credentialCheck: "RCUD",
  captureRequest: "RCUD",
  exemption: "RCUD",
  webhook: "RCUD",
  ban: "R",
  applicant: "RCUD",
  screeningPackage: "RCUD",
  complianceCheck: "RCUD",
  auditEvent: "R",
  accessToken: "RCD",
  apiClient: "RCD",
  user: "RCUD",
  session: "RD",
  identityProvider: "RCUD",
  verificationSource: "RCUD",
  verification: "U",
  erasure: "RC",
  task: "RU",
  import: "RCUD",
  unit: "RCUD",
  message: "RU",
  answer: "RU"
}

/** DECISIONS.md#access: the operations of each role on each entity type. */
const expectedRoles: Readonly<Record<RoleName, Readonly<Record<EntityType, string>>>> = {
  "Super Admin": expectedEntities,
  Admin: {
    ...expectedEntities,
    ...{ auditEvent: "", accessToken: "", apiClient: "", session: "", identityProvider: "R", erasure: "" }
  },
  "Data Manager": {
    worker: "RCUD",
    applicant: "RCUD",
    credential: "RCUD",
    credentialCheck: "RCU",
    captureRequest: "RCU",
    exemption: "RCU",
    webhook: "R",
    ban: "R",
    screeningPackage: "R",
    complianceCheck: "R",
    auditEvent: "",
    accessToken: "",
    apiClient: "",
    user: "R",
    session: "",
    identityProvider: "",
    verificationSource: "R",
    verification: "",
    erasure: "",
    task: "RU",
    import: "RCUD",
    unit: "R",
    message: "R",
    answer: "RU"
  },
  Auditor: {
    worker: "R",
    applicant: "R",
    credential: "R",
    credentialCheck: "R",
    captureRequest: "R",
    exemption: "R",
    webhook: "R",
    ban: "R",
    screeningPackage: "R",
    complianceCheck: "R",
    auditEvent: "R",
    accessToken: "R",
    apiClient: "R",
    user: "R",
    session: "R",
    identityProvider: "R",
    verificationSource: "R",
    verification: "",
    erasure: "R",
    task: "R",
    import: "R",
    unit: "R",
    message: "R",
    answer: "R"
  },
  Viewer: {
    worker: "R",
    applicant: "R",
    credential: "R",
    credentialCheck: "R",
    captureRequest: "R",
    exemption: "R",
    webhook: "R",
    ban: "R",
    screeningPackage: "R",
    complianceCheck: "R",
    auditEvent: "",
    accessToken: "",
    apiClient: "",
    user: "R",
    session: "",
    identityProvider: "",
    verificationSource: "R",
    verification: "",
    erasure: "",
    task: "R",
    import: "R",
    unit: "R",
    message: "R",
    answer: "R"
  }
}

const initials = (chosen: ReadonlyArray<Operation>) => chosen.map((operation) => operation.charAt(0)).join("")

/** Every operation on every entity type, even those without a privilege. */
const calls: ReadonlyArray<Privilege> = entityTypes.flatMap((entityType) =>
  operations.map((operation) => ({ entityType, operation }))
)

describe("Privilege", () => {
  it("PRV-12: has the entity types and operations of §4.2 and no others, so of bans only READ", () => {
    const known = Object.fromEntries(entityTypes.map((type) => [type, initials(entities[type].operations)]))
    assert.deepStrictEqual(known, expectedEntities)
  })

  describe("PRV-01, PRV-02, PRV-03, PRV-04, PRV-05, PRV-06, threat 2: a privilege allows exactly its own call", () => {
    it.each(everyPrivilege)("%s", (only) => {
      const allowed = calls.filter((call) => Result.isSuccess(authorize(account, new Set([only]), [call])))
      assert.deepStrictEqual(allowed.map(nameOf), [only])
    })

    it("refuses every call without privileges", () => {
      for (const call of calls) {
        const refused = Result.getOrThrow(Result.flip(authorize(account, new Set(), [call])))
        assert.deepInclude(refused, { _tag: "Forbidden", account, ...call })
      }
    })
  })

  it("allows a call that needs several privileges if all are present, else names the first missing one", () => {
    const some = fc.subarray([...everyPrivilege])
    const required = fc.subarray([...calls])
    fc.assert(
      fc.property(some, required, (privileges, needed) => {
        const missing = needed.find((call) => !privileges.includes(nameOf(call)))
        const refused = Result.getFailure(authorize(account, new Set(privileges), needed))
        const named = Option.map(refused, ({ entityType, operation }) => ({ entityType, operation }))
        assert.deepStrictEqual(named, Option.fromUndefinedOr(missing))
      })
    )
  })

  it.each([
    ["GET", "READ"],
    ["POST", "CREATE"],
    ["PATCH", "UPDATE"],
    ["PUT", "UPDATE"],
    ["DELETE", "DELETE"]
  ] as const)("maps %s to %s (§4.2)", (method, operation) => {
    assert.strictEqual(operationOfMethod(method), operation)
  })

  it.each(
    Object.entries(expectedRoles).flatMap(([role, may]) =>
      Object.entries(may).map(([entityType, allowed]) => [role, allowed === "" ? "nothing" : allowed, entityType])
    )
  )("%s may do %s to %s", (role, allowed, entityType) => {
    const privileges = privilegesOf(role as RoleName)
    const found = calls.filter((call) => call.entityType === entityType && privileges.has(nameOf(call)))
    assert.strictEqual(initials(found.map(({ operation }) => operation)) || "nothing", allowed)
  })

  it("OAU-18: the service account has every privilege", () => {
    assert.deepStrictEqual(privilegesOf("Super Admin"), new Set(everyPrivilege))
    assert.sameMembers(Object.keys(roles), Object.keys(expectedRoles))
  })

  it("a custom role has exactly its own privileges", () => {
    fc.assert(
      fc.property(fc.subarray([...everyPrivilege]), (names) => {
        assert.deepStrictEqual(privilegesOf(names), new Set(names))
      })
    )
  })

  it.each([
    ["a role's name", "Viewer", true],
    ["a set of privileges", ["worker:READ", "credential:UPDATE"], true],
    ["an empty set", [], true],
    ["an unknown name", "Root", false],
    ["an unknown privilege", ["ban:DELETE"], false],
    ["an unknown entity type", ["everything:READ"], false],
    ["a star", ["*"], false]
  ])("decodes a role from %s (%j): %j", (_name, role, isRole) => {
    assert.strictEqual(Option.isSome(Schema.decodeUnknownOption(Role)(role)), isRole)
  })

  describe("PRV-10: a refusal names the caller's account, the operation and the entities", () => {
    const plurals: ReadonlyArray<readonly [PrivilegeName, string]> = [
      ["worker:READ", "READ workers"],
      ["credential:CREATE", "CREATE credentials"],
      ["credentialCheck:UPDATE", "UPDATE recruitment checks"],
      ["captureRequest:DELETE", "DELETE fetch requests"],
      ["exemption:READ", "READ exemptions"],
      ["webhook:UPDATE", "UPDATE webhooks"],
      ["ban:READ", "READ bans"],
      ["auditEvent:READ", "READ audit events"],
      ["accessToken:DELETE", "DELETE access tokens"],
      ["apiClient:CREATE", "CREATE API clients"]
    ]
    it.each(plurals)("%s: … is unauthorized to %s.", (name, text) => {
      const call = calls.find((call) => nameOf(call) === name)
      assert.isDefined(call)
      if (call === undefined) return
      assert.strictEqual(refusalText(new Forbidden({ account, ...call })), `${account} is unauthorized to ${text}.`)
    })
  })

  it.effect("provides the rules as a service", () =>
    Effect.gen(function* () {
      const rules = yield* PrivilegeRules
      assert.deepStrictEqual({ ...rules }, { privilegesOf, operationOfMethod, authorize, refusalText })
    }).pipe(Effect.provide(layer))
  )
})
