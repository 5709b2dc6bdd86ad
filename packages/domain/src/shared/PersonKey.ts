import { searchWords } from "./SearchWords.ts"

/** The most characters of a key. An index of Postgres takes at most 2,704 bytes. */
const keyCharacters = 600

/** The words of a name. Letter case, accents, punctuation and their order make no difference. */
export const nameWords = (name: string): string => [...searchWords([name], [])].sort().join(" ")

/** The key of a name and a birth date, equal for equal words of the name. '' if the key would be too long. */
export const personKey = (name: string, birthDate: string): string => {
  const key = `${birthDate} ${nameWords(name)}`
  return key.length > keyCharacters ? "" : key
}
