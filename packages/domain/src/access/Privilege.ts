import { Context, Data, Layer, Result, Schema } from "effect"
import { UnitId } from "../shared/Id.ts"

/** The operations of §4.2. */
export const Operation = Schema.Literals(["READ", "CREATE", "UPDATE", "DELETE"])
export type Operation = typeof Operation.Type

const all: ReadonlyArray<Operation> = ["READ", "CREATE", "UPDATE", "DELETE"]

const none: ReadonlyArray<Operation> = []
const read: ReadonlyArray<Operation> = ["READ"]

interface Entity {
  /** The plural in refusals. */
  readonly plural: string
  readonly operations: ReadonlyArray<Operation>
  /** What a role keeps that is limited to units. The other operations show or change the whole tenant. */
  readonly limited: ReadonlyArray<Operation>
}

/** Each entity type (§4.2 and DECISIONS.md#fields). */
export const entities = {
  worker: { plural: "workers", operations: all, limited: all },
  applicant: { plural: "applicants", operations: all, limited: all },
  credential: { plural: "credentials", operations: all, limited: all },
  credentialCheck: { plural: "recruitment checks", operations: all, limited: all },
  captureRequest: { plural: "fetch requests", operations: all, limited: all },
  exemption: { plural: "exemptions", operations: all, limited: all },
  webhook: { plural: "webhooks", operations: all, limited: none },
  ban: { plural: "bans", operations: ["READ"], limited: read },
  screeningPackage: { plural: "screening packages", operations: all, limited: read },
  complianceCheck: { plural: "compliance checks", operations: all, limited: read },
  auditEvent: { plural: "audit events", operations: ["READ"], limited: none },
  accessToken: { plural: "access tokens", operations: ["READ", "CREATE", "DELETE"], limited: none },
  apiClient: { plural: "API clients", operations: ["READ", "CREATE", "DELETE"], limited: none },
  user: { plural: "users", operations: all, limited: none },
  session: { plural: "sessions", operations: ["READ", "DELETE"], limited: none },
  identityProvider: { plural: "identity providers", operations: all, limited: none },
  verificationSource: { plural: "verification sources", operations: all, limited: none },
  // UPDATE decides in place of a register. Requesting a verification is an UPDATE of the credential.
  verification: { plural: "verifications", operations: ["UPDATE"], limited: all },
  // CREATE erases a person, which nothing undoes.
  erasure: { plural: "erasures", operations: ["READ", "CREATE"], limited: none },
  // UPDATE assigns. The server opens and ends tasks.
  task: { plural: "tasks", operations: ["READ", "UPDATE"], limited: all },
  // UPDATE checks, runs and undoes an import. Each also needs the privileges for the workers themselves.
  import: { plural: "imports", operations: all, limited: none },
  // UPDATE moves a unit with all below it.
  unit: { plural: "units", operations: all, limited: read },
  // UPDATE sends again, and changes what the tenant sends. The server creates messages.
  message: { plural: "messages", operations: ["READ", "UPDATE"], limited: none },
  // UPDATE approves and rejects. A person sends an answer by the page of a link.
  answer: { plural: "answers", operations: ["READ", "UPDATE"], limited: all }
} as const satisfies Record<string, Entity>

export type EntityType = keyof typeof entities
export const entityTypes = Object.keys(entities) as ReadonlyArray<EntityType>
export const EntityType = Schema.Literals(entityTypes)

/** One operation on one entity type, the unit of authorization (§5.2, item 7). */
export interface Privilege {
  readonly entityType: EntityType
  readonly operation: Operation
}

/** A privilege as text, `credential:READ`, as stored in custom roles. */
export type PrivilegeName = `${EntityType}:${Operation}`
export type Privileges = ReadonlySet<PrivilegeName>

/** Returns the READ privilege of an entity type. */
export const readOf = (entityType: EntityType): Privilege => ({ entityType, operation: "READ" })

export const nameOf = ({ entityType, operation }: Privilege): PrivilegeName => `${entityType}:${operation}`

/** Returns the privileges of a set in the order of `entities`. */
export const listOf = (privileges: Privileges): ReadonlyArray<Privilege> =>
  entityTypes
    .flatMap((entityType) => entities[entityType].operations.map((operation) => ({ entityType, operation })))
    .filter((privilege) => privileges.has(nameOf(privilege)))

const named = (types: ReadonlyArray<EntityType>, operations: ReadonlyArray<Operation>): ReadonlyArray<PrivilegeName> =>
  types.flatMap((entityType) =>
    entities[entityType].operations
      .filter((operation) => operations.includes(operation))
      .map((operation): PrivilegeName => `${entityType}:${operation}`)
  )

/** Every privilege that exists. */
export const everyPrivilege: ReadonlyArray<PrivilegeName> = named(entityTypes, all)
export const PrivilegeName = Schema.Literals(everyPrivilege)

const dataManaged: ReadonlyArray<EntityType> = [
  "worker",
  "applicant",
  "credential",
  "credentialCheck",
  "captureRequest",
  "exemption",
  "task",
  "import",
  "answer"
]

/**
 * Entity types whose deletes can be undone, so a mistake costs little. The delete of an import removes a file that its
 * caller has, and no worker.
 */
const restorable: ReadonlyArray<EntityType> = ["worker", "applicant", "credential", "import"]

/**
 * Only a Super Admin changes these, and only an Auditor also reads them: the audit log, other users' tokens, sessions,
 * identity providers, clients, which have every privilege, and erasures.
 */
const supervised: ReadonlyArray<EntityType> = [
  "auditEvent",
  "accessToken",
  "apiClient",
  "session",
  "identityProvider",
  "erasure"
]

const common = entityTypes.filter((entityType) => !supervised.includes(entityType))

/** The roles and their privileges (DECISIONS.md#access). */
export const roles = {
  "Super Admin": new Set(everyPrivilege),
  // An identity provider's settings decide which users log in, so only a Super Admin changes them.
  Admin: new Set([...named(common, all), ...named(["identityProvider"], ["READ"])]),
  "Data Manager": new Set([
    ...named(dataManaged, ["READ", "CREATE", "UPDATE"]),
    ...named(restorable, ["DELETE"]),
    ...named(common, ["READ"])
  ]),
  // Reads all that a Super Admin reads, the audit log too, and has no other operation.
  Auditor: new Set(named(entityTypes, ["READ"])),
  Viewer: new Set(named(common, ["READ"]))
} as const satisfies Record<string, Privileges>

export type RoleName = keyof typeof roles
export const RoleName = Schema.Literals(Object.keys(roles) as ReadonlyArray<RoleName>)

/** A named role or a custom set of privileges. */
export const PlainRole = Schema.Union([RoleName, Schema.Array(PrivilegeName)])
export type PlainRole = typeof PlainRole.Type

/** A role that reaches only the people of some units and of all units below them. Without units it reaches nobody. */
export const LimitedRole = Schema.Struct({ role: PlainRole, units: Schema.Array(UnitId) })
export type LimitedRole = typeof LimitedRole.Type

/** The role of an account. */
export const Role = Schema.Union([RoleName, Schema.Array(PrivilegeName), LimitedRole])
export type Role = typeof Role.Type

const isLimited = (role: Role): role is LimitedRole => typeof role === "object" && "units" in role

/** Returns the role without its limit. */
export const plainRole = (role: Role): PlainRole => (isLimited(role) ? role.role : role)

/** Returns the units to which a role is limited; undefined if it reaches all people. */
export const unitsOf = (role: Role): ReadonlyArray<string> | undefined => (isLimited(role) ? role.units : undefined)

/** Returns whether the role is Super Admin. An organization always keeps one active Super Admin. */
export const isSuperAdmin = (role: Role): boolean => role === "Super Admin"

/** A Super Admin has the whole tenant and cannot be limited to units. */
export class SuperAdminUnlimited extends Data.TaggedError("SuperAdminUnlimited") {}

/** Returns the role with a limit, or without one if `units` is null. */
export const limitedTo = (
  role: PlainRole,
  units: ReadonlyArray<string> | null
): Result.Result<Role, SuperAdminUnlimited> => {
  if (units === null) return Result.succeed(role)
  return isSuperAdmin(role) ? Result.fail(new SuperAdminUnlimited()) : Result.succeed({ role, units })
}

/** The caller lacks a privilege. Nothing was read or changed (§5.2, item 7). */
export class Forbidden extends Data.TaggedError("Forbidden")<{
  readonly account: string
  readonly operation: Operation
  readonly entityType: EntityType
}> {}

const keptWithin: Privileges = new Set(
  entityTypes.flatMap((entityType) => named([entityType], entities[entityType].limited))
)

const ofPlain = (role: PlainRole): Privileges => (typeof role === "string" ? roles[role] : new Set(role))

/** Returns the privileges of a role. One that is limited to units keeps those about people. */
export const privilegesOf = (role: Role): Privileges =>
  isLimited(role) ? new Set([...ofPlain(role.role)].filter((name) => keptWithin.has(name))) : ofPlain(role)

/**
 * Returns the operation of an HTTP method: GET is READ, POST is CREATE, PATCH and PUT are UPDATE, DELETE is DELETE
 * (§4.2).
 */
export const operationOfMethod = (method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE"): Operation => {
  switch (method) {
    case "GET":
      return "READ"
    case "POST":
      return "CREATE"
    case "PATCH":
    case "PUT":
      return "UPDATE"
    case "DELETE":
      return "DELETE"
  }
}

/** Succeeds if `privileges` has all of `required`; else fails with the first that is missing. */
export const authorize = (
  account: string,
  privileges: Privileges,
  required: ReadonlyArray<Privilege>
): Result.Result<void, Forbidden> => {
  const refused = required.find((privilege) => !privileges.has(nameOf(privilege)))
  return refused === undefined ? Result.succeed(undefined) : Result.fail(new Forbidden({ account, ...refused }))
}

/** Returns `<account_urn> is unauthorized to <OPERATION> <entities>.` (§7.1). */
export const refusalText = ({ account, entityType, operation }: Forbidden): string =>
  `${account} is unauthorized to ${operation} ${entities[entityType].plural}.`

/** The rules of this module as a service, so that tests and deployments can replace one rule. */
export class PrivilegeRules extends Context.Service<
  PrivilegeRules,
  {
    readonly privilegesOf: typeof privilegesOf
    readonly operationOfMethod: typeof operationOfMethod
    readonly authorize: typeof authorize
    readonly refusalText: typeof refusalText
  }
>()("@wcs/domain/Privilege") {}

export const layer = Layer.succeed(
  PrivilegeRules,
  PrivilegeRules.of({ privilegesOf, operationOfMethod, authorize, refusalText })
)
