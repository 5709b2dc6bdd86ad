import { Context, Option } from "effect"
import type { CredentialFields } from "../holding/Credential.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { isEngaged, type Owner } from "../people/Engaged.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"
import { type DefaultSource, isDefaultFor } from "../verification/DefaultSource.ts"
import { questionFor } from "../verification/VerificationRun.ts"
import type { StoredSource } from "../verification/VerificationSource.ts"

// Which cards are verified again by themselves (DECISIONS.md#schedule).

/** The schedule of tenants without a source of their own, at the deployment's register. */
export const DefaultSchedule = Context.Reference<{
  /** Days until a card is verified again; 0 for never. */
  readonly intervalDays: number
}>("@wcs/domain/DefaultSchedule", { defaultValue: () => ({ intervalDays: 7 }) })

/** Where a schedule stands. */
export interface Stand {
  /** When the turn began in which each credential is verified once. */
  readonly turn: Instant
  /** The last credential of the turn that was looked at; empty at its begin. */
  readonly last: string
}

/** A tenant with its living sources, and where the schedule of each stands: by the id of the source. */
export interface ScheduledTenant {
  readonly tenantId: string
  readonly timeZone: string
  readonly sources: ReadonlyArray<StoredSource>
  readonly stands: ReadonlyMap<string, Stand & { readonly lookedAt: Instant }>
}

/** The schedule of a source, or of the deployment's register for a tenant. */
export interface Plan {
  readonly tenantId: string
  readonly timeZone: string
  /** Undefined for the deployment's register. */
  readonly source: StoredSource | undefined
  /** The credential types that it is asked about; at least one. */
  readonly types: ReadonlyArray<string>
  readonly intervalDays: number
  /** The maximum number of verifications of these types that wait or run when another one starts. */
  readonly openMax: number
  /** Null before the first round. */
  readonly stand: Stand | null
  readonly lookedAt: Instant | null
}

/** The id of a schedule among those of its tenant. */
export const planId = ({ source }: Pick<Plan, "source">): string => source?.id ?? ""

/** The maximum number of open verifications of a tenant at the deployment's register. */
const defaultOpenMax = 30

/** Half of the calls of a minute, so that callers keep the other half. */
const halfOf = (callsPerMinute: number): number => Math.max(1, Math.floor(callsPerMinute / 2))

/** One at a time while the gateway fails. */
const openMaxOf = ({ fields: { limits, state } }: StoredSource): number =>
  state === "OK" ? halfOf(limits.callsPerMinute) : 1

const isOlder = (one: StoredSource, other: StoredSource): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt

/** The schedules of a tenant. The oldest source of a type is asked; the deployment's register about the other types. */
export const plansOf = (
  { sources, stands, tenantId, timeZone }: ScheduledTenant,
  settings: (typeof DefaultSource)["Service"] & (typeof DefaultSchedule)["Service"]
): ReadonlyArray<Plan> => {
  const planOf = (
    source: StoredSource | undefined,
    terms: Pick<Plan, "intervalDays" | "openMax" | "types">
  ): ReadonlyArray<Plan> => {
    const stored = stands.get(planId({ source }))
    const stand = stored === undefined ? null : { turn: stored.turn, last: stored.last }
    return [{ tenantId, timeZone, source, ...terms, stand, lookedAt: stored?.lookedAt ?? null }]
  }
  const typeOf = ({ fields }: StoredSource) => fields.credentialType
  const asked = sources.filter(
    (source) => !sources.some((other) => typeOf(other) === typeOf(source) && isOlder(other, source))
  )
  const own = asked.flatMap((source) => {
    const { credentialType, intervalDays } = source.fields
    return planOf(source, { types: [credentialType], intervalDays, openMax: openMaxOf(source) })
  })
  const types = CredentialType.asked.filter(
    (type) => isDefaultFor(settings, tenantId, type) && !asked.some((source) => typeOf(source) === type)
  )
  if (settings.intervalDays === 0 || types.length === 0) return own
  const openMax = Math.min(defaultOpenMax, halfOf(settings.callsPerMinute ?? Number.POSITIVE_INFINITY))
  return [...own, ...planOf(undefined, { types, intervalDays: settings.intervalDays, openMax })]
}

/** Why nothing starts: a person paused the source, or it has no secret. */
export const haltOf = ({ source }: Plan): "PAUSED" | "NOT_CONFIGURED" | undefined => {
  const state = source?.fields.state
  return state === "PAUSED" || state === "NOT_CONFIGURED" ? state : undefined
}

/**
 * Whether a credential is verified again by itself: the register can be asked, it would be asked about the credential
 * today, and an owner is engaged.
 */
export const isWatched = (
  plan: Plan,
  credential: Stored<CredentialFields>,
  owners: ReadonlyArray<Owner>,
  today: string
): boolean =>
  haltOf(plan) === undefined &&
  plan.types.includes(credential.fields.attributes.credentialType) &&
  questionFor(Option.some(credential), today) !== undefined &&
  owners.some((owner) => isEngaged(owner, today))
