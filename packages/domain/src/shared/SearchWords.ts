/** Characters that people write as an apostrophe. Some of them are letters to Unicode. */
const apostrophes = /['’‘‛ʼʻʹʽ′`´\u1ffdꞌ＇]/gu

/** Letters that have no decomposition, with the letters that people type for them. */
const plainLetters: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ɖ: "d",
  ɗ: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ɓ: "b",
  ƙ: "k",
  ƴ: "y",
  ƶ: "z",
  ɨ: "i",
  ʉ: "u",
  ς: "σ"
}
const specialLetters = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "gu")

/**
 * Folds text for searches: compatibility forms, letter case, marks and invisible characters make no difference.
 * Folding is idempotent, and the folded beginning of a text is the beginning of the folded text.
 */
export const fold = (text: string): string =>
  text
    .replace(apostrophes, "'") // an acute accent as apostrophe would decompose to a space
    .normalize("NFKD")
    .toLowerCase()
    .toUpperCase() // ß is SS then, ı is I, and the iota subscript is a letter
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replace(specialLetters, (letter) => plainLetters[letter] ?? letter)
    .replace(apostrophes, "'")

/** The longest word that is compared, in code points. Longer words are cut on both sides. */
const wordLengthMax = 40

/** The most words of one resource. A display name of 200 characters has fewer. */
const wordsMax = 256

/** The most words of a query. Further ones are ignored. */
const queriedMax = 16

const cut = (word: string): string =>
  word.length <= wordLengthMax ? word : Array.from(word).slice(0, wordLengthMax).join("")

/** Scripts that are written without spaces: each syllable can begin a word. Hangul is decomposed to its letters. */
const syllable = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u1100-\u115f]/u

/** The parts of a name's token: those of a hyphenated name, and those after an apostrophe. */
const partsOf = (token: string): ReadonlyArray<string> =>
  token.split(/['\p{Pd}−]+/u).flatMap((part) => {
    const characters = Array.from(part)
    if (!characters.some((character) => syllable.test(character))) return part === "" ? [] : [part]
    const starts = characters.flatMap((character, index) => (index === 0 || syllable.test(character) ? [index] : []))
    return starts.map((start, index) => characters.slice(start, starts[index + 1]).join(""))
  })

/** The words of a token: the token without hyphens and apostrophes, from each of its parts to the end. */
const wordsOfToken = (token: string): ReadonlyArray<string> => {
  const parts = partsOf(token)
  return parts.map((_, first) => {
    // Only what is compared is joined: a token can have hundreds of parts.
    let word = ""
    for (let next = first; next < parts.length && word.length < 2 * wordLengthMax; next++) word += parts[next]
    return cut(word)
  })
}

const wordsOfName = (name: string): ReadonlyArray<string> =>
  fold(name)
    .split(/[^\p{L}\p{N}'\p{Pd}−]+/u)
    .flatMap(wordsOfToken)

/** The letters and digits of text, as one word. */
const joined = (text: string): string => cut(fold(text).replace(/[^\p{L}\p{N}]+/gu, ""))

/**
 * Returns the words by which a search finds something, each once. `names` are in the order of importance. Ids can also
 * be found without their spaces and punctuation.
 */
export const searchWords = (names: ReadonlyArray<string>, ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = new Set(ids.map(joined))
  for (const text of [...names, ...ids]) for (const word of wordsOfName(text)) words.add(word)
  words.delete("")
  return [...words].slice(0, wordsMax)
}

/** What a search asks for: all words of at least one group. Each must be the beginning of a word. Never empty. */
export type Sought = ReadonlyArray<ReadonlyArray<string>>

/**
 * Parses the text of a search. The words together also count as one word, because people write an id with spaces and
 * hyphens of their own. Returns `undefined` if the text has no letter and no digit.
 */
export const parseSearch = (text: string): Sought | undefined => {
  const words = fold(text)
    .replaceAll("'", "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
  if (words.length === 0) return undefined
  const asked = [...new Set(words.map(cut))].slice(0, queriedMax)
  return words.length === 1 ? [asked] : [asked, [cut(words.join(""))]]
}

/** Returns whether a search finds something with these words. */
export const isSought = (words: ReadonlyArray<string>, sought: Sought): boolean =>
  sought.some((group) => group.every((beginning) => words.some((word) => word.startsWith(beginning))))
