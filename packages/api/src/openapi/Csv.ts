import { type JsonObject, put } from "@wcs/domain/shared/Json"

/** Adds the CSV file to the success of an operation. Its columns are the fields of an item. */
export const withCsv = (operation: JsonObject): JsonObject =>
  put(operation, ["responses", "200", "content", "text/csv"], {
    schema: {
      type: "string",
      description:
        "All rows (RFC 4180, UTF-8 with a byte-order mark). The first line has the names of the fields. An empty cell is " +
        "null. A text that a spreadsheet would run as a formula begins with an apostrophe."
    }
  })
