import type { Import } from "@wcs/domain/import/Import"
import { jsonOf } from "../engine/StoredJson.ts"

/** A row of an import, with its whole document. */
export interface DocumentRow {
  readonly id: string
  readonly document: string
}

/** The import of a row. Only the server writes the document, always whole, so the cast adds nothing that it lacks. */
export const importOf = ({ document, id }: DocumentRow): Import =>
  jsonOf(document, `the document of ${id}`) as unknown as Import
