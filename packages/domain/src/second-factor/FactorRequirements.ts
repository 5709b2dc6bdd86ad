import { Clock, Context, Data, Effect, Layer, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { CurrentTenant, type Tenant } from "../access/Tenant.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { CalendarDate } from "../shared/Instant.ts"
import { RequestId } from "../shared/RequestId.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { isRequiredOfAll } from "./SecondFactor.ts"

const from = Schema.NullOr(CalendarDate).annotate({
  description:
    "First day on which everybody needs an authenticator app, in the time zone of the organization. Null: no day."
})

/** The body of a change. */
export const FactorRequirementWrite = Schema.Struct({
  from,
  previous: Schema.optionalKey(Schema.NullOr(CalendarDate)).annotateKey({
    description:
      "The first day that the caller has seen; null for none. If another day is set meanwhile, the call is refused. " +
      "Without it, the last change counts."
  })
})
export type FactorRequirementWrite = typeof FactorRequirementWrite.Type

/** The requirement on the wire. */
export const FactorRequirement = Schema.Struct({
  from,
  inForce: Schema.Boolean.annotate({ description: "Whether everybody needs an authenticator app today." })
})
export type FactorRequirement = typeof FactorRequirement.Type

/** Another first day is set than the caller has seen. */
export class RequirementChanged extends Data.TaggedError("RequirementChanged")<{
  /** The present first day; null for none. */
  readonly from: string | null
}> {}

/** Whether an organization needs an authenticator app of everybody who logs in with a password. */
export class FactorRequirements extends Context.Service<
  FactorRequirements,
  {
    readonly read: Effect.Effect<FactorRequirement, never, CurrentTenant>
    /**
     * Sets the first day, or none. Users without an app set one up at their next login from then on. Fails with
     * RequirementChanged if the present day is neither this one nor the `previous` one.
     */
    readonly replace: (
      write: FactorRequirementWrite
    ) => Effect.Effect<FactorRequirement, RequirementChanged, Caller | CurrentTenant | RequestId>
  }
>()("@wcs/domain/FactorRequirements") {}

const show = Effect.fnUntraced(function* ({
  secondFactorFrom,
  timeZone
}: Pick<Tenant, "secondFactorFrom" | "timeZone">) {
  const today = dayAt(yield* Clock.currentTimeMillis, timeZone)
  return { from: secondFactorFrom ?? null, inForce: isRequiredOfAll(secondFactorFrom, today) }
})

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const audited = makeAudit(yield* Ids)

  return FactorRequirements.of({
    read: Effect.flatMap(CurrentTenant, show),
    replace: Effect.fn("FactorRequirements.replace")(function* ({ from, previous }) {
      const { id, timeZone } = yield* CurrentTenant
      const action = from === null ? "do not require second factors" : `require second factors from ${from}`
      const auditedAction = { operation: "UPDATE", action, entityType: "tenant", entityId: id } as const
      const at = yield* Clock.currentTimeMillis
      const audit = yield* audited(actorOf(yield* Caller, yield* RequestId), auditedAction, at)
      yield* store.setSecondFactorFrom(id, from ?? undefined, audit, ({ secondFactorFrom = null }) =>
        previous === undefined || secondFactorFrom === previous
          ? Result.void
          : Result.fail(new RequirementChanged({ from: secondFactorFrom }))
      )
      return yield* show({ timeZone, ...(from === null ? {} : { secondFactorFrom: from }) })
    })
  })
})

export const layer = Layer.effect(FactorRequirements, make)
