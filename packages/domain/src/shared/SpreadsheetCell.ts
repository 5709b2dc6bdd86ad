/** A character with which a spreadsheet begins a formula, also in the full-width form. */
const begin = "[=+\\-@\\t\\r\\n＝＋－＠]"
const formula = new RegExp(`^${begin}`)
const guarded = new RegExp(`^'(?=${begin})`)

/** The text of a cell in a file for spreadsheets. An apostrophe keeps a spreadsheet from running the text. */
export const guardedCell = (text: string): string => (formula.test(text) ? `'${text}` : text)

/** The text of a cell of such a file. */
export const unguardedCell = (cell: string): string => cell.replace(guarded, "")
