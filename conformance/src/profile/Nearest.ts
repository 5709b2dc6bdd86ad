/** Returns the edit distance of two words. */
const distance = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1]
    for (const [column, other] of [...right].entries()) {
      const [above = 0, across = 0, before = 0] = [row[column + 1], row[column], next[column]]
      next.push(Math.min(above + 1, before + 1, across + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[right.length] ?? 0
}

/** Returns the candidate with at most two different letters, and at most a third of the word, or undefined. */
export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  const near = [...candidates]
    .map((candidate) => ({ candidate, off: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ off }) => off <= Math.min(2, Math.ceil(word.length / 3)))
  return near.toSorted((left, right) => left.off - right.off)[0]?.candidate
}
