const surrogatesFirst = 0xd800
const surrogatesLast = 0xdfff
const codePointMax = 0x10ffff

/**
 * The first text, by code points, after all texts with the prefix: `ab` gives `ac`. None if there is no such text.
 * `LIKE` would need escaping and fold letter case on one engine only.
 */
export const endOfPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.length > 0) {
    const last = points.pop() ?? codePointMax
    if (last < codePointMax) {
      const next = last + 1
      return String.fromCodePoint(
        ...points,
        next >= surrogatesFirst && next <= surrogatesLast ? surrogatesLast + 1 : next
      )
    }
  }
  return undefined
}
