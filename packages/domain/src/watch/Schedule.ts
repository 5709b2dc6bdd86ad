import { Option } from "effect"
import type { CredentialFields } from "../holding/Credential.ts"
import type { Stored } from "../resource/Resource.ts"
import { alphabet, prefixes } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { questionFor } from "../verification/VerificationRun.ts"
import type { StoredSource } from "../verification/VerificationSource.ts"
import { isEngaged, type Owner } from "./Engaged.ts"

// Scheduled verifications (DECISIONS.md#schedule). The random part of a credential's id is its place in each turn.

/**
 * Whether a source verifies a credential again by itself: the source can be asked, the register would be asked about the
 * credential today, and an owner is engaged.
 */
export const isWatched = (
  { fields: source }: StoredSource,
  credential: Stored<CredentialFields>,
  owners: ReadonlyArray<Owner>,
  today: string
): boolean =>
  source.state !== "PAUSED" &&
  source.state !== "NOT_CONFIGURED" &&
  source.credentialType === credential.fields.attributes.credentialType &&
  questionFor(Option.some(credential), today) !== undefined &&
  owners.some((owner) => isEngaged(owner, today))

/** Where the schedule of a source stands. */
export interface Stand {
  /** When the turn began in which each credential is verified once. */
  readonly turn: Instant
  /** The last credential of the turn that was looked at; empty at its begin. */
  readonly last: string
}

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

const intervalOf = ({ fields }: StoredSource): number => fields.intervalDays * dayMillis

/** When a stand was due. */
export const dueAt = (source: StoredSource, { last, turn }: Stand): Instant =>
  turn + (last === "" ? 0 : placeOf(last) * intervalOf(source))

/** Credentials in order of id that are due: after one id, and before another or to the end of the turn. */
export interface DueIds {
  readonly stand: Stand
  readonly before: string | undefined
  /** The stand after all of them. */
  readonly end: Stand
}

/**
 * The credentials that are due since a stand. A new schedule begins now. After a long time without a worker each
 * credential is due once.
 */
export const dueSince = (source: StoredSource, stand: Stand | null, now: Instant): DueIds => {
  const interval = intervalOf(source)
  const known = stand ?? { turn: now, last: "" }
  const missed = Math.max(0, now - interval - dueAt(source, known))
  const from = { ...known, turn: known.turn + missed }
  const place = (now - from.turn) / interval
  if (place >= 1) return { stand: from, before: undefined, end: { turn: from.turn + interval, last: "" } }
  const before = idAt(Math.max(0, place))
  return { stand: from, before, end: { turn: from.turn, last: before > from.last ? before : from.last } }
}

/** The interval of rounds, and of those of a source that is behind. */
export const roundMillis = 15 * 60_000
export const behindMillis = 60_000

/** The maximum number of verifications that a round starts. The other half of the calls is left to callers. */
export const startsMax = ({ fields }: StoredSource): number => Math.max(1, Math.floor(fields.limits.callsPerMinute / 2))
