import { Result } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { cellText, type DateOrder, makeOrderProposal, propose, targets } from "./ColumnMapping.ts"
import { type FileColumn, fileLimits } from "./Import.ts"

const refuse = (reason: string) => Result.fail(new InvalidArgument({ field: "file", reason }))

const startsWith = (bytes: Uint8Array, ...prefix: ReadonlyArray<number>): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)

/** Fails if the first bytes of a file show that it is no CSV file in UTF-8. */
export const requireText = (bytes: Uint8Array): Result.Result<void, InvalidArgument> => {
  const save = 'In the spreadsheet program, save the sheet as "CSV UTF-8" and upload that file'
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04))
    return refuse(`is a workbook (XLSX or ODS) or another ZIP file. ${save}`)
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return refuse(`is an old Excel workbook (XLS). ${save}`)
  if (startsWith(bytes, 0x25, 0x50, 0x44, 0x46)) return refuse("is a PDF document. Upload a CSV file")
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff)) return refuse(`is encoded in UTF-16. ${save}`)
  return bytes.includes(0) ? refuse(`is not a text file. ${save}`) : Result.void
}

/** The fault of bytes that are no UTF-8. */
export const notUtf8 = new InvalidArgument({
  field: "file",
  reason: 'is not encoded in UTF-8. In the spreadsheet program, save the sheet as "CSV UTF-8" and upload that file'
})

const separators = [",", ";", "\t"] as const

/** Returns the separator that the first line has most of, outside of quotes. Of equal counts, the comma. */
export const separatorOf = (text: string): (typeof separators)[number] => {
  const counts = { ",": 0, ";": 0, "\t": 0 }
  let isQuoted = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === "\n" || character === "\r")) break
    else if (!isQuoted && Object.hasOwn(counts, character)) counts[character as keyof typeof counts] += 1
  }
  return separators.reduce((best, each) => (counts[each] > counts[best] ? each : best))
}

/** Returns the names of the columns. A column without a name is called by its number. */
export const headerOf = (cells: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, InvalidArgument> => {
  const last = cells.findLastIndex((cell) => cell.trim() !== "")
  if (last === -1) return refuse("has no header. The first row must have the names of the columns")
  if (last >= fileLimits.columns) return refuse(`must have at most ${fileLimits.columns} columns`)
  const names = cells.slice(0, last + 1).map((cell, index) => cellText(cell) || `Column ${index + 1}`)
  const bad = names.findIndex((name) => name.length > fileLimits.nameCharacters || /\p{Cc}/u.test(name))
  if (bad !== -1) {
    return refuse(
      `has a column, number ${bad + 1}, whose name has more than ${fileLimits.nameCharacters} characters or more than one line`
    )
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined
    ? Result.succeed(names)
    : refuse(`has two columns named ${JSON.stringify(repeated)}. Give each column a name of its own`)
}

/** Returns whether a row has no text. Spreadsheets save such rows at the end. */
export const isBlank = (cells: ReadonlyArray<string>): boolean => cells.every((cell) => cell.trim() === "")

const samplesMax = 3
const sampleCharacters = 100

/** Collects the columns of a file with their first values, and the order of its dates. */
export const makeColumns = (names: ReadonlyArray<string>) => {
  const samples = names.map((): Array<string> => [])
  const proposals = propose(names)
  // The caller may map a column that its name did not explain, so its dates count, but not against those of the others.
  const [known, unknown] = [makeOrderProposal(), makeOrderProposal()]
  const orders = proposals.map((field) =>
    field === null ? unknown : targets[field].kind === "date" ? known : undefined
  )
  return {
    /** Returns the cells to store: those of the columns, and what lies beyond them as one more. */
    add: (cells: ReadonlyArray<string>): ReadonlyArray<string> => {
      for (const [index, first] of samples.entries()) {
        const text = cellText(cells[index] ?? "")
        orders[index]?.add(text)
        if (text !== "" && first.length < samplesMax) first.push([...text].slice(0, sampleCharacters).join(""))
      }
      const beyond = cells.slice(names.length).find((cell) => cell.trim() !== "")
      return [...cells.slice(0, names.length), ...(beyond === undefined ? [] : [beyond])]
    },
    /** The order of the dates. Null if they fit several, or if columns differ. */
    dateOrder: (): DateOrder | null => {
      const [order = "DMY", other = order] = [known, unknown].flatMap((one) => one.proposal() ?? [])
      const isOpen = [known, unknown].some((one) => one.proposal() === null)
      return isOpen || order !== other ? null : order
    },
    columns: (): ReadonlyArray<FileColumn> =>
      names.map((name, index) => ({ name, samples: samples[index] ?? [], proposal: proposals[index] ?? null }))
  }
}
