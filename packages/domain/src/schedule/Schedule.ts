import { alphabet, prefixes } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Plan, Stand } from "./Plan.ts"

// When a card is verified again (DECISIONS.md#schedule). The random part of a credential's id is its place in each turn.

/** The interval of rounds, and of those while a schedule is behind. In milliseconds. */
export const roundMillis = 15 * 60_000
export const behindMillis = 60_000

/** The digits of an id that make its place. 62 to the power of 8 is exact in a number. */
const digits = 8
const places = alphabet.length ** digits

/** The place of a credential in a turn: from 0 to less than 1, in the order of ids. */
const placeOf = (id: string): number =>
  [...id.slice(prefixes.credential.length, prefixes.credential.length + digits)].reduce(
    (sum, digit) => sum * alphabet.length + Math.max(0, alphabet.indexOf(digit)),
    0
  ) / places

/** The first id at or after a place. */
const idAt = (place: number): string => {
  let rest = Math.ceil(place * places)
  let text = ""
  for (let at = 0; at < digits; at++) {
    text = (alphabet[rest % alphabet.length] ?? "") + text
    rest = Math.floor(rest / alphabet.length)
  }
  return prefixes.credential + text
}

const dayMillis = 86_400_000

type Interval = Pick<Plan, "intervalDays">

/** The time until which all due credentials were looked at. In milliseconds. */
export const reachedAt = ({ intervalDays }: Interval, { last, turn }: Stand): Instant =>
  turn + (last === "" ? 0 : placeOf(last) * intervalDays * dayMillis)

/** Credentials in order of id that are due: after one id, and before another or to the end of the turn. */
export interface DueIds {
  readonly at: Instant
  readonly stand: Stand
  readonly before: string | undefined
  /** The stand after all of them. */
  readonly end: Stand
}

/**
 * The credentials that are due since the stand of a schedule. A new schedule begins now. After a long time without a
 * worker each credential is due once.
 */
export const dueSince = (plan: Interval & Pick<Plan, "stand">, now: Instant): DueIds => {
  const interval = plan.intervalDays * dayMillis
  const known = plan.stand ?? { turn: now, last: "" }
  const missed = Math.max(0, now - interval - reachedAt(plan, known))
  const from = { ...known, turn: known.turn + missed }
  const place = (now - from.turn) / interval
  if (place >= 1) return { at: now, stand: from, before: undefined, end: { turn: from.turn + interval, last: "" } }
  const before = idAt(Math.max(0, place))
  const isAhead = before < from.last
  return { at: now, stand: from, before, end: { turn: from.turn, last: isAhead ? from.last : before } }
}
