import { distance } from "fastest-levenshtein"

/** Returns the candidate that differs in at most two letters, and in at most a third of the word; else undefined. */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  const near = [...candidates]
    .map((candidate) => ({ candidate, off: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ off }) => off <= Math.min(2, Math.ceil(word.length / 3)))
  return near.toSorted((left, right) => left.off - right.off)[0]?.candidate
}
