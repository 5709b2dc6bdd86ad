import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
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

const columns: ReadonlyArray<Column<Webhook>> = [
  { heading: "Name", cell: ({ id, name }) => <a href={`/console/webhooks/${id}`}>{name}</a> },
  { heading: "Health", cell: (webhook) => <HealthBadge {...webhook} /> },
  { heading: "Address", cell: ({ url }) => <code>{url}</code> },
  { heading: "Events", cell: ({ events }) => events.length },
  { heading: "Last success", cell: ({ delivery }) => <Time at={delivery.lastSuccessAt} /> },
  { heading: "Last failure", cell: ({ delivery }) => <Time at={delivery.lastFailureAt} /> }
]

/** Webhooks with their health. */
export const Webhooks = () => {
  const [{ cursor, query = "", status = "" }] = useUrlState()
  const read = useRead(
    "GET /webhooks",
    { query: { cursor, query, status, sort: "name:asc", pageSize: "50", includeTotal: "true" } },
    { everySeconds: 15 }
  )
  const isFiltered = query !== "" || status !== ""
  return (
    <Screen
      title="Webhooks"
      actions={
        <AddLink privilege="webhook:CREATE" href="/console/webhooks/new">
          Add a webhook
        </AddLink>
      }
    >
      <div class="filters">
        <SearchFilter name="query" label="Words of the name" />
        <SelectFilter
          name="status"
          label="Status"
          options={[["", "any"], ...statuses.map((one) => [one, wordsOf(one)] as const)]}
        />
      </div>
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
