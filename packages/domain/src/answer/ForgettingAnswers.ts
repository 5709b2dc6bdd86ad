import { Clock, Effect } from "effect"
import { answerDays, answerDaysOf } from "../message/MessageSettings.ts"
import { MessageStore } from "../message/MessageStore.ts"
import { requestOf } from "../screening/Answer.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { dayAfter } from "../shared/Instant.ts"
import { AnswerAccessStore } from "./AnswerAccessStore.ts"
import { forgotten } from "./AnswerRetention.ts"

/** Tenants and requests that one statement reads. */
const tenantsMax = 256
const requestsMax = 200

const dayMillis = 86_400_000

/**
 * Returns a round that forgets answers and links of all tenants whose requests ended long enough ago. Each decision is made in
 * the transaction that writes it, so any number of workers may do the same.
 */
export const make = Effect.gen(function* () {
  const store = yield* AnswerAccessStore
  const messages = yield* MessageStore
  const ids = yield* Ids
  const auditId = ids.source("audit")
  const seen = new Map<string, string>()

  const ofTenant = Effect.fn("ForgettingAnswers.ofTenant")(function* (tenantId: string) {
    const { settings, timeZone } = yield* messages.tenant(tenantId)
    const term = { days: answerDaysOf(settings), timeZone }
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    const acting = { moment, auditId, requestId: yield* ids.ulid }
    // Each tenant once a day, and again if its term changes.
    const key = `${moment.today} ${timeZone} ${term.days}`
    if (seen.get(tenantId) === key) return
    // A person can have agreed to a shorter term than that of today.
    const least = Math.min(term.days, answerDays.least)
    const before = { day: dayAfter(moment.today, -least), at: moment.now - (least - 1) * dayMillis }
    for (let after = "", isMore = true; isMore; ) {
      const ended = yield* store.ended(tenantId, before, after, requestsMax)
      for (const id of ended) {
        const request = requestOf(id)
        if (request !== undefined)
          yield* store.forget(tenantId, request, moment.now, (known) => forgotten(known, term, acting))
      }
      after = ended.at(-1) ?? after
      isMore = ended.length === requestsMax
      yield* Effect.yieldNow // other work of the process runs between two reads
    }
    seen.set(tenantId, key)
  })

  return Effect.gen(function* () {
    for (let after = "", isMore = true; isMore; ) {
      const tenants = yield* store.tenants(after, tenantsMax)
      for (const tenantId of tenants) {
        // A fault at one tenant must not keep the answers of the others.
        yield* Effect.catchCause(ofTenant(tenantId), (cause) =>
          Effect.logWarning("The answers of a tenant could not be forgotten.", cause)
        )
      }
      after = tenants.at(-1) ?? after
      isMore = tenants.length === tenantsMax
    }
  })
})
