import { at, isObject, type JsonObject, type JsonValue, put } from "@wcs/domain/shared/Json"
import type { CsvTable } from "../CsvOf.ts"
import type { Endpoint } from "../Endpoints.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const file = {
  type: "string",
  description:
    "All rows as a file (RFC 4180, UTF-8 with a byte-order mark). The first line has the names of the fields. An empty " +
    "cell is null. An apostrophe precedes a text that a spreadsheet would run as a formula."
}

/** The file with the rows of the JSON example. Values in examples need no quotes. */
const fileOf = (table: CsvTable<never>, documents: JsonValue | undefined): string => {
  const shown = (Array.isArray(documents) ? documents.filter(isObject) : []) as unknown as ReadonlyArray<never>
  const columns = table.columnsOf(shown)
  const texts = shown.map((document) => {
    const row = table.rowOf(document)
    return columns.map((column) => String(row[column] ?? ""))
  })
  return [columns, ...texts].map((cells) => `${cells.join(",")}\r\n`).join("")
}

const content = ["responses", "200", "content"]

/** Adds the CSV file to the success of the operations that have one. */
export const describeCsv = (endpoints: ReadonlyArray<Endpoint>) => {
  const tables = new Map(endpoints.flatMap(({ csv, name }) => (csv === undefined ? [] : [[name, csv] as const])))
  return (document: JsonObject): JsonObject =>
    withComponents(
      mapOperations(document, (operation) => {
        const table = tables.get(String(operation["operationId"]))
        return table === undefined
          ? operation
          : put(operation, [...content, "text/csv"], {
              schema: { $ref: "#/components/schemas/CsvFile" },
              example: fileOf(table, at(operation, [...content, "application/json", "example", "data"]))
            })
      }),
      "schemas",
      { CsvFile: file }
    )
}
