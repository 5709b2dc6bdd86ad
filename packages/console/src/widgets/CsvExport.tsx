import { useState } from "preact/hooks"
import { fileOf } from "../calls/Call.ts"
import type { QueryOf } from "../calls/Contract.ts"
import { Refusal } from "../calls/Refusal.ts"
import { Button } from "./Button.tsx"
import { Problem } from "./Problem.tsx"
import { useToday } from "./Time.tsx"

/** The lists that the server also answers as CSV files. */
type CsvList = "GET /reports/verifications" | "GET /compliance-matrix" | "GET /credentials" | "GET /audit-events"

/** Offers a file for download. */
const offer = (name: string, file: Blob): void => {
  const url = URL.createObjectURL(file)
  const link = Object.assign(document.createElement("a"), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}

/** The button that exports the file that the server writes, with all rows of the filters. */
export const CsvExport = <List extends CsvList>({
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
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const start = () => {
    setIsBusy(true)
    setProblem(null)
    fileOf(list, query)
      .then((file) => offer(`${name}-${today}.csv`, file))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => setIsBusy(false))
  }
  return (
    <>
      <Button isBusy={isBusy} disabled={disabled} onClick={start}>
        {isBusy ? "Exporting" : "Export all as CSV"}
      </Button>
      <Problem error={problem} />
    </>
  )
}
