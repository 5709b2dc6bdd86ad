import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { type Column, Table } from "../widgets/Table.tsx"
import { Time } from "../widgets/Time.tsx"

type Webhook = Item<"GET /webhooks">

const statuses = ["ACTIVE", "DISABLED", "AUTO_DISABLED"] as const

/** Whether deliveries arrive, from the status and the failures since the last success. */
export const HealthBadge = ({ delivery, status }: Pick<Webhook, "delivery" | "status">) => {
  if (status !== "ACTIVE") return <Badge value={status} tone={status === "DISABLED" ? "plain" : "bad"} />
  if (delivery.consecutiveFailures > 0)
    return (
      <Badge
        value={`FAILING ${delivery.consecutiveFailures} ${delivery.consecutiveFailures === 1 ? "TIME" : "TIMES"}`}
        tone="bad"
      />
    )
  return (
    <Badge
      value={delivery.lastSuccessAt === null ? "NOTHING SENT YET" : "HEALTHY"}
      tone={delivery.lastSuccessAt === null ? "plain" : "good"}
    />
  )
}

/** The reason of the last failed attempt: the status of the answer, or the fault. */
export const failureWords = (failure: string | null): string =>
  failure === null ? "" : failure.startsWith("HTTP_") ? `status ${failure.slice(5)}` : wordsOf(failure)

/** A number that is counted up to 1,000. */
export const countWords = (count: number): string => (count >= 1000 ? "1,000 or more" : String(count))

/** A number that is counted up to a limit, and links to the deliveries that it counts. */
const Counted = ({ count, id, state }: { readonly count: number; readonly id: string; readonly state?: string }) =>
  count === 0 ? (
    <span class="quiet">none</span>
  ) : (
    <a href={`/console/webhooks/${id}${state === undefined ? "" : `?state=${state}`}`}>{countWords(count)}</a>
  )

const columns: ReadonlyArray<Column<Webhook>> = [
  { heading: "Health", cell: (webhook) => <HealthBadge {...webhook} /> },
  { heading: "Name", cell: ({ id, name }) => <a href={`/console/webhooks/${id}`}>{name}</a> },
  { heading: "Last success", cell: ({ delivery }) => <Time at={delivery.lastSuccessAt} /> },
  {
    heading: "Last failure",
    cell: ({ delivery }) => (
      <>
        <Time at={delivery.lastFailureAt} />
        {delivery.lastFailure === null ? null : <p>{failureWords(delivery.lastFailure)}</p>}
      </>
    )
  },
  { heading: "Waiting", cell: ({ delivery, id }) => <Counted count={delivery.waiting} id={id} /> },
  { heading: "Given up", cell: ({ delivery, id }) => <Counted count={delivery.exhausted} id={id} state="EXHAUSTED" /> },
  { heading: "Address", cell: ({ url }) => <code>{url}</code> }
]

const everySeconds = 15

/** The webhooks that fail, above the list of all. */
const Failing = () => {
  const { data } = useRead("GET /webhooks", { query: { failing: "true", pageSize: "100" } }, { everySeconds })
  if (data === undefined || data.data.length === 0) return null
  return (
    <section class="group">
      <h2>Failing</h2>
      <Table caption="Webhooks that fail" columns={columns} rows={data.data} keyOf={({ id }) => id} />
      <h2>All webhooks</h2>
    </section>
  )
}

/** Webhooks with their health, those that fail first. */
export const Webhooks = () => {
  const [{ cursor, failing = "", query = "", status = "" }] = useUrlState()
  const filters = { query, status, failing }
  const read = useRead(
    "GET /webhooks",
    { query: { ...filters, cursor, sort: "name:asc", pageSize: "50", includeTotal: "true" } },
    { everySeconds }
  )
  const isFiltered = query !== "" || status !== "" || failing !== ""
  return (
    <Screen
      title="Webhooks"
      actions={
        <>
          <AddLink privilege="webhook:CREATE" href="/console/webhooks/new">
            Add a webhook
          </AddLink>
          <ListExport
            list="GET /webhooks"
            name="webhooks"
            query={{ ...filters, sort: "name:asc" }}
            disabled={read.data?.data.length === 0}
          />
        </>
      }
    >
      <PrintedLine filters={filters} />
      <div class="filters">
        <SearchFilter name="query" label="Words of the name" />
        <SelectFilter
          name="status"
          label="Status"
          options={[["", "any"], ...statuses.map((one) => [one, wordsOf(one)] as const)]}
        />
        <CheckFilter name="failing" label="Only failing ones" />
      </div>
      {isFiltered || cursor !== undefined ? null : <Failing />}
      <Listing
        read={read}
        caption="Webhooks"
        columns={columns}
        empty={
          <Empty title={isFiltered ? "No webhook matches." : "There are no webhooks yet."}>
            {isFiltered ? null : <p>Add one, and another system hears of each change.</p>}
          </Empty>
        }
      />
    </Screen>
  )
}
