import { Context, Effect, Layer, Option } from "effect"
import { accountUrn } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules, type Role } from "../access/Privilege.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { ResourceNotFound } from "../resource/Resource.ts"
import { idFormat, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import * as UserRights from "../user/UserRights.ts"
import { UserStore } from "../user/UserStore.ts"
import { SecondFactors } from "./SecondFactors.ts"

/** Resets of authenticator apps by administrators, for people who lost their phone. */
export class FactorResets extends Context.Service<
  FactorResets,
  {
    /**
     * Removes the app and the recovery codes of another user, and ends the user's sessions. Changes nothing for a user
     * without an app. The caller must have all of the user's privileges. The own app cannot be reset: a stolen session
     * could remove the second factor.
     */
    readonly reset: (
      id: string
    ) => Effect.Effect<void, InvalidArgument | ResourceNotFound | Forbidden, Caller | RequestId>
  }
>()("@wcs/domain/FactorResets") {}

export const make = Effect.gen(function* () {
  const users = yield* UserStore
  const rules = yield* PrivilegeRules
  const factors = yield* SecondFactors

  return FactorResets.of({
    reset: Effect.fn("FactorResets.reset")(function* (id) {
      if (!isId("account", id)) {
        return yield* new InvalidArgument({ field: "id", reason: `must be ${idFormat("account")}` })
      }
      const caller = yield* Caller
      if (accountUrn(id) === caller.account) {
        return yield* new InvalidArgument({ field: "id", reason: "must be another user: ask another administrator" })
      }
      const found = yield* users.find(caller.tenantId, id)
      if (Option.isNone(found)) return yield* new ResourceNotFound({ entityType: "user", id })
      const { account } = found.value
      const mayReset = (role: Role = account.role) => UserRights.mayChange(rules, caller, { role })
      yield* factors.reset(account, actorOf(caller, yield* RequestId), mayReset)
    })
  })
})

export const layer = Layer.effect(FactorResets, make)
