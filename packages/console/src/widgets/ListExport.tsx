import { fileOf } from "../calls/Call.ts"
import type { Input, QueryOf } from "../calls/Contract.ts"
import { FileButtons, type FileForm } from "./FileButtons.tsx"
import { useToday } from "./Time.tsx"

/** The lists that the server also answers as files. */
type FileList =
  | "GET /reports/verifications"
  | "GET /compliance-matrix"
  | "GET /credentials"
  | "GET /tasks"
  | "GET /audit-events"

const forms: ReadonlyArray<FileForm> = [
  { type: "text/csv", extension: "csv", label: "Export all as CSV" },
  { type: "text/html", extension: "html", label: "Export all to print" }
]

/** The buttons that export the files that the server writes, with all rows of the filters. */
export const ListExport = <List extends FileList>({
  disabled = false,
  list,
  name,
  query
}: {
  readonly list: List
  /** The name of the file, without the day. */
  readonly name: string
  readonly query: QueryOf<List>
  readonly disabled?: boolean
}) => (
  <FileButtons
    forms={forms}
    name={`${name}-${useToday()}`}
    disabled={disabled}
    read={(type) => fileOf(list, { query } as Input<List>, type)}
  />
)
