/** The digits of a number in a name. The end is no digit, so digits that a profile appends make no other name. */
const width = 5
const end = "x"

/** Returns the name of a resource: `conf-<run>-00013x`. No name of a run contains another. */
export const nameOf = (run: string, number: number): string =>
  `conf-${run}-${String(number).padStart(width, "0")}${end}`

/** Finds names that overlap with other text. Journals of earlier releases have names without the end. */
const pattern = new RegExp(`(?=(conf-[a-z0-9]+-\\d+${end}?))`, "gi")

/** Returns the names in a text, also between texts of a profile. A deployment may change their letter case. */
export const namesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name.toLowerCase())

/** Returns the run id in a name. */
export const runOf = (name: string): string => name.replace(/^conf-(.*)-\d+x?$/s, "$1")
