import { Effect } from "effect"
import { read } from "../../calls/Resources.ts"
import { block, inWords } from "../../engine/Judge.ts"
import { statusOf } from "../../wire/Exchange.ts"

/** Characters that every alphabet of ids has: hexadecimal ones, and those of base 32, which has no 0, 1, 8 and 9. */
const alphabetOf = (character: string): string =>
  /[0-9]/.test(character) ? "234567" : /[a-z]/.test(character) ? "abcdef" : "ABCDEF"

/** How many of an id's last characters give way to others: enough for 501 ids whatever their alphabet. */
const exchanged = 4

/** An id's prefix with its underscore, and what follows. */
const partsOf = (id: string): readonly [prefix: string, body: string] => {
  const end = id.indexOf("_") + 1
  return [id.slice(0, end), id.slice(end)]
}

const lastOf = (body: string): ReadonlyArray<number> =>
  [...body].flatMap((character, index) => (/[0-9A-Za-z]/.test(character) ? [index] : [])).slice(-exchanged)

/** The `number`-th way to exchange the characters at these places, as the digits of a number are counted up. */
const variant = (body: string, places: ReadonlyArray<number>, number: number): string => {
  const characters = [...body]
  let rest = number
  for (const place of places.toReversed()) {
    const alphabet = alphabetOf(characters[place] ?? "")
    const from = Math.max(0, alphabet.indexOf(characters[place] ?? ""))
    characters[place] = alphabet[(from + rest) % alphabet.length] ?? ""
    rest = Math.floor(rest / alphabet.length)
  }
  return characters.join("")
}

/**
 * Ids of the same form as a real one, each different from it and from the others: its last characters are exchanged,
 * digits for digits and letters for letters. An id that is too short for so many is made longer.
 */
export const alteredIds = (id: string, count: number): ReadonlyArray<string> => {
  const [prefix, body] = partsOf(id)
  const own = lastOf(body)
  const long = `${body}${(body[own.at(-1) ?? -1] ?? "0").repeat(exchanged - own.length)}`
  const places = lastOf(long)
  const altered = new Set<string>()
  for (let number = 1; altered.size < count; number += 1) {
    const other = variant(long, places, number)
    if (other !== body) altered.add(`${prefix}${other}`)
  }
  return [...altered]
}

/**
 * Whether an altered id may well be the id of something else: ids that are counted up. Nothing that would change what an
 * id stands for is sent with such a one.
 */
export const isGuessable = (id: string): boolean => {
  const body = partsOf(id)[1].replaceAll(/[^0-9A-Za-z]/g, "")
  return body.length < 10 || /^[0-9]+$/.test(body)
}

/** Digits that any counter has room for, and none has reached. */
const farDigits = 15

/**
 * Ids of a real one's form that are likely to be nobody's, the nearest first. Where ids are counted up the near ones are
 * somebody's, so the last one is far away.
 */
export const likelyUnknownIds = (real: string): ReadonlyArray<string> => {
  const prefix = real.slice(0, real.indexOf("_") + 1)
  const body = real.slice(prefix.length)
  const near = alteredIds(real, 500)
  const far = /^[0-9]+$/.test(body) ? [`${prefix}${body.padStart(farDigits, "9")}`] : []
  return [...near.slice(0, 1), ...near.slice(-1), ...far].filter((id) => id !== real)
}

/**
 * An id of a real one's form that a call which must be refused may be sent with, even though it might not be: nobody's,
 * as likely as can be. Undefined where ids are so short or so many that any may be somebody's.
 */
export const nobodysId = (real: string): string | undefined => {
  if (!isGuessable(real)) return alteredIds(real, 1)[0]
  const [prefix, body] = partsOf(real)
  const hasRoom = /^[0-9]+$/.test(body) && body.length < farDigits
  return hasRoom ? `${prefix}${body.padStart(farDigits, "9")}` : undefined
}

/** So many such ids; undefined likewise. What has more digits than a counter reaches is not counted up. */
export const nobodysIds = (real: string, count: number): ReadonlyArray<string> | undefined => {
  if (!isGuessable(real) || partsOf(real)[1].length >= farDigits) return alteredIds(real, count)
  const far = nobodysId(real)
  return far === undefined ? undefined : [far, ...alteredIds(far, count - 1)]
}

/**
 * A well-formed id that no credential has, seen to be unknown before anything is sent with it. Where ids are counted up
 * the far one is asked for first: what is unknown nearby may be made, or may have been deleted.
 */
export const unknownCredential = Effect.fnUntraced(function* (real: string) {
  const likely = likelyUnknownIds(real)
  const [first = real, ...others] = isGuessable(real) ? likely.toReversed() : likely
  let unknown = first
  let shown = yield* read("credential", unknown)
  for (const other of others) {
    if (statusOf(shown) === 404) return unknown
    unknown = other
    shown = yield* read("credential", unknown)
  }
  if (statusOf(shown) === 404) return unknown
  return yield* block(`no well-formed id of an unknown credential was found: ${inWords(shown)}`, shown)
})
