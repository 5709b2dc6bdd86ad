import { useEffect, useRef, useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { unitFilter } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { dayAfter } from "../widgets/Days.ts"
import { Empty } from "../widgets/Empty.tsx"
import { AnyFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "../widgets/Paging.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { type Column, Table } from "../widgets/Table.tsx"
import { CalendarDay, Time, useToday } from "../widgets/Time.tsx"
import { Owner, useOwners } from "./Owner.tsx"

type Credential = Item<"GET /credentials">

const columns: ReadonlyArray<Column<Credential>> = [
  {
    heading: "Credential",
    cell: ({ attributes, id }) => (
      <a href={`/console/credentials/${id}`}>
        {attributes.credentialType} {attributes.identifier}
      </a>
    )
  },
  {
    heading: "Owner",
    cell: (credential) => <Owner {...credential} />
  },
  {
    heading: "Verdict",
    cell: ({ attributes: { eligibility } }) => (eligibility === undefined ? null : <Badge value={eligibility} />)
  },
  { heading: "Expires", cell: ({ attributes }) => <CalendarDay day={attributes.expiryDate} isNear /> },
  { heading: "Verified", cell: ({ attributes }) => <Time at={attributes.lastVerifiedAt} /> },
  { heading: "Verify", cell: ({ id }) => <Verify id={id} /> }
]

const Verify = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const verify = useChange("POST /credentials/:id/verify")
  if (!may("credential:UPDATE")) return null
  return (
    <>
      <Button
        class="small"
        isBusy={verify.isPending}
        onClick={() => verify.mutate({ params: { id }, body: { forceRefresh: true } })}
      >
        Verify
      </Button>
      <Problem error={verify.error} />
    </>
  )
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/**
 * Asks the registers about all shown credentials, one after the other. It waits when the rate limit requires it.
 * Leaving the page stops it.
 */
const VerifyAll = ({ ids, onDone }: { readonly ids: ReadonlyArray<string>; readonly onDone: () => unknown }) => {
  const isWanted = useRef(false)
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number } | null>(null)
  const [failures, setFailures] = useState(0)
  const [waiting, setWaiting] = useState(0)

  const verify = async (id: string): Promise<boolean> => {
    try {
      await call("POST /credentials/:id/verify", { params: { id }, body: { forceRefresh: true } })
      return true
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429) return false
      setWaiting(error.retryAfterSeconds ?? 1)
      await wait(error.retryAfterSeconds ?? 1)
      setWaiting(0)
      return isWanted.current && verify(id)
    }
  }
  const stop = () => {
    isWanted.current = false
  }
  useEffect(() => stop, [])
  const start = async () => {
    if (isWanted.current) return
    isWanted.current = true
    setFailures(0)
    for (const [done, id] of ids.entries()) {
      setProgress({ done, total: ids.length })
      if (!isWanted.current) break
      if (!(await verify(id))) setFailures((before) => before + 1)
    }
    isWanted.current = false
    setProgress(null)
    onDone()
  }
  return (
    <>
      {progress === null ? (
        <button type="button" onClick={start}>
          Verify all {ids.length} shown
        </button>
      ) : (
        <>
          <label>
            {progress.done} of {progress.total} {waiting > 0 ? `, waiting ${waiting} s for the limit` : ""}
            <progress max={progress.total} value={progress.done} />
          </label>
          <button type="button" onClick={stop}>
            Stop
          </button>
        </>
      )}
      {failures === 0 ? null : <p role="status">{failures} could not be verified. Open them to see why.</p>}
    </>
  )
}

const choices = [
  ["30", "Expires within 30 days"],
  ["60", "Expires within 60 days"],
  ["90", "Expires within 90 days"],
  ["expired", "Has expired"],
  ["review", "Review required"],
  ["waiting", "No verdict yet"]
] as const

/** The filters of the cards that expire today or within a number of days. `expiringBefore` leaves its own day out. */
export const expiringWithin = (days: number, today: string) => ({
  expiringFrom: today,
  expiringBefore: dayAfter(today, days + 1)
})

/** The query of a choice. */
const selectionOf = (days: string, today: string) => {
  if (days === "review") return { eligibility: "REVIEW_REQUIRED", sort: "updatedAt:asc" }
  if (days === "waiting") return { eligibility: "IN_PROGRESS", sort: "updatedAt:asc" }
  if (days === "expired") return { expiringBefore: today, sort: "expiryDate:desc" }
  return { ...expiringWithin(Number(days) || 30, today), sort: "expiryDate:asc" }
}

/** Credentials that expire, and those whose verdict a person has to look at. */
export const Expiring = () => {
  const may = useMay()
  const [{ cursor, days = "30", unit = "" }] = useUrlState()
  const selection = { ...selectionOf(days, useToday()), unit }
  const read = useRead("GET /credentials", {
    query: { ...selection, cursor, pageSize: "50", includeTotal: "true", include: useOwners() }
  })
  return (
    <Screen
      title="Expiring and review"
      actions={<ListExport list="GET /credentials" name={`credentials-${days}`} query={selection} />}
    >
      <PrintedLine filters={selection} />
      <div class="filters">
        <SelectFilter name="days" label="Show" options={choices} />
        <AnyFilter {...unitFilter} />
      </div>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title="Nothing to do." />
          ) : (
            <>
              {may("credential:UPDATE") ? (
                <div class="actions above">
                  <VerifyAll key={`${days} ${unit} ${cursor}`} ids={data.map(({ id }) => id)} onDone={read.refetch} />
                </div>
              ) : null}
              <Table caption="Credentials" columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
            </>
          )
        }
      </Loaded>
    </Screen>
  )
}
