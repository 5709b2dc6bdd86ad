import { Context, type Effect } from "effect"
import type { CredentialFields } from "../holding/Credential.ts"
import type { VerificationDraft } from "../holding/VerificationRecord.ts"
import type { Owner } from "../people/Engaged.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Plan, ScheduledTenant } from "./Plan.ts"
import type { DueIds } from "./Schedule.ts"

/** The schedules of verifications. Infrastructure failures die. */
export class ScheduleStore extends Context.Service<
  ScheduleStore,
  {
    /** The tenants with ids after this one, in order of id. */
    readonly tenants: (after: string, limit: number) => Effect.Effect<ReadonlyArray<ScheduledTenant>>
    readonly tenant: (id: string) => Effect.Effect<ScheduledTenant | undefined>
    /**
     * Calls `decide` with the next due credentials of the plan's types without an open verification, and their owners
     * that exist. Ends when as many verifications are open as the plan allows, or after `limit` credentials. In the same
     * transaction it writes the verifications, and where the schedule stands. `decide` is pure but for new ids.
     *
     * Returns how many verifications started, and whether credentials are left. Undefined, and nothing is written, if
     * the schedule does not stand as the plan says: another worker was first.
     */
    readonly start: (
      plan: Plan,
      due: DueIds,
      limit: number,
      decide: (credential: Stored<CredentialFields>, owners: ReadonlyArray<Owner>) => VerificationDraft | undefined
    ) => Effect.Effect<{ readonly started: number; readonly isBehind: boolean } | undefined>
    /** Counts up to `most` due credentials of the plan's types, and up to `most` of their verifications that run. */
    readonly backlog: (
      plan: Plan,
      due: DueIds,
      most: number
    ) => Effect.Effect<{ readonly due: number; readonly running: number }>
  }
>()("@wcs/domain/ScheduleStore") {}
