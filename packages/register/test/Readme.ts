import { readFileSync } from "node:fs"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

/** The code block after a comment with its name. */
export const block = (name: string): string => {
  const [, code] = new RegExp(`<!-- example: ${name} -->\n\`\`\`\\w+\n(.*?)^\`\`\`$`, "ms").exec(readme) ?? []
  if (code === undefined) throw new Error(`README.md has no example ${name}`)
  return code
}

/** The rows of the table with these column heads, as cells. */
export const table = (...heads: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const cellsOf = (line: string) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  const lines = readme.split("\n")
  const head = lines.findIndex((line) => cellsOf(line).join() === heads.join())
  if (head === -1) throw new Error(`README.md has no table of ${heads.join(", ")}`)
  const rest = lines.slice(head + 2)
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith("|"))
    )
    .map(cellsOf)
}
