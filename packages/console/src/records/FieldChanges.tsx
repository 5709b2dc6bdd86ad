import type { Item } from "../calls/Contract.ts"
import { fieldLabels } from "./FieldLabels.ts"

type Changes = NonNullable<Item<"GET /audit-events">["changes"]>
type Value = Changes[number]["after"]

const labelOf = (field: string): string => fieldLabels[field] ?? field

/** A value as text. A list has commas, and a value that is absent a dash. */
const textOf = (value: Value): string => {
  if (value === null) return "–"
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(textOf).join(", ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const namedMax = 3

/** The changed fields of an audit entry. It opens to show the values before and after. */
export const FieldChanges = ({ changes }: { readonly changes: Changes | null | undefined }) => {
  if (changes == null) return <span class="quiet">not kept</span>
  if (changes.length === 0) return <span class="quiet">no field</span>
  const others = changes.length - namedMax
  const names = changes.slice(0, namedMax).map(({ field }) => labelOf(field))
  return (
    <details>
      <summary>
        {names.join(", ")}
        {others > 0 ? ` and ${others} more` : ""}
      </summary>
      <dl class="facts">
        {changes.map(({ after, before, field }) => (
          <div key={field}>
            <dt title={field}>{labelOf(field)}</dt>
            <dd>
              <del>{textOf(before)}</del> → <ins>{textOf(after)}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
