import { Context, Effect, Layer, Option, Schema } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { BearerFields, Caller } from "../access/Caller.ts"
import { everyPrivilege, PlainRole, PrivilegeName, plainRole } from "../access/Privilege.ts"
import { CurrentTenant } from "../access/Tenant.ts"
import { EventStore } from "../audit/EventStore.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Unit } from "../people/Unit.ts"
import { time, timeOrNull, typeField } from "../resource/ShownFields.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { UnitId, WorkerId } from "../shared/Id.ts"
import { toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { makeRecentReset } from "./FactorNotice.ts"
import { UserStore } from "./UserStore.ts"

/** The caller on the wire. */
export const WhoAmIDocument = Schema.Struct({
  type: typeField("me"),
  account: Schema.String.annotate({ description: "URN of the account, as in error messages and audit events." }),
  email: Schema.NullOr(Schema.String).annotate({
    description: "Email address of the user. Null for the service account."
  }),
  role: PlainRole.annotate({ description: "Name of the role, or the list of privileges of a custom role." }),
  worker: Schema.NullOr(Schema.Struct({ id: WorkerId })).annotate({
    description: "The worker that the user is. The user cannot verify the credentials of this worker. Null if none."
  }),
  units: Schema.NullOr(
    Schema.Array(Schema.Struct({ id: UnitId, name: Schema.String.annotate({ description: "Name of the unit." }) }))
  ).annotate({
    description: "Units to whose people this call is limited, with all units below them. Null if it reaches all people."
  }),
  privileges: Schema.Array(PrivilegeName).annotate({
    description: "Privileges of this call, each as `<entity type>:<operation>`."
  }),
  tenant: Schema.Struct({
    id: Schema.String.annotate({ description: "Id of the tenant, `tnt_…`, assigned by the server." }),
    name: Schema.String.annotate({ description: "Name of the organization, set by the operator." }),
    timeZone: Schema.String.annotate({
      description: "Time zone whose calendar days decide expiry dates and verdicts, such as `Australia/Sydney`."
    })
  }).annotate({ description: "The tenant of the host that received this call." }),
  bearer: BearerFields.annotate({
    description: "The token, client or session of this call."
  }),
  authenticatedAt: timeOrNull("When the user of a session last authenticated; null for tokens."),
  secondFactorResetAt: Schema.optionalKey(time).annotateKey({
    description:
      "When the authenticator app of the user of a session was reset, for 30 days or until a new one is set up. Absent " +
      "otherwise."
  })
})
export type WhoAmIDocument = typeof WhoAmIDocument.Type

/** Returns the caller's own account. */
export class WhoAmI extends Context.Service<
  WhoAmI,
  { readonly read: Effect.Effect<WhoAmIDocument, never, Caller | CurrentTenant> }
>()("@wcs/domain/WhoAmI") {}

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const resources = yield* ResourceStore
  const users = yield* UserStore
  const recentReset = makeRecentReset(yield* EventStore)

  /** The units by name, without those that were deleted. */
  const namesOf = Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>) {
    const found = yield* resources.findAll(Unit, tenantId, ids)
    return ids.flatMap((id) => {
      const unit = found.get(id)
      return unit === undefined || !isVisible(unit, false) ? [] : [{ id, name: unit.fields.name }]
    })
  })

  /** The last reset of the app of an account that has none. Most accounts never had one, which costs one read. */
  const resetOf = Effect.fnUntraced(function* (tenantId: string, accountId: string) {
    const at = yield* recentReset(tenantId, accountId)
    if (at === undefined) return {}
    const logins = yield* users.logins(tenantId, [accountId])
    return logins.get(accountId)?.secondFactor ? {} : { secondFactorResetAt: toRfc3339(at) }
  })

  return WhoAmI.of({
    read: Effect.gen(function* () {
      const { account, authenticatedAt = null, bearer, limitedTo, privileges, tenantId, workerId } = yield* Caller
      const { id, name, timeZone } = yield* CurrentTenant
      const found = yield* store.findAccount(tenantId, accountIdOf(account))
      // Accounts are never deleted, and this account has just authenticated.
      const { email, role } = Option.getOrThrow(found)
      return {
        type: "me",
        account,
        email,
        role: plainRole(role),
        units: limitedTo === undefined ? null : yield* namesOf(tenantId, limitedTo),
        worker: workerId === null ? null : { id: workerId },
        privileges: everyPrivilege.filter((privilege) => privileges.has(privilege)),
        tenant: { id, name, timeZone },
        bearer,
        authenticatedAt: toRfc3339OrNull(authenticatedAt),
        ...(bearer.kind === "session" ? yield* resetOf(tenantId, accountIdOf(account)) : {})
      } as const
    }).pipe(Effect.withSpan("WhoAmI.read"))
  })
})

export const layer = Layer.effect(WhoAmI, make)
