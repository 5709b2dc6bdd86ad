import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { AnyFilter, SelectFilter } from "../listing/Filters.tsx"
import { ListExport } from "../listing/ListExport.tsx"
import { Paging } from "../listing/Paging.tsx"
import { type Column, Table } from "../listing/Table.tsx"
import { BatchRun, type Outcome, useRounds } from "../lists/Batch.tsx"
import { unitFilter } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { expiringWithin } from "../widgets/Days.ts"
import { Empty } from "../widgets/Empty.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"
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

/** Asks the register about a card. */
const verifyOne = async ([card]: ReadonlyArray<Credential>): Promise<ReadonlyArray<Outcome>> => {
  if (card === undefined) return []
  const name = <a href={`/console/credentials/${card.id}`}>{card.attributes.identifier}</a>
  try {
    await call("POST /credentials/:id/verify", { params: { id: card.id }, body: { forceRefresh: true } })
    return [{ name }]
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 0 || error.status === 429) throw error
    return [{ name, error: error.message }]
  }
}

/** Asks the registers about all shown credentials, one after the other. */
const VerifyAll = ({ cards }: { readonly cards: ReadonlyArray<Credential> }) => {
  const { onAgain, onState, round } = useRounds()
  return (
    <BatchRun
      key={round}
      action={`Verify all ${cards.length} shown`}
      things="Credentials"
      verb="verified"
      batch={{ collect: () => Promise.resolve(cards), send: verifyOne, size: 1 }}
      isReady
      onState={onState}
      onAgain={onAgain}
    />
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
              {may("credential:UPDATE") ? <VerifyAll key={`${days} ${unit} ${cursor}`} cards={data} /> : null}
              <Table caption="Credentials" columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
            </>
          )
        }
      </Loaded>
    </Screen>
  )
}
