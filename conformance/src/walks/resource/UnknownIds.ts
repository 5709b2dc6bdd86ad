import { Effect } from "effect"
import { type Resource, read } from "../../calls/Resources.ts"
import { block, inWords } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { statusOf } from "../../wire/Exchange.ts"

/** Replacement characters that every id alphabet has: hexadecimal, and base 32 without 0, 1, 8 and 9. */
const alphabetOf = (character: string): string =>
  /[0-9]/.test(character) ? "234567" : /[a-z]/.test(character) ? "abcdef" : "ABCDEF"

/** The number of final characters that are exchanged: enough for 501 ids in any alphabet. */
const exchanged = 4

/** An id's prefix with its underscore, and the rest. */
const partsOf = (id: string): readonly [prefix: string, body: string] => {
  const end = id.indexOf("_") + 1
  return [id.slice(0, end), id.slice(end)]
}

const lastOf = (body: string): ReadonlyArray<number> =>
  [...body].flatMap((character, index) => (/[0-9A-Za-z]/.test(character) ? [index] : [])).slice(-exchanged)

/** The `number`-th way to exchange the characters at these places, counting like the digits of a number. */
const variant = (body: string, indices: ReadonlyArray<number>, number: number): string => {
  const characters = [...body]
  let rest = number
  for (const nth of indices.toReversed()) {
    const alphabet = alphabetOf(characters[nth] ?? "")
    const from = Math.max(0, alphabet.indexOf(characters[nth] ?? ""))
    characters[nth] = alphabet[(from + rest) % alphabet.length] ?? ""
    rest = Math.floor(rest / alphabet.length)
  }
  return characters.join("")
}

/**
 * Distinct ids in the form of a real one. The last characters are exchanged, digits for digits and letters for letters.
 * A short id becomes longer.
 */
export const alteredIds = (id: string, count: number): ReadonlyArray<string> => {
  const [prefix, body] = partsOf(id)
  const own = lastOf(body)
  const long = `${body}${(body[own.at(-1) ?? -1] ?? "0").repeat(exchanged - own.length)}`
  const indices = lastOf(long)
  const altered = new Set<string>()
  for (let number = 1; altered.size < count; number += 1) {
    const other = variant(long, indices, number)
    if (other !== body) altered.add(`${prefix}${other}`)
  }
  return [...altered]
}

/**
 * Whether an altered id may belong to another resource, as with sequential ids. Never send a change with such an id.
 */
export const isGuessable = (id: string): boolean => {
  const body = partsOf(id)[1].replaceAll(/[^0-9A-Za-z]/g, "")
  return body.length < 10 || /^[0-9]+$/.test(body)
}

/** Digits that a counter can have but has not reached. */
const farDigits = 15

/**
 * Ids in the form of a real one that are probably unused, the nearest first. With sequential ids the near ones are in
 * use, so the last one is far away.
 */
export const likelyUnknownIds = (real: string): ReadonlyArray<string> => {
  const prefix = real.slice(0, real.indexOf("_") + 1)
  const body = real.slice(prefix.length)
  const near = alteredIds(real, 500)
  const far = /^[0-9]+$/.test(body) ? [`${prefix}${body.padStart(farDigits, "9")}`] : []
  return [...near.slice(0, 1), ...near.slice(-1), ...far].filter((id) => id !== real)
}

/**
 * An id in the form of a real one that is almost certainly unused. Safe for calls that a wrong deployment might carry
 * out. Undefined if every id of that form may be in use.
 */
export const nobodysId = (real: string): string | undefined => {
  if (!isGuessable(real)) return alteredIds(real, 1)[0]
  const [prefix, body] = partsOf(real)
  const hasRoom = /^[0-9]+$/.test(body) && body.length < farDigits
  return hasRoom ? `${prefix}${body.padStart(farDigits, "9")}` : undefined
}

/**
 * Several such ids. Undefined if every id of that form may be in use. Ids with more digits than a counter reaches are
 * not sequential.
 */
export const nobodysIds = (real: string, count: number): ReadonlyArray<string> | undefined => {
  if (!isGuessable(real) || partsOf(real)[1].length >= farDigits) return alteredIds(real, count)
  const far = nobodysId(real)
  return far === undefined ? undefined : [far, ...alteredIds(far, count - 1)]
}

/**
 * An unused, well-formed credential id, checked by a read before use. With sequential ids the far one comes first: a
 * near one may be created soon, or may have been deleted.
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

/**
 * An unused id in a group's form, for calls that must be refused; undefined if every id may be in use. Where ids derive
 * from names, uses a name that was never sent.
 */
export const nobodyLike = Effect.fnUntraced(function* ({ id, unique }: Resource) {
  return id.includes(unique) ? id.replace(unique, yield* (yield* Session).unique) : nobodysId(id)
})
