import { Result, Schema } from "effect"
import { isCalendarDate } from "../shared/Instant.ts"
import { at, type Draft, draftOf, put as edit, type JsonObject, type Path } from "../shared/Json.ts"
import { unguardedCell } from "../shared/SpreadsheetCell.ts"

/** How the text of a cell becomes a value. */
type Kind = "text" | "names" | "date" | "code"

interface Target {
  readonly kind: Kind
  /** Usual names of the column, in lower case without spaces and punctuation, besides the last part of the field. */
  readonly names: ReadonlyArray<string>
}

/** The fields of a worker that a column can fill, with the usual names of their columns. */
export const targets = {
  "identity.displayName": { kind: "text", names: ["name", "fullname", "workername", "employeename", "employee"] },
  "identity.firstName": { kind: "text", names: ["givenname", "forename", "first", "preferredname", "vorname"] },
  "identity.middleName": { kind: "text", names: ["middlenames", "secondname"] },
  "identity.lastName": { kind: "text", names: ["surname", "familyname", "last", "nachname"] },
  "identity.otherNames": { kind: "names", names: ["othername", "alias", "aliases", "formername", "maidenname"] },
  "identity.birthDate": { kind: "date", names: ["dob", "dateofbirth", "birthday", "born", "geburtsdatum"] },
  "contact.workEmail": { kind: "text", names: ["email", "emailaddress", "mail", "workemailaddress"] },
  "contact.personalEmail": { kind: "text", names: ["privateemail", "homeemail", "personalemailaddress"] },
  "contact.mobileNumber": { kind: "text", names: ["mobile", "phone", "phonenumber", "mobilephone", "telephone"] },
  "employment.jobTitle": { kind: "text", names: ["title", "position", "role", "job", "occupation"] },
  "employment.workerType": { kind: "code", names: ["type", "employmenttype", "engagement"] },
  "employment.status": { kind: "code", names: ["employmentstatus", "workerstatus"] },
  "employment.startDate": { kind: "date", names: ["start", "started", "hiredate", "datehired", "commencementdate"] },
  "employment.endDate": { kind: "date", names: ["end", "ended", "terminationdate", "leavingdate"] },
  "employment.organisationName": { kind: "text", names: ["organisation", "organization", "company", "employer"] },
  "source.externalId": {
    kind: "text",
    names: ["id", "employeeid", "employeenumber", "employeeno", "staffid", "staffnumber", "workerid", "payrollid"]
  },
  "source.sourceSystem": { kind: "text", names: ["source", "system"] },
  "unit.externalId": { kind: "text", names: ["unit", "orgunit"] }
} as const satisfies Readonly<Record<string, Target>>

export type ImportField = keyof typeof targets
export const importFields = Object.keys(targets) as ReadonlyArray<ImportField>
export const ImportField = Schema.Literals(importFields)

/** The order of day, month and year in dates with slashes, dots or hyphens. `YYYY-MM-DD` is always accepted. */
export const dateOrders = ["YMD", "DMY", "MDY"] as const
export type DateOrder = (typeof dateOrders)[number]

/** A column of the file, by its name, and the field that it fills. */
export const MappedColumn = Schema.Struct({
  column: Schema.String.check(Schema.isMaxLength(200)).annotateKey({ description: "Name of a column of the file." }),
  field: ImportField.annotateKey({ description: "The field of a worker that the column fills." })
})
export type MappedColumn = typeof MappedColumn.Type

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

/** The last part of a field, which is also a usual name of its column. */
const ownName = (field: ImportField): string => plain(field.slice(field.indexOf(".") + 1))

/** Proposes the field of each column by the columns' names. Each field is proposed for one column at most. */
export const propose = (columns: ReadonlyArray<string>): ReadonlyArray<ImportField | null> => {
  const taken = new Set<ImportField>()
  const proposed = new Map<number, ImportField>()
  const take = (fits: (field: ImportField, name: string) => boolean) => {
    for (const [index, column] of columns.entries()) {
      if (proposed.has(index)) continue
      const field = importFields.find((each) => !taken.has(each) && fits(each, plain(column)))
      if (field === undefined) continue
      taken.add(field)
      proposed.set(index, field)
    }
  }
  take((field, name) => name === plain(field) || name === ownName(field))
  take((field, name) => (targets[field].names as ReadonlyArray<string>).includes(name))
  return columns.map((_, index) => proposed.get(index) ?? null)
}

const numbered = /^(\d{1,4})[-/. ](\d{1,2})[-/. ](\d{1,4})$/

/** A day, the name of a month and a year, as spreadsheets write it: `4-Apr-1963`, `4 April 1963`. */
const named = /^(\d{1,2})[-/. ]([a-z]{3,9})\.?[-/. ](\d{4})$/i

const months = [
  ...["january", "february", "march", "april", "may", "june", "july"],
  ...["august", "september", "october", "november", "december"]
]

/** A month by its English name, or by the beginning of it. */
const monthOf = (name: string): string =>
  String(months.findIndex((month) => month.startsWith(name.toLowerCase())) + 1).padStart(2, "0")

/** The parts of a date in the order of an order. */
const partsOf = (order: DateOrder, [first, second, third]: readonly [string, string, string]) => {
  switch (order) {
    case "YMD":
      return { year: first, month: second, day: third }
    case "DMY":
      return { year: third, month: second, day: first }
    case "MDY":
      return { year: third, month: first, day: second }
  }
}

/** The parts of a date. The name of a month needs no order. */
const partsIn = (order: DateOrder, text: string) => {
  const [, day, month, year] = named.exec(text) ?? []
  if (day !== undefined && month !== undefined && year !== undefined) return { year, month: monthOf(month), day }
  const [, first = "", second = "", third = ""] = numbered.exec(text) ?? []
  return partsOf(first.length === 4 ? "YMD" : order, [first, second, third])
}

/** Returns a date as `YYYY-MM-DD`, or `undefined` if the text is no date in this order. A year has four digits. */
export const dateIn = (order: DateOrder, text: string): string | undefined => {
  const { day, month, year } = partsIn(order, text)
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`
  return isCalendarDate(date) ? date : undefined
}

/**
 * Collects dates, and proposes the order that fits most of them. Null if two orders fit equally many dates and read some
 * of them differently. Undefined if no date depends on the order.
 */
export const makeOrderProposal = () => {
  const fitting: Record<DateOrder, number> = { YMD: 0, DMY: 0, MDY: 0 }
  let isAmbiguous = false
  return {
    add: (text: string): void => {
      const dates = dateOrders.map((order) => dateIn(order, text))
      if (new Set(dates).size === 1) return
      for (const [index, order] of dateOrders.entries()) if (dates[index] !== undefined) fitting[order] += 1
      isAmbiguous ||= new Set(dates.filter((date) => date !== undefined)).size > 1
    },
    proposal: (): DateOrder | null | undefined => {
      const orders = ["DMY", "MDY", "YMD"] as const
      const best = orders.reduce((one, order) => (fitting[order] > fitting[one] ? order : one))
      if (fitting[best] === 0) return undefined
      const isTie = orders.some((order) => order !== best && fitting[order] === fitting[best])
      return isAmbiguous && isTie ? null : best
    }
  }
}

/** A fault of a row, at a column or in the whole row. */
export interface RowFault {
  readonly column: string | null
  readonly reason: string
}

const examples = { YMD: "1990-12-31", DMY: "31/12/1990", MDY: "12/31/1990" } as const

const put = (draft: Draft, path: Path, kind: Kind, text: string, order: DateOrder): string | undefined => {
  switch (kind) {
    case "text":
      draft.put(path, text)
      return undefined
    case "names":
      draft.put(
        path,
        text
          .split(/[;|]/)
          .map((name) => name.trim())
          .filter((name) => name !== "")
      )
      return undefined
    case "code":
      draft.put(path, text.toUpperCase().replaceAll(/[\s-]+/g, "_"))
      return undefined
    case "date": {
      const date = dateIn(order, text)
      if (date === undefined) return `must be a date like ${examples[order]}`
      draft.put(path, date)
      return undefined
    }
  }
}

const pathOf = (field: ImportField): Path => field.split(".")

/** The text of a cell without what a spreadsheet or our own files add. */
export const cellText = (cell: string): string => unguardedCell(cell.trim())

/** The cells of a row with the meaning of their columns. */
export interface Mapping {
  readonly columns: ReadonlyArray<string>
  readonly mapped: ReadonlyArray<MappedColumn>
  readonly dateOrder: DateOrder
}

/** Returns the document of a new worker: a display name that the row lacks is joined from the other names. */
export const completed = (document: JsonObject): JsonObject => {
  const { displayName, firstName, lastName, middleName } = (document["identity"] ?? {}) as JsonObject
  const names = [firstName, middleName, lastName].filter((name) => typeof name === "string")
  if (displayName !== undefined || names.length === 0) return document
  return edit(document, ["identity", "displayName"], [...names.join(" ")].slice(0, 200).join(""))
}

/** The fault of a document that would create a worker without a name, if no column alone has it. */
export const namelessIn = (mapped: ReadonlyArray<MappedColumn>, document: JsonObject): RowFault | undefined =>
  at(document, ["identity", "displayName"]) !== undefined ||
  mapped.some(({ field }) => field === "identity.displayName")
    ? undefined
    : { column: null, reason: "has no name" }

/** Returns the document of a row. An empty cell sets nothing, so an update keeps the stored value. */
export const documentOf = (
  { columns, dateOrder, mapped }: Mapping,
  cells: ReadonlyArray<string>
): Result.Result<JsonObject, RowFault> => {
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== "")) {
    return Result.fail({ column: null, reason: `has more than the ${columns.length} cells of the header` })
  }
  const draft = draftOf({})
  for (const { column, field } of mapped) {
    const text = cellText(cells[columns.indexOf(column)] ?? "")
    if (text === "") continue
    const reason = put(draft, pathOf(field), targets[field].kind, text, dateOrder)
    if (reason !== undefined) return Result.fail({ column, reason })
  }
  return Result.succeed(draft.current())
}

/** The fault of a row for a fault of a field of its document. */
export const faultAt = (mapped: ReadonlyArray<MappedColumn>, field: string, reason: string): RowFault => {
  const at = mapped.find((each) => field === each.field || field.startsWith(`${each.field}.`))
  return at === undefined
    ? { column: null, reason: field === "" ? reason : `${field} ${reason}` }
    : { column: at.column, reason }
}
