import { useState } from "preact/hooks"
import { fileOf } from "../calls/Call.ts"
import type { Input, QueryOf } from "../calls/Contract.ts"
import { Refusal } from "../calls/Refusal.ts"
import { Button } from "../widgets/Button.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { useToday } from "../widgets/Time.tsx"

/** A form of a file: its media type, the ending of its name, and the button that asks for it. */
export interface FileForm {
  readonly type: string
  readonly extension: string
  readonly label: string
}

/** Offers a file for download. */
const offer = (name: string, file: Blob): void => {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}

/** Buttons that each save a file that the server writes, one at a time. */
export const FileButtons = ({
  disabled = false,
  forms,
  name,
  of,
  read,
  working = "Exporting"
}: {
  readonly forms: ReadonlyArray<FileForm>
  /** The name of the file, without the ending. */
  readonly name: string
  /** Asks for the file of a media type. */
  readonly read: (type: string) => Promise<Blob>
  readonly disabled?: boolean
  /** What is saved, for a screen with several such buttons. */
  readonly of?: string
  /** The label while a file arrives. */
  readonly working?: string
}) => {
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const start = ({ extension, type }: FileForm) => {
    setBusy(type)
    setProblem(null)
    read(type)
      .then((file) => offer(`${name}.${extension}`, file))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => setBusy(null))
  }
  return (
    <>
      {forms.map((form) => (
        <Button
          key={form.type}
          isBusy={busy === form.type}
          disabled={disabled || (busy !== null && busy !== form.type)}
          onClick={() => start(form)}
        >
          {busy === form.type ? working : form.label}
          {of === undefined ? null : <span class="unseen"> {of}</span>}
        </Button>
      ))}
      <Problem error={problem} />
    </>
  )
}

/** The lists that the server also answers as files. */
export type FileList =
  | "GET /reports/verifications"
  | "GET /compliance-matrix"
  | "GET /workers"
  | "GET /applicants"
  | "GET /credentials"
  | "GET /messages"
  | "GET /answers"
  | "GET /tasks"
  | "GET /exemptions"
  | "GET /compliance-checks"
  | "GET /screening-packages"
  | "GET /recruitment-checks"
  | "GET /fetch-requests"
  | "GET /bans"
  | "GET /scans"
  | "GET /erasures"
  | "GET /verification-sources"
  | "GET /webhooks"
  | "GET /webhooks/:id/deliveries"
  | "GET /deliveries"
  | "GET /identity-providers"
  | "GET /audit-events"
  | "GET /users"

const forms: ReadonlyArray<FileForm> = [
  { type: "text/csv;heading=present", extension: "csv", label: "Export all as CSV" },
  { type: "text/html", extension: "html", label: "Export all to print" }
]

/** The buttons that export the files that the server writes, with all rows of the filters. */
export const ListExport = <List extends FileList>({
  disabled = false,
  list,
  name,
  params,
  query
}: {
  readonly list: List
  /** The parameters in the path of the list. Absent if the path has none. */
  readonly params?: { readonly id: string }
  /** The name of the file, without the day. */
  readonly name: string
  readonly query: QueryOf<List>
  readonly disabled?: boolean
}) => (
  <FileButtons
    forms={forms}
    name={`${name}-${useToday()}`}
    disabled={disabled}
    read={(type) => fileOf(list, { query, ...(params === undefined ? {} : { params }) } as Input<List>, type)}
  />
)
