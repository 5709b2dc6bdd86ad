import { useMe } from "../calls/Me.ts"
import { CalendarDay, useToday } from "../widgets/Time.tsx"

/** The line that only the printed page has: the organization, the person, the day and, of a list, the filters. */
export const PrintedLine = ({ filters }: { readonly filters?: Readonly<Record<string, string | undefined>> }) => {
  const me = useMe()
  const values = Object.values(filters ?? {}).filter((value) => value !== undefined && value !== "")
  const filtered = values.length === 0 ? "all" : `filtered by ${values.join(", ")}`
  return (
    <p class="printed">
      {me?.tenant.name} · {me?.email ?? "service account"} · printed on <CalendarDay day={useToday()} />
      {filters === undefined ? null : ` · ${filtered}`}
    </p>
  )
}
