import { useState } from "preact/hooks"
import { useChange } from "../calls/Queries.ts"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { type Choice, choiceOf, fields, type Import, mappingOf, obstacleOf } from "./Steps.ts"

const options = [["", "Ignore this column"], ...Object.entries(fields)] as ReadonlyArray<
  readonly [Choice[string], string]
>

const orders = [
  ["DMY", "31/12/1990"],
  ["MDY", "12/31/1990"],
  ["YMD", "1990/12/31"]
] as const

/** The second step: the field that each column fills. */
export const ChooseColumns = ({ it, onChecked }: { readonly it: Import; readonly onChecked: () => void }) => {
  const check = useChange("POST /imports/:id/check", onChecked)
  const [choice, setChoice] = useState(choiceOf(it))
  const [dateOrder, setDateOrder] = useState(it.dateOrder)
  const obstacle = obstacleOf(choice, dateOrder)
  return (
    <Form
      action="Check the rows"
      change={check}
      disabled={obstacle !== undefined}
      leaving="Later"
      onSubmit={() =>
        check.mutate({ params: { id: it.id }, body: { mapping: mappingOf(choice), ...(dateOrder && { dateOrder }) } })
      }
      out="/console/imports"
    >
      <p>Each column fills a field of the workers, or is ignored. The check changes no worker.</p>
      {it.columns.map(({ name, samples }) => (
        <SelectField
          key={name}
          label={name}
          hint={samples.length === 0 ? "This column is empty." : `For example: ${samples.join(" · ")}`}
          value={choice[name] ?? ""}
          options={options}
          onChange={(field) => setChoice({ ...choice, [name]: field as Choice[string] })}
        />
      ))}
      <SelectField
        label="Dates look like"
        hint="Dates like 1990-12-31 and 31 Dec 1990 are always understood."
        value={dateOrder ?? ""}
        options={dateOrder === null ? [["", "Choose"], ...orders] : orders}
        onChange={(order) => setDateOrder(order as typeof dateOrder)}
      />
      <p class={obstacle === undefined ? "unseen" : "notice"} role="status">
        {obstacle}
      </p>
    </Form>
  )
}
