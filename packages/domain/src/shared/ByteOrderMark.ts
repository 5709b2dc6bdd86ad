/** U+FEFF. Editors and spreadsheets of Windows write it at the start of UTF-8 files, and Excel needs it in CSV files. */
export const byteOrderMark = "\uFEFF"

/** Returns the text of a file without the byte-order mark at its start. */
export const withoutByteOrderMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text)
