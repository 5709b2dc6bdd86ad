import { Data, Result } from "effect"
import type { LoggedEntry } from "../audit/LoggedEntry.ts"

/**
 * The maximum number of seals in a proof. A seal is in it with the digests of its whole batch, at most 256 entries and 512
 * versions, which is about 80 kB. So a proof has at most about 32 MB: the service builds it in memory, and a check reads it
 * at once.
 */
export const sealsMax = 400

/** The maximum number of audit entries in a proof, besides the newest of each record: the oldest. */
export const entriesMax = 1000

/** The records of a proof have more seals than fit in one file. */
export class ProofTooLarge extends Data.TaggedError("ProofTooLarge")<{
  readonly workerId: string
  readonly seals: number
  readonly limit: number
}> {}

/** An audit entry with the number of its seal; null if it has none yet. */
export interface SealedEntry {
  readonly entry: LoggedEntry
  readonly seal: number | null
}

/** The entries of a proof, and why others are left out. */
interface Fitting {
  readonly entries: ReadonlyArray<SealedEntry>
  readonly remarks: ReadonlyArray<string>
}

const numbersOf = (all: ReadonlyArray<{ readonly seal: number | null }>): ReadonlyArray<number> =>
  all.flatMap(({ seal }) => seal ?? [])

/**
 * Returns the entries of a proof in their order. The seals of the records, and those of the newest entry of each record,
 * must be in it, or nobody could check it. Other entries are in it, the oldest first, as long as their seals fit.
 */
export const fitEntries = (
  workerId: string,
  records: ReadonlyArray<{ readonly seal: number | null }>,
  newest: ReadonlyArray<SealedEntry>,
  others: ReadonlyArray<SealedEntry>,
  limits: { readonly seals: number; readonly entries: number } = { seals: sealsMax, entries: entriesMax }
): Result.Result<Fitting, ProofTooLarge> => {
  const seals = new Set([...numbersOf(records), ...numbersOf(newest)])
  if (seals.size > limits.seals) {
    return Result.fail(new ProofTooLarge({ workerId, seals: seals.size, limit: limits.seals }))
  }
  const chosen = new Map(newest.map((each) => [each.entry.position, each]))
  const further = others.filter(({ entry }) => !chosen.has(entry.position))
  let leftOut = Math.max(0, further.length - limits.entries)
  for (const each of further.slice(0, limits.entries)) {
    const fits = each.seal === null || seals.has(each.seal) || seals.size < limits.seals
    if (!fits) leftOut += 1
    else {
      chosen.set(each.entry.position, each)
      if (each.seal !== null) seals.add(each.seal)
    }
  }
  return Result.succeed({
    entries: [...chosen.values()].toSorted((one, two) => one.entry.position - two.entry.position),
    remarks:
      leftOut === 0
        ? []
        : ["Audit entries are left out: the file would be too large with them. An export of the audit log has all."]
  })
}
