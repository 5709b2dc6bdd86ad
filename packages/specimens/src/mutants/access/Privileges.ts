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
import type { Kill, Mutant } from "../../Mutant.ts"
import { granting, has, lookingFor, open, openToWhoever } from "../../seams/PrivilegeSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const statusOf = (rule: Kill["rule"]): Kill => ({ rule, kind: "status", at: "status" })

const workerLists = { method: "GET", path: /^\/workers(\?|$)/ }
const credentialLists = { method: "GET", path: /^\/credentials(\?|$)/ }

/** One operation implies another on the same entity type. */
const implying = (granted: ReadonlyArray<Operation>, asked: Operation) =>
  granting(
    (privileges, { entityType, operation }) =>
      operation === asked && granted.some((one) => has(privileges, { entityType, operation: one }))
  )

const readMutants: ReadonlyArray<Mutant> = [
  {
    name: "whoever-may-write-may-read",
    rules: implying(["CREATE", "UPDATE", "DELETE"], "READ"),
    kills: [statusOf("PRV-01"), statusOf("PRV-05")]
  },
  {
    name: "list-that-may-not-be-read-is-empty",
    rewrite: Rewrite.answers({ ...workerLists, status: 403 }, (answer) => Answering.success(answer, 200, [])),
    kills: [statusOf("PRV-01")]
  },
  {
    name: "list-that-may-not-be-read-is-not-there",
    rewrite: Rewrite.answers({ ...workerLists, status: 403 }, (answer) =>
      Answering.refusal(answer, 404, "NOT_FOUND", "There is no such list.")
    ),
    kills: [statusOf("PRV-01")]
  },
  {
    name: "refused-read-has-a-code-of-its-own",
    rewrite: Rewrite.answers(
      { ...credentialLists, status: 403 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "PERMISSION_DENIED"))
    ),
    kills: [{ rule: "PRV-01", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  }
]

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

const writeMutants: ReadonlyArray<Mutant> = [
  {
    name: "whoever-may-change-may-create",
    rules: implying(["UPDATE"], "CREATE"),
    kills: [statusOf("PRV-02"), statusOf("PRV-05")]
  },
  {
    name: "credential-creates-are-not-guarded",
    rules: granting((_, asked) => nameOf(asked) === "credential:CREATE"),
    kills: [statusOf("PRV-02"), statusOf("PRV-05"), statusOf("PRV-06"), statusOf("PRV-07")]
  },
  {
    name: "put-is-guarded-as-a-create",
    rewrite: openToWhoever({ method: "PUT", path: /^\/workers\/[^/]+$/ }, creatingNothing("/openapi/v1/workers")),
    kills: [statusOf("PRV-03"), statusOf("PRV-05")]
  },
  {
    name: "put-that-nobody-shows-is-not-guarded",
    profile: withoutPut,
    rewrite: open({ method: "PUT", path: /^\/workers\/[^/]+$/ }),
    kills: [statusOf("PRV-03")]
  },
  {
    name: "whoever-may-change-may-delete",
    rules: implying(["UPDATE"], "DELETE"),
    kills: [statusOf("PRV-04"), statusOf("PRV-05")]
  },
  {
    name: "refused-delete-is-a-method-that-is-not-allowed",
    rewrite: Rewrite.answers({ method: "DELETE", status: 403 }, (answer) =>
      Answering.refusal(answer, 405, "METHOD_NOT_ALLOWED", "Nothing is deleted here.")
    ),
    kills: [statusOf("PRV-04"), statusOf("PRV-08")]
  }
]

/** Whether the privileges have every operation on an entity type. */
const hasAllOf = (privileges: Privileges, entityType: EntityType): boolean =>
  entities[entityType].operations.every((operation) => has(privileges, { entityType, operation }))

const aloneMutants: ReadonlyArray<Mutant> = [
  {
    name: "change-needs-read-as-well",
    rules: lookingFor(
      (privileges, asked) =>
        has(privileges, asked) &&
        (asked.operation !== "UPDATE" || has(privileges, { entityType: asked.entityType, operation: "READ" }))
    ),
    kills: [statusOf("PRV-05")]
  },
  {
    name: "delete-needs-all-of-an-entity-type",
    rules: lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (asked.operation !== "DELETE" || hasAllOf(privileges, asked.entityType))
    ),
    kills: [statusOf("PRV-05")]
  },
  {
    name: "credential-create-needs-its-owner-to-be-readable",
    rules: lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (nameOf(asked) !== "credential:CREATE" || privileges.has("worker:READ"))
    ),
    kills: [statusOf("PRV-05")]
  }
]

const wholeTypes = entityTypes.filter((entityType) => entities[entityType].operations.length > 1)

const reachMutants: ReadonlyArray<Mutant> = [
  {
    name: "privileges-are-compared-as-far-as-the-entity-type-goes",
    rules: granting((privileges, { entityType, operation }) =>
      [...privileges].some((one) => one.startsWith(entityType) && one.endsWith(`:${operation}`))
    ),
    kills: [statusOf("PRV-06")],
    alsoKills: ["PRV-01"]
  },
  {
    name: "whoever-may-read-workers-may-read-what-they-own",
    rules: granting((privileges, asked) => nameOf(asked) === "credential:READ" && privileges.has("worker:READ")),
    kills: [statusOf("PRV-06"), statusOf("PRV-01")],
    alsoKills: ["PRV-11"]
  },
  {
    name: "whoever-may-do-all-of-one-thing-may-do-all",
    rules: granting((privileges) => wholeTypes.some((entityType) => hasAllOf(privileges, entityType))),
    kills: [statusOf("PRV-06")],
    alsoKills: ["PRV-16"]
  },
  {
    name: "ban-is-a-change-of-the-worker",
    rules: granting((privileges, asked) => nameOf(asked) === "worker:UPDATE" && privileges.has("ban:READ")),
    kills: [statusOf("PRV-06")]
  }
]

/** One privilege implies another. */
const carrying = (one: PrivilegeName, other: PrivilegeName) =>
  granting((privileges, asked) => nameOf(asked) === other && privileges.has(one))

const furtherMutants: ReadonlyArray<Mutant> = [
  {
    name: "delete-without-the-privilege-is-not-found",
    rewrite: Rewrite.answers({ method: "DELETE", status: 403 }, (answer) =>
      Answering.refusal(answer, 404, "NOT_FOUND", "There is no such resource.")
    ),
    kills: [statusOf("PRV-05"), statusOf("PRV-06")]
  },
  {
    name: "whoever-may-read-workers-may-read-who-is-banned",
    rules: carrying("worker:READ", "ban:READ"),
    kills: [statusOf("PRV-01"), statusOf("PRV-06")]
  },
  {
    name: "exemption-creates-are-not-guarded",
    rules: granting((_, asked) => nameOf(asked) === "exemption:CREATE"),
    kills: [statusOf("PRV-02"), statusOf("PRV-05"), statusOf("PRV-06"), statusOf("PRV-07")]
  },
  {
    name: "whoever-may-change-workers-may-exempt-them",
    rules: carrying("worker:UPDATE", "exemption:CREATE"),
    kills: [statusOf("PRV-06")]
  },
  {
    name: "whoever-may-make-a-screening-package-may-change-one",
    rules: carrying("screeningPackage:CREATE", "screeningPackage:UPDATE"),
    kills: [statusOf("PRV-03"), statusOf("PRV-05")]
  },
  {
    name: "whoever-may-read-a-compliance-check-may-delete-it",
    rules: carrying("complianceCheck:READ", "complianceCheck:DELETE"),
    kills: [statusOf("PRV-04"), statusOf("PRV-05")],
    alsoKills: ["PRV-08"]
  },
  {
    name: "whoever-may-change-credentials-may-delete-applicants",
    rules: carrying("credential:UPDATE", "applicant:DELETE"),
    kills: [statusOf("PRV-06")]
  },
  {
    name: "whoever-may-ask-workers-may-ask-applicants",
    rules: carrying("captureRequest:CREATE", "credentialCheck:CREATE"),
    kills: [statusOf("PRV-06")]
  },
  {
    name: "whoever-may-make-a-webhook-may-send-it-elsewhere",
    rules: carrying("webhook:CREATE", "webhook:UPDATE"),
    kills: [statusOf("PRV-03"), statusOf("PRV-05")]
  },
  {
    name: "whoever-may-read-workers-may-read-who-did-what",
    rules: carrying("worker:READ", "auditEvent:READ"),
    kills: [statusOf("PRV-01"), statusOf("PRV-06")]
  },
  {
    name: "exemption-create-needs-its-worker-to-be-readable",
    rules: lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (nameOf(asked) !== "exemption:CREATE" || privileges.has("worker:READ"))
    ),
    kills: [statusOf("PRV-05")]
  }
]

const groupMutants: ReadonlyArray<Mutant> = [
  {
    name: "workers-cannot-be-listed",
    rewrite: Rewrite.answers({ ...workerLists, status: 200 }, (answer) =>
      Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")
    ),
    kills: [statusOf("PRV-13")]
  },
  {
    name: "credentials-come-in-an-object",
    rewrite: Rewrite.answers(
      { ...credentialLists, status: 200 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: [] }))
    ),
    kills: [{ rule: "PRV-13", kind: "wrong-type", at: "body.data" }]
  }
]

/** Defects of privileges. */
export const privilegeMutants: ReadonlyArray<Mutant> = [
  ...readMutants,
  ...writeMutants,
  ...aloneMutants,
  ...reachMutants,
  ...furtherMutants,
  ...groupMutants
]
