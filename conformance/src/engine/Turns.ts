import type { Call } from "../judgement/Session.ts"
import type { Profile } from "../profile/Profile.ts"
import { type Turn, turnsOf } from "../profile/ValidTokens.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"

// Lets the valid tokens of a profile take turns in the calls that anyone may make.

const numberOf = (text: string): number =>
  [...text].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003, 7)

/** The call without the id in its path. */
const shapeOf = ({ method, path }: Call): string => {
  const [, group, , action = ""] = (path.split("?")[0] ?? "").split("/")
  return `${method} ${group} ${path.split("/").length} ${action}`
}

/** Spellings of the prefix (§5.2). */
const prefixes = ["bearer", "BEARER", "BeArEr"]

/** A token, and the prefix with which it is sent. */
export interface Chosen extends Pick<Turn, "as"> {
  readonly prefix: string
}

/**
 * Returns a function that chooses the token of each call of a walk: the same in every run, and for every read of one
 * path, because a deployment may remember what a token has read.
 */
export const turning = (walk: string, profile: Profile) => {
  const counts = new Map<string, number>()
  const chosen = new Map<string, Turn | undefined>()
  const next = (call: Call): Turn | undefined => {
    const shape = shapeOf(call)
    const count = counts.get(shape) ?? numberOf(`${walk} ${shape}`)
    counts.set(shape, count + 1)
    // an external user may only read
    const turns = turnsOf(profile).filter(({ as }) => as !== "externalToken" || call.method === "GET")
    return turns[count % turns.length]
  }
  return (call: Call): Chosen | undefined => {
    if (call.turn === undefined || call.as !== undefined) return undefined
    const path = `${call.method} ${call.path}`
    const known = call.method === "GET" && chosen.has(path) ? chosen.get(path) : next(call)
    chosen.set(path, known)
    const turn = call.turn === "any" ? known : turnsOf(profile)[call.turn]
    if (turn === undefined) return undefined
    const spelling = prefixes[numberOf(`${walk} ${shapeOf(call)}`) % prefixes.length] ?? ""
    return { as: turn.as, prefix: turn.isSpelt === true ? spelling : "Bearer" }
  }
}

/**
 * Whether the admin makes the call again, so that a refusal counts against the rules about the token alone. What a read
 * does not find may not exist.
 */
export const isMadeAgain = ({ method }: Call, exchange: Exchange): boolean =>
  (method === "GET" ? [401, 403] : [401, 403, 404, 405]).includes(statusOf(exchange))
