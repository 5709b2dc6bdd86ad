// Examples of profile lines hold ‹blanks›: each says what to put there.

const blank = /‹([^›]*)›/gu

/** Returns the blanks of a text, each once, without their marks. */
export const blanksIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(blank)].map(([, label = ""]) => label))
]

/** Whether a value is an object or a list rather than a text, such as `{{unique}}`. */
const isWhole = (value: string): boolean => /^\s*(?:\[|\{(?!\{))/.test(value)

/**
 * Fills in the blanks of a line. A blank that is a whole text in quotation marks also takes an object or a list. Blanks
 * without a value stay.
 */
export const filledIn = (line: string, values: ReadonlyMap<string, string>): string =>
  line
    .replaceAll(/"‹([^›]*)›"/gu, (whole, label: string) => {
      const value = values.get(label)
      if (value === undefined) return whole
      return isWhole(value) ? value : JSON.stringify(value)
    })
    .replaceAll(blank, (whole, label: string) => {
      const value = values.get(label)
      return value === undefined ? whole : JSON.stringify(value).slice(1, -1)
    })
