import { Option, Result } from "effect"
import { serverActing } from "../audit/AuditEntry.ts"
import { isEngaged } from "../people/Engaged.ts"
import type { WorkerFields } from "../people/Worker.ts"
import type { Stored } from "../resource/Resource.ts"
import { dayAt, type Moment } from "../shared/CalendarDay.ts"
import { dayAfter, isCalendarDate } from "../shared/Instant.ts"
import { type Erasure, eventOf } from "./Erasure.ts"
import type { ErasureBasis, ErasureChange, Leaver, TenantRetention } from "./ErasureStore.ts"
import { begun } from "./Erasures.ts"

// How the retention of a tenant erases workers who have left (DECISIONS.md#erasure).

/** Days between the announcement of an erasure and the erasure, at least. */
export const noticeDays = 30

/** The same day that many years later. 29 February becomes 1 March in other years. */
const yearsAfter = (day: string, years: number): string => {
  const later = `${String(Number(day.slice(0, 4)) + years).padStart(4, "0")}${day.slice(4)}`
  return isCalendarDate(later) ? later : dayAfter(`${later.slice(0, 8)}28`, 1)
}

/**
 * The first day on which a worker's record may be erased. Undefined if the worker is still engaged, or kept for ever.
 * The years begin with the last day of the employment, or else with the deletion or last change of the worker.
 */
export const erasableFrom = (
  worker: Stored<WorkerFields>,
  { retentionYears, timeZone }: TenantRetention,
  { today }: Moment
): string | undefined => {
  if (retentionYears === undefined || isEngaged({ type: "worker", person: worker }, today)) return undefined
  // A merged worker is kept as long as the one that continues it, and erased with it.
  if (worker.fields.mergedInto !== undefined) return undefined
  const left = worker.fields.employment?.endDate ?? dayAt(worker.deletedAt ?? worker.updatedAt, timeZone)
  return dayAfter(yearsAfter(left, retentionYears), 1)
}

/** What the retention does with a worker on a day. */
export type Step =
  | { readonly _tag: "Keep" }
  | { readonly _tag: "Announce"; readonly dueOn: string }
  | { readonly _tag: "Withdraw" }
  | { readonly _tag: "Erase" }

const keep: Step = { _tag: "Keep" }

/** Erases a worker only if `noticeDays` have passed since the announcement, and the rule still holds on the day. */
export const stepOf = ({ erasure, worker }: Leaver, retention: TenantRetention, moment: Moment): Step => {
  if (erasure !== undefined && erasure.status !== "ANNOUNCED") return keep
  const { today } = moment
  const from = erasableFrom(worker, retention, moment)
  if (erasure === undefined) {
    if (from === undefined || today < dayAfter(from, -noticeDays)) return keep
    const soonest = dayAfter(today, noticeDays)
    const isLate = from < soonest
    return { _tag: "Announce", dueOn: isLate ? soonest : from }
  }
  const { dueOn } = erasure
  if (from === undefined || dueOn === null || dueOn < from) return { _tag: "Withdraw" }
  return today < dueOn ? keep : { _tag: "Erase" }
}

/** What a step needs besides the worker. */
interface Acting {
  readonly requestId: string
  readonly auditId: () => string
  readonly eventId: () => string
  readonly moment: Moment
}

/** The decision about a worker whose retention may have ended. */
export const retained = (
  tenantId: string,
  basis: ErasureBasis,
  { auditId, eventId, moment, requestId }: Acting
): ErasureChange => {
  const nothing: ErasureChange = { erasure: undefined, next: undefined, records: { audit: [], events: [] } }
  if (Option.isNone(basis.worker)) return nothing
  const worker = basis.worker.value
  const step = stepOf({ worker, erasure: Option.getOrUndefined(basis.erasure) }, basis.retention, moment)
  const { now } = moment
  const actor = serverActing(requestId)
  switch (step._tag) {
    case "Keep":
      return nothing
    case "Withdraw":
      return { ...nothing, erasure: null }
    case "Announce": {
      const erasure: Erasure = {
        ...{ tenantId, workerId: worker.id, reason: "RETENTION_ENDED", status: "ANNOUNCED", account: actor.account },
        ...{ requestId, requestedAt: now, dueOn: step.dueOn, erasedAt: null }
      }
      const next = { ...worker, version: worker.version + 1 } // orders the events of the worker
      return { erasure, next, records: { audit: [], events: [eventOf("worker.erasing", erasure, eventId(), now)] } }
    }
    case "Erase":
      return Result.getOrElse(
        begun(tenantId, worker.id, basis, { actor, auditId, now, reason: "RETENTION_ENDED" }),
        () => nothing
      )
  }
}
