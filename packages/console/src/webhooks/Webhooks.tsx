import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { type Column, Table } from "../listing/Table.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, optionsOf, wordsOf } from "../widgets/Badge.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"

type Webhook = Item<"GET /webhooks">

/** Whether deliveries arrive, from the status and the failures since the last success. */
export const HealthBadge = ({ delivery, status }: Pick<Webhook, "delivery" | "status">) => {
  if (status !== "ACTIVE") return <Badge value={status} tone={status === "DISABLED" ? "plain" : "bad"} />
  if (delivery.consecutiveFailures > 0)
    return (
      <Badge
        words={`failed ${delivery.consecutiveFailures.toLocaleString()} ${delivery.consecutiveFailures === 1 ? "time" : "times in a row"}`}
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
  { heading: "Waiting", cell: ({ delivery }) => countWords(delivery.waiting) },
  {
    heading: "Given up",
    cell: ({ delivery, id }) =>
      delivery.exhausted === 0 ? (
        0
      ) : (
        <a href={`/console/webhooks/${id}?state=EXHAUSTED`}>{countWords(delivery.exhausted)}</a>
      )
  },
  { heading: "Address", cell: ({ url }) => <code>{url}</code> }
]

const everySeconds = 15

/** The webhooks that fail, above the list of all. */
const Failing = () => {
  const { data, error, refetch } = useRead(
    "GET /webhooks",
    { query: { failing: "true", pageSize: "100" } },
    { everySeconds }
  )
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  if (data === undefined || data.data.length === 0) return null
  return (
    <section class="group">
      <h2>Failing</h2>
      <Table caption="Webhooks that fail" columns={columns} rows={data.data} keyOf={({ id }) => id} />
      {data.meta.nextCursor === null ? null : (
        <p>
          These are the first 100. <a href="/console/webhooks?failing=true">All that fail</a>
        </p>
      )}
      <h2>All webhooks</h2>
    </section>
  )
}

const list: ListKind<"GET /webhooks"> = {
  list: "GET /webhooks",
  title: "Webhooks",
  file: "webhooks",
  query: { sort: "name:asc" },
  everySeconds,
  columns,
  filters: [
    { name: "query", label: "Words of the name", by: "words" },
    { name: "status", label: "Status", by: optionsOf(["ACTIVE", "DISABLED", "AUTO_DISABLED"]) },
    { name: "failing", label: "Only failing ones", by: "check" }
  ],
  empty: "There are no webhooks yet.",
  next: "Add one, and another system hears of each change."
}

/** Webhooks with their health, those that fail first. */
export const Webhooks = () => {
  const [{ cursor = "", failing = "", query = "", status = "" }] = useUrlState()
  return (
    <ListScreen
      kind={list}
      actions={
        <AddLink privilege="webhook:CREATE" href="/console/webhooks/new">
          Add a webhook
        </AddLink>
      }
    >
      {cursor + failing + query + status === "" ? <Failing /> : null}
    </ListScreen>
  )
}
