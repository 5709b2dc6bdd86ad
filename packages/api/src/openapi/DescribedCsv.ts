import { at, isObject, type JsonObject, type JsonValue, put } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import { mapOperations, withComponents } from "./Operations.ts"

const file = {
  type: "string",
  description:
    "All rows as a file (RFC 4180, UTF-8 with a byte-order mark). The first line has the names of the fields. An empty " +
    "cell is null. An apostrophe precedes a text that a spreadsheet would run as a formula."
}

/** The file with the rows of the JSON example. Values in examples need no quotes. */
const fileOf = (rows: JsonValue | undefined): string => {
  const lines = Array.isArray(rows) ? rows.filter(isObject) : []
  const texts = lines.map((row) => Object.values(row).map((value) => (value === null ? "" : String(value))))
  return [Object.keys(lines[0] ?? {}), ...texts].map((cells) => `${cells.join(",")}\r\n`).join("")
}

const content = ["responses", "200", "content"]

/** Adds the CSV file to the success of the operations that have one. */
export const describeCsv = (endpoints: ReadonlyArray<Endpoint>) => {
  const names = new Set(endpoints.flatMap(({ hasCsv, name }) => (hasCsv ? [name] : [])))
  return (document: JsonObject): JsonObject =>
    withComponents(
      mapOperations(document, (operation) =>
        names.has(String(operation["operationId"]))
          ? put(operation, [...content, "text/csv"], {
              schema: { $ref: "#/components/schemas/CsvFile" },
              example: fileOf(at(operation, [...content, "application/json", "example", "data"]))
            })
          : operation
      ),
      "schemas",
      { CsvFile: file }
    )
}
