import { useState } from "preact/hooks"
import { fileOf } from "../calls/Call.ts"
import type { QueryOf } from "../calls/Contract.ts"
import { Refusal } from "../calls/Refusal.ts"
import { Button } from "./Button.tsx"
import { Problem } from "./Problem.tsx"
import { useToday } from "./Time.tsx"

/** The lists that the server also answers as files. */
export type FileList =
  | "GET /reports/verifications"
  | "GET /compliance-matrix"
  | "GET /workers"
  | "GET /applicants"
  | "GET /credentials"
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
  | "GET /identity-providers"
  | "GET /audit-events"

/** Offers a file for download. */
const offer = (name: string, file: Blob): void => {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}

/** The forms of a file: its media type, and the button that asks for it. */
const forms = {
  csv: { type: "text/csv;heading=present", label: "Export all as CSV" },
  html: { type: "text/html", label: "Export all to print" }
}

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
}) => {
  const today = useToday()
  const [busy, setBusy] = useState<keyof typeof forms | null>(null)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const start = (form: keyof typeof forms) => {
    setBusy(form)
    setProblem(null)
    fileOf(list, query, forms[form].type)
      .then((file) => offer(`${name}-${today}.${form}`, file))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => setBusy(null))
  }
  return (
    <>
      {(["csv", "html"] as const).map((form) => (
        <Button
          key={form}
          isBusy={busy === form}
          disabled={disabled || (busy !== null && busy !== form)}
          onClick={() => start(form)}
        >
          {busy === form ? "Exporting" : forms[form].label}
        </Button>
      ))}
      <Problem error={problem} />
    </>
  )
}
