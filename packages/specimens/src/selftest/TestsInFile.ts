// Reads the tests in a test file. Relies on the formatter's indentation: a block ends at the next line of the same
// indentation that does not only close it.

/** One test of a file. */
export interface TestInFile {
  /** The text in which the test names its rules: its own title, its parameters, and the titles around it. */
  readonly rules: string
  /** Whether it tests generated input. */
  readonly isProperty: boolean
  /** The domain functions that it calls: `Ownership.decide`. */
  readonly uses: ReadonlyArray<string>
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** The block that starts at a line. */
const blockAt = (lines: ReadonlyArray<string>, from: number): string => {
  const indent = indentOf(lines[from] ?? "")
  const end = lines.findIndex(
    (line, index) => index > from && line.trim() !== "" && indentOf(line) <= indent && !/^\s*[)\]}]/.test(line)
  )
  return lines.slice(from, end === -1 ? lines.length : end).join("\n")
}

/** The domain imports of a file, by local name. */
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

/** A text with the declarations of the file that it uses, transitively. */
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

/** A declaration in a file, and its `describe`: -1 for none. */
interface Declared {
  readonly name: string
  readonly text: string
  readonly within: number
}

/** The start lines of the `describe` blocks around a line, outermost first. */
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

/** The tests in a file's text. */
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
