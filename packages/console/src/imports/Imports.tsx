import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { useUpload } from "../calls/Upload.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Empty } from "../widgets/Empty.tsx"
import { Form } from "../widgets/Form.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { Time } from "../widgets/Time.tsx"
import { statusWords } from "./Steps.ts"

const columns: ReadonlyArray<Column<Item<"GET /imports">>> = [
  { heading: "File", cell: ({ id, name }) => <a href={`/console/imports/${id}`}>{name}</a> },
  { heading: "Rows", cell: ({ rows }) => rows },
  { heading: "State", cell: ({ status }) => statusWords[status] },
  { heading: "Uploaded", cell: ({ createdAt }) => <Time at={createdAt} /> }
]

/** The first step: the file. */
const ChooseFile = () => {
  const { route } = useLocation()
  const [file, setFile] = useState<File | null>(null)
  const upload = useUpload("POST /imports", "text/csv", ({ data: { id } }) => route(`/console/imports/${id}`))
  return (
    <section class="block">
      <h2>Step 1 of 4: File</h2>
      <Form action="Upload" change={upload} onSubmit={() => file !== null && upload.send(file)} out="/console/workers">
        <div class="field">
          <label for="file">CSV file</label>
          <input
            id="file"
            type="file"
            accept=".csv,text/csv"
            required
            aria-describedby="file-hint"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
          />
          <p id="file-hint" class="quiet">
            In your spreadsheet, save the sheet as “CSV UTF-8”. The first row has the names of the columns. At most
            100,000 rows. Nothing is changed yet.
          </p>
        </div>
      </Form>
    </section>
  )
}

/** The imports of the last days, and the first step of a new one. */
export const Imports = () => {
  const [{ cursor }] = useUrlState()
  const may = useMay()
  const isAllowed = (["import:CREATE", "worker:CREATE", "worker:UPDATE"] as const).every(may)
  const read = useRead("GET /imports", { query: { cursor, pageSize: "50" } })
  return (
    <Screen title="Import workers">
      {isAllowed ? <ChooseFile /> : null}
      <section class="block">
        <h2>Earlier imports</h2>
        <Listing read={read} caption="Imports" columns={columns} empty={<Empty title="There are no imports." />} />
        <p class="quiet">An import is deleted 7 days after its last change. The workers stay.</p>
      </section>
    </Screen>
  )
}
