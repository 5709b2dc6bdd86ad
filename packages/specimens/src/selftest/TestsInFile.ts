// What a test file says of each of its tests. It is read by its indentation, which the formatter keeps: what a line begins
// goes on until one that is indented as little and closes nothing.

/** One test of a file. */
export interface TestInFile {
  /** The text in which it names what it is about: itself, what it is made for each of, and the titles around it. */
  readonly rules: string
  /** It holds for whatever is thought up. */
  readonly isProperty: boolean
  /** What it calls of the domain: `Ownership.decide`. */
  readonly uses: ReadonlyArray<string>
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Everything that a line begins. */
const blockAt = (lines: ReadonlyArray<string>, from: number): string => {
  const indent = indentOf(lines[from] ?? "")
  const end = lines.findIndex(
    (line, index) => index > from && line.trim() !== "" && indentOf(line) <= indent && !/^\s*[)\]}]/.test(line)
  )
  return lines.slice(from, end === -1 ? lines.length : end).join("\n")
}

/** What a file imports of the domain to call, by the name that it has there. */
const importedIn = (text: string): ReadonlyMap<string, string> => {
  const imported = new Map<string, string>()
  for (const [, names = "", module = ""] of text.matchAll(/^import \{([^}]*)\} from "@wcs\/domain\/[\w-]+\/(\w+)"/gm)) {
    for (const name of names.split(",").map((one) => one.trim())) {
      const [, original = "", own = original] = /^(\w+)(?: as (\w+))?$/.exec(name) ?? []
      if (original !== "") imported.set(own, `${module}.${original}`)
    }
  }
  return imported
}

const namespacesIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^import \* as (\w+) from "@wcs\/domain\/[\w-]+\/(\w+)"/gm)].map(([, own = "", module = ""]) => [
      own,
      module
    ])
  )

const wordsIn = (text: string): ReadonlySet<string> => new Set(text.match(/\b[A-Za-z_]\w*\b/g) ?? [])

/** A text with all that it names of what the file declares, as far as that goes. */
const unfolded = (text: string, declared: ReadonlyMap<string, string>): string => {
  const taken = new Set<string>()
  const take = (part: string): string =>
    [...wordsIn(part)].reduce((all, word) => {
      const block = declared.get(word)
      if (block === undefined || taken.has(word)) return all
      taken.add(word)
      return `${all}\n${take(block)}`
    }, part)
  return take(text)
}

/** Something that a file declares, and the `describe` in which it does: -1 outside of all. */
interface Declared {
  readonly name: string
  readonly text: string
  readonly within: number
}

/** Where the `describe`s begin that a line is in, the outermost first. */
const describesAround = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<number>> => {
  let open: ReadonlyArray<number> = []
  return lines.map((line, index) => {
    if (line.trim() === "") return open
    open = open.filter((begun) => indentOf(lines[begun] ?? "") < indentOf(line))
    const around = open
    if (/^\s*describe\b/.test(line)) open = [...open, index]
    return around
  })
}

const declaredIn = (
  lines: ReadonlyArray<string>,
  around: ReadonlyArray<ReadonlyArray<number>>
): ReadonlyArray<Declared> =>
  lines.flatMap((line, index) => {
    const [, name] = /^\s*(?:export )?(?:const|function|class) (\w+)/.exec(line) ?? []
    return name === undefined ? [] : [{ name, text: blockAt(lines, index), within: around[index]?.at(-1) ?? -1 }]
  })

const property = /\bfc\.(?:assert|property|asyncProperty|check|modelRun)\b|\bit\.(?:effect\.|live\.)?prop\b/

/** Every test of a file, by its text. */
export const testsIn = (text: string): ReadonlyArray<TestInFile> => {
  const lines = text.split("\n")
  const [imported, namespaces] = [importedIn(text), namespacesIn(text)]
  const around = describesAround(lines)
  const declared = declaredIn(lines, around)
  return lines.flatMap((line, index) => {
    if (!/^\s*it\b[.(]/.test(line)) return []
    const scopes = [-1, ...(around[index] ?? [])]
    const seen = new Map(
      scopes.flatMap((scope) =>
        declared.flatMap(({ name, text, within }) => (within === scope ? [[name, text] as const] : []))
      )
    )
    const own = blockAt(lines, index)
    const each = seen.get(/\bit\.each\((\w+)/.exec(line)?.[1] ?? "") ?? ""
    const whole = unfolded(own, seen)
    const words = wordsIn(whole)
    const called = [...imported].flatMap(([name, original]) => (words.has(name) ? [original] : []))
    const spaced = [...namespaces].flatMap(([name, module]) =>
      [...whole.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, "g"))].map(([, member]) => `${module}.${member}`)
    )
    return [
      {
        rules: [...scopes.map((scope) => lines[scope] ?? ""), each, own].join("\n"),
        isProperty: property.test(whole),
        uses: [...new Set([...called, ...spaced])]
      }
    ]
  })
}
