import type { Data, Item } from "../calls/Contract.ts"

export type Import = Data<"GET /imports/:id">
type Status = Import["status"]
type Outcome = Item<"GET /imports/:id/rows">["outcome"]

/** The steps of an import, in order. */
export const steps = ["File", "Columns", "Check", "Import"] as const
export type Step = (typeof steps)[number]

/** The step that an import has reached. */
export const stepOf = (status: Status): Step => {
  switch (status) {
    case "UPLOADING":
      return "File"
    case "UPLOADED":
      return "Columns"
    case "CHECKING":
    case "CHECKED":
      return "Check"
    default:
      return "Import"
  }
}

/** The words of the work that goes on; undefined if there is none. */
export const workOf = (status: Status): string | undefined =>
  (({ CHECKING: "checked", RUNNING: "imported", UNDOING: "undone" }) as Partial<Record<Status, string>>)[status]

/** The words of a status. */
export const statusWords: Readonly<Record<Status, string>> = {
  UPLOADING: "uploading",
  UPLOADED: "columns to choose",
  CHECKING: "checking",
  CHECKED: "checked",
  RUNNING: "importing",
  DONE: "imported",
  UNDOING: "undoing",
  UNDONE: "undone",
  STOPPED: "stopped",
  UNDO_STOPPED: "undo stopped"
}

/** A number of rows, in words. */
export const rowsOf = (count: number): string => (count === 1 ? "1 row" : `${count} rows`)

/** The words of an outcome, as a column of numbers. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  NEW: "not looked at",
  CREATE: "new people",
  UPDATE: "changes of people",
  UNCHANGED: "without a change",
  DUPLICATE: "repeat somebody",
  FAULTY: "with a fault",
  CREATED: "added",
  UPDATED: "changed",
  UNDONE: "undone",
  KEPT: "kept, because somebody changed or used them"
}

/** The outcomes that a person should look at. */
export const toLookAt: ReadonlyArray<Outcome> = ["FAULTY", "DUPLICATE", "KEPT"]

/** Why a row is faulty, repeats somebody, or was kept. */
export const problemOf = ({ fault, sameAsRow }: Pick<Item<"GET /imports/:id/rows">, "fault" | "sameAsRow">): string => {
  if (fault !== null) return fault.column === null ? `The row ${fault.reason}` : `${fault.column} ${fault.reason}`
  return sameAsRow === null ? "Has the name and birth date of" : `Has the name and birth date of row ${sameAsRow}`
}

type Field = Import["mapping"][number]["field"]

/** The fields that a column can fill, with their labels. */
export const fields: Readonly<Record<Field, string>> = {
  "source.externalId": "Your id",
  "source.sourceSystem": "System of your id",
  "unit.externalId": "Id of the unit",
  "identity.displayName": "Display name",
  "identity.firstName": "First name",
  "identity.middleName": "Middle name",
  "identity.lastName": "Last name",
  "identity.otherNames": "Other names",
  "identity.birthDate": "Birth date",
  "contact.workEmail": "Work email",
  "contact.personalEmail": "Private email",
  "contact.mobileNumber": "Phone",
  "employment.jobTitle": "Job title",
  "employment.workerType": "Type of worker",
  "employment.status": "Status",
  "employment.startDate": "First day",
  "employment.endDate": "Last day",
  "employment.organisationName": "Organisation"
}

/** The fields of the columns by their names; '' for a column that is ignored. */
export type Choice = Readonly<Record<string, Field | "">>

export const choiceOf = ({ columns, mapping }: Pick<Import, "columns" | "mapping">): Choice =>
  Object.fromEntries(
    columns.map(({ name }) => [name, mapping.find(({ column }) => column === name)?.field ?? ""] as const)
  )

const names: ReadonlyArray<Field | ""> = ["identity.displayName", "identity.firstName", "identity.lastName"]

const dates: ReadonlyArray<Field | ""> = ["identity.birthDate", "employment.startDate", "employment.endDate"]

/** Why the rows cannot be checked with a choice; undefined if they can. */
export const obstacleOf = (choice: Choice, dateOrder: Import["dateOrder"]): string | undefined => {
  const chosen = Object.values(choice).filter((field) => field !== "")
  const twice = chosen.find((field, index) => chosen.indexOf(field) < index)
  if (twice !== undefined) return `Two columns fill “${fields[twice]}”. Choose another field for one of them.`
  if (!chosen.some((field) => field === "source.externalId" || names.includes(field))) {
    return "Choose the column that has the names of the people, or your ids."
  }
  return dateOrder === null && chosen.some((field) => dates.includes(field))
    ? "Choose what the dates look like: they could begin with the day or with the month."
    : undefined
}

/** The mapping of a choice. */
export const mappingOf = (choice: Choice): Import["mapping"] =>
  Object.entries(choice).flatMap(([column, field]) => (field === "" ? [] : [{ column, field }]))
