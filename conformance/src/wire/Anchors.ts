/**
 * Finds which of many anchors a text contains. Reads the text once, however many anchors there are: the last characters
 * of each anchor are in a table of hashes, and only a place whose hash is in the table is compared.
 */
export interface Anchors<Entry> {
  /** Adds an anchor, which may lead to several entries. */
  readonly add: (anchor: string, entry: Entry) => void
  /** Returns the entries whose anchors the text contains. */
  readonly entriesIn: (text: string) => ReadonlySet<Entry>
}

/** The number of characters that are hashed. Shorter anchors are searched for one by one. */
const gramChars = 6

const factor = 31
/** The weight of the character that leaves the window. */
const leaving = factor ** gramChars
const tableSize = 1 << 16

/** The hash of the characters up to `end`, from the hash of those one place before. */
const moved = (hash: number, text: string, end: number): number => {
  const entering = Math.imul(hash, factor) + text.charCodeAt(end)
  return end < gramChars ? entering : entering - Math.imul(text.charCodeAt(end - gramChars), leaving)
}

const hashOf = (gram: string): number => {
  let hash = 0
  for (let end = 0; end < gram.length; end += 1) hash = moved(hash, gram, end)
  return hash
}

/** Starts without anchors. */
export const make = <Entry>(): Anchors<Entry> => {
  const short: Array<readonly [anchor: string, entry: Entry]> = []
  const byGram = new Map<string, Array<readonly [anchor: string, entry: Entry]>>()
  const table = new Uint8Array(tableSize)

  const add = (anchor: string, entry: Entry): void => {
    if (anchor.length < gramChars) {
      short.push([anchor, entry])
      return
    }
    const gram = anchor.slice(-gramChars)
    table[hashOf(gram) & (tableSize - 1)] = 1
    byGram.set(gram, [...(byGram.get(gram) ?? []), [anchor, entry]])
  }

  const entriesIn = (text: string): ReadonlySet<Entry> => {
    const found = new Set<Entry>()
    for (const [anchor, entry] of short) if (text.includes(anchor)) found.add(entry)
    let hash = 0
    for (let end = 0; end < text.length; end += 1) {
      hash = moved(hash, text, end)
      if (table[hash & (tableSize - 1)] === 0 || end < gramChars - 1) continue
      for (const [anchor, entry] of byGram.get(text.slice(end + 1 - gramChars, end + 1)) ?? []) {
        if (text.startsWith(anchor, end + 1 - anchor.length)) found.add(entry)
      }
    }
    return found
  }

  return { add, entriesIn }
}
