import { at, isObject, type JsonObject, type JsonValue, put } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import type { ListTable } from "../ListTable.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const csvFile = {
  type: "string",
  description:
    "All rows as a file (RFC 4180, UTF-8 with a byte-order mark). The first line has the names of the fields. An empty " +
    "cell is null. With `Accept: text/csv;heading=present`, lines before it say who made the file, when and with which " +
    "parameters, and an empty line follows. An apostrophe precedes a text that a spreadsheet would run as a formula."
}

const htmlFile = {
  type: "string",
  description:
    "All rows as a page to print, with the organization, the account, the time and the parameters. It has no script. " +
    "Its last line has the number of rows, so an incomplete page can be told."
}

const printedDocument = {
  type: "string",
  description: "The same as a page to print. It has no script. A program cannot check it."
}

const printed = {
  schema: { $ref: "#/components/schemas/PrintableDocument" },
  example: "<!doctype html> … <h1>…</h1> …"
}

/** The files with the rows of the JSON example. Values in examples need no quotes and no escapes. */
const examplesOf = (table: ListTable<never>, documents: JsonValue | undefined) => {
  const shown = (Array.isArray(documents) ? documents.filter(isObject) : []) as unknown as ReadonlyArray<never>
  const columns = table.columnsOf(shown)
  const texts = shown.map((document) => {
    const row = table.rowOf(document)
    return columns.map((column) => String(row[column] ?? ""))
  })
  const rowOf = (tag: string, cells: ReadonlyArray<string>) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`
  return {
    csv: [columns, ...texts].map((cells) => `${cells.join(",")}\r\n`).join(""),
    html: `<!doctype html> … <table><thead>${rowOf("th", columns)}</thead><tbody>${texts.map((cells) => rowOf("td", cells)).join("")}</tbody></table> …`
  }
}

const content = ["responses", "200", "content"]

/** Adds the files to the success of the operations that have one. */
export const describeFiles = (endpoints: ReadonlyArray<Endpoint>) => {
  const tables = new Map(endpoints.flatMap(({ name, table }) => (table === undefined ? [] : [[name, table] as const])))
  const pages = new Set(endpoints.flatMap(({ isPrinted, name }) => (isPrinted ? [name] : [])))
  return (document: JsonObject): JsonObject =>
    withComponents(
      mapOperations(document, (operation) => {
        if (pages.has(String(operation["operationId"]))) return put(operation, [...content, "text/html"], printed)
        const table = tables.get(String(operation["operationId"]))
        if (table === undefined) return operation
        const { csv, html } = examplesOf(table, at(operation, [...content, "application/json", "example", "data"]))
        const file = { schema: { $ref: "#/components/schemas/CsvFile" }, example: csv }
        const page = { schema: { $ref: "#/components/schemas/PrintablePage" }, example: html }
        return put(put(operation, [...content, "text/csv"], file), [...content, "text/html"], page)
      }),
      "schemas",
      { CsvFile: csvFile, PrintablePage: htmlFile, PrintableDocument: printedDocument }
    )
}
