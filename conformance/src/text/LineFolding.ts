/**
 * Breaks a line between words so that no part is longer than the columns of the terminal. The parts after the first are
 * indented like the first, and by two more. A word that is too long stays whole. Without columns, the line stays.
 */
export const foldedLine = (line: string, columns: number | undefined): string => {
  if (columns === undefined || line.length <= columns) return line
  const start = /^ */.exec(line)?.[0] ?? ""
  const [first = "", ...words] = line.slice(start.length).split(" ")
  const parts = [`${start}${first}`]
  for (const word of words) {
    const part = `${parts.at(-1)} ${word}`
    if (part.length <= columns) parts[parts.length - 1] = part
    else parts.push(`${start}  ${word}`)
  }
  return parts.join("\n")
}
