import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useMay } from "../calls/Me.ts"
import { useUpload } from "../calls/Upload.ts"
import { type ListKind, ListSection } from "../listing/ListScreen.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Labelled } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Time } from "../widgets/Time.tsx"
import { statusWords } from "./Steps.ts"

/** The first step: the file. */
const ChooseFile = () => {
  const { route } = useLocation()
  const [file, setFile] = useState<File | null>(null)
  const upload = useUpload("POST /imports", "text/csv", ({ data: { id } }) => route(`/console/imports/${id}`))
  return (
    <section class="block">
      <h2>Step 1 of 4: File</h2>
      <Form action="Upload" change={upload} onSubmit={() => file !== null && upload.send(file)} out="/console/workers">
        <Labelled
          id="file"
          label="CSV file"
          hint="In your spreadsheet, save the sheet as “CSV UTF-8”. The first row has the names of the columns. At most 100,000 rows. Nothing is changed yet."
        >
          <input
            id="file"
            type="file"
            accept=".csv,text/csv"
            required
            aria-describedby="file-hint"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
        </Labelled>
      </Form>
    </section>
  )
}

const list: ListKind<"GET /imports"> = {
  list: "GET /imports",
  title: "Earlier imports",
  lead: "An import is deleted 7 days after its last change. The workers stay.",
  isCounted: false,
  columns: [
    { heading: "File", cell: ({ id, name }) => <a href={`/console/imports/${id}`}>{name}</a> },
    { heading: "Rows", cell: ({ rows }) => rows },
    { heading: "State", cell: ({ status }) => statusWords[status] },
    { heading: "Uploaded", cell: ({ createdAt }) => <Time at={createdAt} /> }
  ],
  empty: "There are no imports."
}

/** The imports of the last days, and the first step of a new one. */
export const Imports = () => {
  const may = useMay()
  const isAllowed = (["import:CREATE", "worker:CREATE", "worker:UPDATE"] as const).every(may)
  return (
    <Screen title="Import workers">
      {isAllowed ? <ChooseFile /> : null}
      <ListSection kind={list} />
    </Screen>
  )
}
