import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import {
  type EntityType,
  entities,
  entityTypes,
  nameOf,
  type Operation,
  type PrivilegeName,
  type Privileges
} from "@wcs/domain/access/Privilege"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import { granting, has, lookingFor, open, openToCallersWho } from "../../seams/PrivilegeSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const workerLists = { method: "GET", path: /^\/workers(\?|$)/ }
const credentialLists = { method: "GET", path: /^\/credentials(\?|$)/ }

/** One operation implies another on the same entity type. */
const implying = (granted: ReadonlyArray<Operation>, asked: Operation) =>
  granting(
    (privileges, { entityType, operation }) =>
      operation === asked && granted.some((one) => has(privileges, { entityType, operation: one }))
  )

/** Sends an unreadable body to a group's create, so that a permitted caller gets 400. */
const creatingNothing =
  (path: string) =>
  (request: Request): Request => ({ ...request, method: "POST", url: new URL(path, request.url).href, body: "{" })

/** Without the write paths in the profile, the suite can only guess them. */
const withoutPut = (profile: Profile): Profile => {
  const { credential, worker, ...others } = profile.groups ?? {}
  const shown = (group: typeof worker) =>
    group && { ...group, update: (group.update ?? []).filter(({ method }) => method !== "PUT") }
  return {
    ...profile,
    groups: { ...others, ...(worker && { worker: shown(worker) }), ...(credential && { credential }) }
  }
}

/** Whether the privileges have every operation on an entity type. */
const hasAllOf = (privileges: Privileges, entityType: EntityType): boolean =>
  entities[entityType].operations.every((operation) => has(privileges, { entityType, operation }))

const wholeTypes = entityTypes.filter((entityType) => entities[entityType].operations.length > 1)

/** One privilege implies another. */
const carrying = (one: PrivilegeName, other: PrivilegeName) =>
  granting((privileges, asked) => nameOf(asked) === other && privileges.has(one))

/** Defects of privileges. */
export const privilegeMutants: ReadonlyArray<Mutant> = [
  mutant("write-privilege-also-reads", ["PRV-01 status", "PRV-05 status"]).rules(
    implying(["CREATE", "UPDATE", "DELETE"], "READ")
  ),
  mutant("list-that-may-not-be-read-is-empty", "PRV-01 status", { alsoKills: ["PRV-05", "PRV-06"] }).answers(
    { ...workerLists, status: 403 },
    (answer) => Answering.success(answer, 200, [])
  ),
  mutant("list-that-may-not-be-read-is-not-there", "PRV-01 status", { alsoKills: ["PRV-05", "PRV-06"] }).answers(
    { ...workerLists, status: 403 },
    (answer) => Answering.refusal(answer, 404, "NOT_FOUND", "There is no such list.")
  ),
  mutant("refused-read-has-a-code-of-its-own", "PRV-01 wrong-value at body.error.code", {
    alsoKills: ["ENV-03", "PRV-05", "PRV-06"]
  }).answers({ ...credentialLists, status: 403 }, Rewrite.field("error.code", "PERMISSION_DENIED")),
  mutant("update-privilege-also-creates", ["PRV-02 status", "PRV-05 status"]).rules(implying(["UPDATE"], "CREATE")),
  mutant("credential-creates-are-not-guarded", [
    "PRV-02 status",
    "PRV-05 status",
    "PRV-06 status",
    "PRV-07 status"
  ]).rules(granting((_, asked) => nameOf(asked) === "credential:CREATE")),
  mutant("put-is-guarded-as-a-create", ["PRV-03 status", "PRV-05 status"]).rewrite(
    openToCallersWho({ method: "PUT", path: /^\/workers\/[^/]+$/ }, creatingNothing("/openapi/v1/workers"))
  ),
  mutant("put-that-nobody-shows-is-not-guarded", "PRV-03 status").by({
    profile: withoutPut,
    rewrite: open({ method: "PUT", path: /^\/workers\/[^/]+$/ })
  }),
  mutant("update-privilege-also-deletes", ["PRV-04 status", "PRV-05 status"]).rules(implying(["UPDATE"], "DELETE")),
  mutant("refused-delete-is-a-method-that-is-not-allowed", ["PRV-04 status", "PRV-05 status", "PRV-08 status"], {
    alsoKills: ["PRV-06"]
  }).answers({ method: "DELETE", status: 403 }, (answer) =>
    Answering.refusal(answer, 405, "METHOD_NOT_ALLOWED", "Nothing is deleted here.")
  ),
  mutant("change-needs-read-as-well", "PRV-05 status").rules(
    lookingFor(
      (privileges, asked) =>
        has(privileges, asked) &&
        (asked.operation !== "UPDATE" || has(privileges, { entityType: asked.entityType, operation: "READ" }))
    )
  ),
  mutant("delete-needs-all-of-an-entity-type", "PRV-05 status").rules(
    lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (asked.operation !== "DELETE" || hasAllOf(privileges, asked.entityType))
    )
  ),
  mutant("credential-create-needs-its-owner-to-be-readable", "PRV-05 status").rules(
    lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (nameOf(asked) !== "credential:CREATE" || privileges.has("worker:READ"))
    )
  ),
  mutant("privileges-are-compared-as-far-as-the-entity-type-goes", "PRV-06 status", { alsoKills: ["PRV-01"] }).rules(
    granting((privileges, { entityType, operation }) =>
      [...privileges].some((one) => one.startsWith(entityType) && one.endsWith(`:${operation}`))
    )
  ),
  mutant("worker-read-also-reads-owned-credentials", ["PRV-06 status", "PRV-01 status"], {
    alsoKills: ["PRV-11"]
  }).rules(granting((privileges, asked) => nameOf(asked) === "credential:READ" && privileges.has("worker:READ"))),
  mutant("all-privileges-on-one-type-grant-all-types", "PRV-06 status", {
    alsoKills: ["PRV-01", "PRV-07", "PRV-08", "PRV-16"]
  }).rules(granting((privileges) => wholeTypes.some((entityType) => hasAllOf(privileges, entityType)))),
  mutant("ban-is-a-change-of-the-worker", "PRV-06 status").rules(
    granting((privileges, asked) => nameOf(asked) === "worker:UPDATE" && privileges.has("ban:READ"))
  ),
  mutant("delete-without-the-privilege-is-not-found", [
    "PRV-04 status",
    "PRV-05 status",
    "PRV-06 status",
    "PRV-08 status"
  ]).answers({ method: "DELETE", status: 403 }, (answer) =>
    Answering.refusal(answer, 404, "NOT_FOUND", "There is no such resource.")
  ),
  mutant("worker-read-also-reads-bans", ["PRV-01 status", "PRV-06 status"]).rules(carrying("worker:READ", "ban:READ")),
  mutant("exemption-creates-are-not-guarded", [
    "PRV-02 status",
    "PRV-05 status",
    "PRV-06 status",
    "PRV-07 status"
  ]).rules(granting((_, asked) => nameOf(asked) === "exemption:CREATE")),
  mutant("worker-update-also-exempts", "PRV-06 status").rules(carrying("worker:UPDATE", "exemption:CREATE")),
  mutant("screening-package-create-also-updates", ["PRV-03 status", "PRV-05 status"]).rules(
    carrying("screeningPackage:CREATE", "screeningPackage:UPDATE")
  ),
  mutant("compliance-check-read-also-deletes", ["PRV-04 status", "PRV-05 status"]).rules(
    carrying("complianceCheck:READ", "complianceCheck:DELETE")
  ),
  mutant("credential-update-also-deletes-applicants", "PRV-06 status").rules(
    carrying("credential:UPDATE", "applicant:DELETE")
  ),
  mutant("capture-request-create-also-creates-credential-checks", "PRV-06 status").rules(
    carrying("captureRequest:CREATE", "credentialCheck:CREATE")
  ),
  mutant("webhook-create-also-updates", ["PRV-03 status", "PRV-05 status"]).rules(
    carrying("webhook:CREATE", "webhook:UPDATE")
  ),
  mutant("worker-read-also-reads-audit-events", ["PRV-01 status", "PRV-06 status"]).rules(
    carrying("worker:READ", "auditEvent:READ")
  ),
  mutant("exemption-create-needs-its-worker-to-be-readable", "PRV-05 status").rules(
    lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (nameOf(asked) !== "exemption:CREATE" || privileges.has("worker:READ"))
    )
  ),
  mutant("workers-cannot-be-listed", "PRV-13 status").answers({ ...workerLists, status: 200 }, (answer) =>
    Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")
  ),
  mutant("credentials-come-in-an-object", "PRV-13 wrong-type at body.data").answers(
    { ...credentialLists, status: 200 },
    Rewrite.field("data", { items: [] })
  )
]
