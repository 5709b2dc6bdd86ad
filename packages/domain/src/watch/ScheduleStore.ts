import { Context, type Effect } from "effect"
import type { CredentialFields } from "../holding/Credential.ts"
import type { VerificationDraft } from "../holding/VerificationRecord.ts"
import type { Stored } from "../resource/Resource.ts"
import type { StoredSource } from "../verification/VerificationSource.ts"
import type { Owner } from "./Engaged.ts"
import type { DueIds, Stand } from "./Schedule.ts"

/** A source with the stand of its schedule; null before the first round. */
export interface ScheduledSource {
  readonly tenantId: string
  readonly timeZone: string
  readonly source: StoredSource
  readonly stand: Stand | null
}

/** The schedules of verification sources. Infrastructure failures die. */
export class ScheduleStore extends Context.Service<
  ScheduleStore,
  {
    /** The living sources with a tenant and id after these, in their order. */
    readonly sources: (
      after: Pick<ScheduledSource, "tenantId"> & { readonly sourceId: string },
      limit: number
    ) => Effect.Effect<ReadonlyArray<ScheduledSource>>
    /**
     * Calls `decide` with the next due credentials without an open verification, and their owners that exist, until it
     * has started `startsMax` verifications or has looked at `limit` credentials. In the same transaction it writes the
     * verifications, and where the schedule stands. `decide` is pure but for new ids.
     *
     * Returns how many verifications started, and whether credentials are left. Undefined, and nothing is written, if
     * the schedule does not stand as `scheduled` says: another worker was first.
     */
    readonly start: (
      scheduled: ScheduledSource,
      due: DueIds,
      limits: { readonly startsMax: number; readonly limit: number },
      decide: (credential: Stored<CredentialFields>, owners: ReadonlyArray<Owner>) => VerificationDraft | undefined
    ) => Effect.Effect<{ readonly started: number; readonly isBehind: boolean } | undefined>
  }
>()("@wcs/domain/ScheduleStore") {}
