import { Clock, Effect } from "effect"
import type { Caller } from "../access/Caller.ts"

/** How long a read is kept, in milliseconds, and how many are. A round has many messages with the same figures. */
const keptMillis = 60_000
const keptMax = 100

/**
 * Returns a function that reads once what readers see alike: users of a tenant with the same privileges and no limit. `cause`
 * names what is read. A reader who is limited to units reads alone.
 */
export const makeSharedReads = <A>() => {
  const kept = new Map<string, { readonly until: number; readonly value: A }>()

  return Effect.fnUntraced(function* (reader: Caller["Service"], cause: string, read: Effect.Effect<A>) {
    if (reader.limitedTo !== undefined) return yield* read
    const now = yield* Clock.currentTimeMillis
    const key = [reader.tenantId, cause, ...[...reader.privileges].sort()].join(" ")
    const found = kept.get(key)
    if (found !== undefined && found.until > now && found.until <= now + keptMillis) return found.value
    const value = yield* read
    kept.delete(key)
    const [oldest] = kept.keys()
    if (kept.size >= keptMax && oldest !== undefined) kept.delete(oldest)
    kept.set(key, { until: now + keptMillis, value })
    return value
  })
}
