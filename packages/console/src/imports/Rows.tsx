import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Paging } from "../listing/Paging.tsx"
import { type Column, Table } from "../listing/Table.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { SelectField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { type Import, outcomeWords, problemOf } from "./Steps.ts"

type Row = Item<"GET /imports/:id/rows">

/** Cells that a row shows, besides the faulty one. */
const shownMax = 4

const columnsOf = ({ columns }: Import): ReadonlyArray<Column<Row>> => [
  { heading: "Row", cell: ({ row }) => row },
  {
    heading: "Problem",
    cell: (row) => {
      const at = columns.findIndex(({ name }) => name === row.fault?.column)
      return (
        <>
          {problemOf(row)}
          {at < shownMax ? null : `: “${row.cells[at] ?? ""}”`}
          {row.fault === null && row.sameAsRow === null && row.workerId !== null ? (
            <>
              {" "}
              <a href={`/console/workers/${row.workerId}`}>this worker</a>
            </>
          ) : null}
        </>
      )
    }
  },
  ...columns
    .slice(0, shownMax)
    .map(({ name }, index): Column<Row> => ({ heading: name, cell: ({ cells }) => cells[index] ?? "" }))
]

/** The rows that a person should look at, by outcome. */
export const Rows = ({ it, outcomes }: { readonly it: Import; readonly outcomes: ReadonlyArray<Row["outcome"]> }) => {
  const [{ cursor }, change] = useUrlState()
  const [chosen, setChosen] = useState(outcomes[0] ?? "FAULTY")
  const outcome = outcomes.includes(chosen) ? chosen : (outcomes[0] ?? chosen)
  const read = useRead("GET /imports/:id/rows", {
    params: { id: it.id },
    query: { outcome, cursor, pageSize: "50" }
  })
  return (
    <section class="block">
      <h3>Rows to look at</h3>
      {outcomes.length < 2 ? null : (
        <SelectField
          label="Show rows"
          value={outcome}
          options={outcomes.map((one) => [one, `${outcomeWords[one]} (${it.counts[one]})`] as const)}
          onChange={(value) => {
            setChosen(value as Row["outcome"])
            change({ cursor: "" })
          }}
        />
      )}
      {outcome === "FAULTY" ? (
        <p class="quiet">
          Correct these rows, and import them in a file of their own. The whole file would also put the other people
          back to the values that it has.
        </p>
      ) : null}
      <Loaded read={read}>
        {({ data, meta }) => (
          <>
            <Table
              caption={`Rows ${outcomeWords[outcome]}`}
              columns={columnsOf(it)}
              rows={data}
              keyOf={({ row }) => String(row)}
            />
            <Paging next={meta.nextCursor} shown={data.length} total={it.counts[outcome]} />
          </>
        )}
      </Loaded>
    </section>
  )
}
