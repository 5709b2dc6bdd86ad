/** Spreadsheets run a cell that begins with one of these as a formula, also in full width. The server escapes the same. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

const cellOf = (text: string): string => `"${(formula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

/** Without it, Excel reads a CSV file in the code page of the machine. */
const byteOrderMark = "\uFEFF"

/** Rows as CSV (RFC 4180) in UTF-8. Cells that a spreadsheet would run are neutralized with an apostrophe. */
export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  byteOrderMark + rows.map((row) => row.map(cellOf).join(",")).join("\r\n")

/** Offers rows as a CSV file for download. */
export const download = (name: string, rows: ReadonlyArray<ReadonlyArray<string>>): void =>
  offer(name, new Blob([csvOf(rows)], { type: "text/csv" }))

/** Offers a file for download. */
export const offer = (name: string, file: Blob): void => {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
