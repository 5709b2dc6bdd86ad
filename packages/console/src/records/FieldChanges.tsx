import type { Item } from "../calls/Contract.ts"
import { type Privilege, useMay } from "../calls/Me.ts"
import { fieldLabels } from "./FieldLabels.ts"

type Entry = Item<"GET /audit-events">
type Changes = NonNullable<Entry["changes"]>
type Value = Changes[number]["after"]

const labelOf = (field: string): string => fieldLabels[field] ?? field

/** A value as text. A list has commas, and a value that is absent a dash. */
const textOf = (value: Value): string => {
  if (value === null) return "–"
  if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(textOf).join(", ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** The privilege that the changes of a kind of record need. Other kinds have none. */
const needs: Partial<Record<Entry["entityType"], Privilege>> = {
  worker: "worker:READ",
  credential: "credential:READ",
  exemption: "exemption:READ",
  ban: "ban:READ",
  complianceCheck: "complianceCheck:READ",
  screeningPackage: "screeningPackage:READ",
  unit: "unit:READ",
  webhook: "webhook:READ",
  verificationSource: "verificationSource:READ",
  identityProvider: "identityProvider:READ",
  account: "user:READ"
}

const namedMax = 3

/** The changed fields of an audit entry. It opens to show the values before and after. */
export const FieldChanges = ({ changes, entityType }: Pick<Entry, "changes" | "entityType">) => {
  const may = useMay()
  const need = needs[entityType]
  if (need === undefined || changes === undefined) return null
  if (!may(need)) return <span class="quiet">you may not read it</span>
  // The action changed no field, the versions begin later, or the person was erased.
  if (changes === null || changes.length === 0) return <span class="quiet">no values</span>
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
