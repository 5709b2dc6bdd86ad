import { Context, type Effect } from "effect"
import type { CredentialFields } from "../holding/Credential.ts"
import type { Owner } from "../people/Engaged.ts"
import type { Stored } from "../resource/Resource.ts"
import { dayAfter } from "../shared/Instant.ts"
import { type DateRange, type Days, type Warned, type WarningDays, warnedDates } from "./ExpiryWarning.ts"

/** The last card that a round of warnings has looked at. */
export interface LastCard {
  readonly expiryDate: string
  readonly id: string
}

/** How far a tenant has been warned. */
export interface WarnedTenant {
  readonly tenantId: string
  readonly timeZone: string
  /** The last day whose warnings were all sent; null before the first round. */
  readonly through: string | null
  /** The round that was begun and has not ended. */
  readonly round: { readonly upTo: string; readonly last: LastCard } | null
}

/** A part of a round. */
export interface Portion extends Days {
  readonly tenant: WarnedTenant
  /** The last valid days of the cards that are left to look at, in order and without overlap. */
  readonly dates: ReadonlyArray<DateRange>
  readonly limit: number
}

/**
 * The next part of a tenant's round, or of a new one up to today; undefined if all warnings were sent. The first round of
 * a tenant begins today, so that no old warnings are sent.
 */
export const portionOf = (
  tenant: WarnedTenant,
  today: string,
  settings: WarningDays,
  limit: number
): Portion | undefined => {
  const days: Days = { after: tenant.through ?? dayAfter(today, -1), upTo: tenant.round?.upTo ?? today }
  if (days.upTo <= days.after) return undefined
  const last = tenant.round?.last.expiryDate ?? ""
  const dates = warnedDates(days, settings).filter(({ to }) => to >= last)
  return { ...days, tenant, dates, limit }
}

/** What a part of a round has written. */
export interface WarnedRound {
  readonly tenant: WarnedTenant
  readonly events: number
  readonly messages: number
}

/** How far each tenant was warned of cards that expire. Infrastructure failures die. */
export class WarningStore extends Context.Service<
  WarningStore,
  {
    /** The tenants with ids after this one, in order of id. */
    readonly tenants: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<WarnedTenant>>
    /**
     * Calls `decide` with each of the next living cards, in order of last valid day and id, and its owners that exist. In
     * the same transaction it writes the events, raises the version of their cards by one, queues the messages, and keeps
     * where the round stands. Events need a webhook, and messages a tenant that tells people of cards. Without both the
     * round ends at once. `decide` is pure but for new ids, and may be called more than once for a card.
     *
     * Returns how the tenant stands now, with the number of events and messages. Undefined, and nothing is written, if it does not
     * stand as `portion.tenant` says: another worker was first.
     */
    readonly warn: (
      portion: Portion,
      decide: (credential: Stored<CredentialFields>, owners: ReadonlyArray<Owner>) => Warned
    ) => Effect.Effect<WarnedRound | undefined>
  }
>()("@wcs/domain/WarningStore") {}
