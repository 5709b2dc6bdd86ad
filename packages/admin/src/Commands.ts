import type { NoSuch } from "@wcs/domain/access/NoSuch"
import { entities } from "@wcs/domain/access/Privilege"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import type { CollectionFull } from "@wcs/domain/resource/Resource"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { AccessStore, type EmailTaken, type HostTaken } from "@wcs/domain/token/AccessStore"
import { operator } from "@wcs/domain/token/Operator"
import type { PasswordsBusy } from "@wcs/domain/user/Passwords"
import { Effect } from "effect"
import { AdminRefused } from "./AdminRefused.ts"

type Refusal = InvalidArgument | NoSuch | HostTaken | EmailTaken | CollectionFull | PasswordsBusy | AdminRefused

const refusedBy = (refusal: Refusal): AdminRefused => {
  switch (refusal._tag) {
    case "AdminRefused":
      return refusal
    case "InvalidArgument":
      return new AdminRefused({ code: "INVALID_ARGUMENT", message: `${refusal.field} ${refusal.reason}` })
    case "NoSuch":
      return new AdminRefused({ code: "NOT_FOUND", message: `there is no ${refusal.what} ${refusal.id}` })
    case "HostTaken":
      return new AdminRefused({
        code: "DUPLICATE_ID",
        message: `the host ${refusal.host} belongs to another tenant; list-hosts names it`
      })
    case "EmailTaken":
      return new AdminRefused({
        code: "DUPLICATE_ID",
        message: `a user with the email ${refusal.email} already exists`
      })
    case "CollectionFull": {
      const { plural } = entities[refusal.entityType]
      const message = `the limit of ${refusal.most} ${plural} is reached; revoke or deactivate one, or raise the limit`
      return new AdminRefused({ code: "UNPROCESSABLE", message })
    }
    case "PasswordsBusy":
      return new AdminRefused({ code: "UNAVAILABLE", message: "too many passwords are being hashed; try again" })
  }
}

/** Runs a command as the operator. Each refusal is one sentence. */
export const asOperator = <A, E extends Refusal, R>(act: (actor: Actor) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(operator, (actor) => Effect.mapError(act(actor), refusedBy))

/** The most tenants that a refusal names. */
const namedMax = 20

/** The tenants to choose from, each with its id. */
const choicesOf = (tenants: ReadonlyArray<Tenant>): string => {
  const named = tenants.slice(0, namedMax).map(({ id, name }) => `${name} (${id})`)
  const others = tenants.length - named.length
  return named.join(", ") + (others === 0 ? "" : `, and ${others} more that wcs admin list-tenants shows`)
}

/** Finds the tenant. Ids take precedence over names, because a name can look like an id. */
export const tenantOf = Effect.fnUntraced(function* (wanted: string | null) {
  const tenants = yield* AccessStore.use((store) => store.listTenants)
  const choices = choicesOf(tenants)
  if (wanted === null) {
    const [only, another] = tenants
    if (only !== undefined && another === undefined) return only
    const message = `the deployment has ${tenants.length} tenants: select one with --tenant NAME: ${choices}`
    return yield* new AdminRefused({ code: "INVALID_ARGUMENT", message })
  }
  const byId = tenants.filter(({ id }) => id === wanted)
  const [found, another] = byId.length > 0 ? byId : tenants.filter(({ name }) => name === wanted)
  if (found === undefined) {
    return yield* new AdminRefused({
      code: "NOT_FOUND",
      message: `there is no tenant ${wanted}; the tenants are ${choices}`
    })
  }
  if (another !== undefined) {
    const message = `several tenants have the name ${wanted}; select one by id: ${choices}`
    return yield* new AdminRefused({ code: "INVALID_ARGUMENT", message })
  }
  return found
})

/** Runs a command as the operator in the tenant with this name or id. */
export const inTenant = <A, E extends Refusal, R>(
  wanted: string | null,
  act: (tenantId: string, actor: Actor) => Effect.Effect<A, E, R>
) =>
  asOperator((actor) =>
    Effect.flatMap(tenantOf(wanted), ({ id }): Effect.Effect<A, E | AdminRefused, R> => act(id, actor))
  )
