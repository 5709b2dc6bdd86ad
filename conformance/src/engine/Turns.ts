import type { Call } from "../judgement/Session.ts"
import type { PrincipalName } from "../profile/Principals.ts"
import type { Profile } from "../profile/Profile.ts"
import { turnsOf } from "../profile/ValidTokens.ts"
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
const prefixes = ["Bearer", "bearer", "BEARER", "BeArEr"]

/** A token, and the spelling of its prefix. */
interface Turn {
  readonly as: PrincipalName
  readonly prefix: string
}

/**
 * Returns a function that chooses the token of each call of a walk: the same in every run, and for every read of one
 * path, because a deployment may remember what a token has read.
 */
export const turning = (walk: string, profile: Profile) => {
  const counts = new Map<string, number>()
  const reads = new Map<string, Turn>()
  const next = (call: Call): Turn => {
    const shape = shapeOf(call)
    const count = counts.get(shape) ?? numberOf(`${walk} ${shape}`)
    counts.set(shape, count + 1)
    // an external user may only read
    const turns = turnsOf(profile).filter((as) => as !== "externalToken" || call.method === "GET")
    const as = turns[typeof call.turn === "number" ? call.turn : count % turns.length] ?? "admin"
    // a token that a walk chooses keeps its spelling, so that it makes a call a second time
    const spelling =
      typeof call.turn === "number" ? numberOf(shape) + call.turn : count + Math.floor(count / turns.length)
    return { as, prefix: prefixes[spelling % prefixes.length] ?? "" }
  }
  return (call: Call): Turn | undefined => {
    if (call.turn === undefined || call.as !== undefined) return undefined
    const read = `${call.path} ${call.turn}`
    const turn = (call.method === "GET" ? reads.get(read) : undefined) ?? next(call)
    if (call.method === "GET") reads.set(read, turn)
    return turn
  }
}

/**
 * Whether the call is made again as usual, so that a refusal counts against the rules about the token alone. What a read
 * does not find may not exist.
 */
export const isMadeAgain = ({ isOfContent, method }: Call, exchange: Exchange): boolean =>
  (isOfContent === true || method === "GET" ? [401, 403] : [401, 403, 404, 405]).includes(statusOf(exchange))
