import { Schema } from "effect"
import {
  EntityType,
  entities,
  entityTypes,
  isSuperAdmin,
  Operation,
  type PrivilegeRules,
  RoleName,
  roles
} from "./Privilege.ts"

const operations = Schema.Array(Operation)

/** A role on the wire, with all that it may do. */
export const RoleDocument = Schema.Struct({
  name: RoleName.annotate({ description: "Name of the role, as in `role` of a user." }),
  purpose: Schema.String.annotate({ description: "Who the role is for, in one sentence." }),
  rights: Schema.Array(
    Schema.Struct({
      entityType: EntityType.annotate({ description: "Entity type of the privileges." }),
      name: Schema.String.annotate({ description: "The entities in plain words, such as `recruitment checks`." }),
      operations: operations.annotate({ description: "What the role may do. Empty if nothing." }),
      withinUnits: Schema.NullOr(operations).annotate({
        description: "What the role keeps if it is limited to units. Null if the role cannot be limited."
      })
    })
  ).annotate({ description: "The privileges of the role, one row for each entity type." })
}).annotate({ identifier: "Role" })
export type RoleDocument = typeof RoleDocument.Type

const purposes: Readonly<Record<RoleName, string>> = {
  "Super Admin":
    "Owns the organization in this service: everything, also single sign-on, API credentials and erasures.",
  Admin: "Runs the service: people, records, webhooks and users.",
  "Data Manager": "Keeps the records of people, and reads the rest.",
  Auditor: "Reads everything, also the audit log, and changes nothing.",
  Viewer: "Reads the records of people, and changes nothing."
}

/** Returns each role with its rights by the rules in force. */
export const roleTable = ({ privilegesOf }: Pick<PrivilegeRules["Service"], "privilegesOf">) =>
  (Object.keys(roles) as ReadonlyArray<RoleName>).map((name): RoleDocument => {
    const [held, kept] = [privilegesOf(name), privilegesOf({ role: name, units: [] })]
    return {
      name,
      purpose: purposes[name],
      rights: entityTypes.map((entityType) => {
        const among = (privileges: typeof held) =>
          entities[entityType].operations.filter((operation) => privileges.has(`${entityType}:${operation}`))
        return {
          entityType,
          name: entities[entityType].plural,
          operations: among(held),
          withinUnits: isSuperAdmin(name) ? null : among(kept)
        }
      })
    }
  })
