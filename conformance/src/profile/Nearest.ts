import { distance } from "fastest-levenshtein"

/** Returns the candidate with at most two different letters, and at most a third of the word, or undefined. */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  const near = [...candidates]
    .map((candidate) => ({ candidate, off: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ off }) => off <= Math.min(2, Math.ceil(word.length / 3)))
  return near.toSorted((left, right) => left.off - right.off)[0]?.candidate
}
