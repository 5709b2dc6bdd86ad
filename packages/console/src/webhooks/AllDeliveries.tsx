import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { ListExport } from "../widgets/ListExport.tsx"
import { DeliveryFilters, DeliveryTable, useDeliveryQuery } from "./Deliveries.tsx"

/** The names of the first webhooks, deleted ones too, by id. */
const useWebhookNames = (): ReadonlyMap<string, string> => {
  const { data } = useRead("GET /webhooks", { query: { pageSize: "100", includeDeleted: "true" } })
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name]))
}

/** The deliveries of all webhooks, newest first: one event, one call or one record, wherever it was sent. */
export const AllDeliveries = () => {
  const [{ cursor }] = useUrlState()
  const { filters, query } = useDeliveryQuery()
  const names = useWebhookNames()
  const read = useRead(
    "GET /deliveries",
    { query: { ...query, cursor, sort: "createdAt:desc", pageSize: "50", includeTotal: "true" } },
    { everySeconds: 15 }
  )
  return (
    <Screen
      title="Deliveries"
      actions={
        <ListExport list="GET /deliveries" name="deliveries" query={query} disabled={read.data?.data.length === 0} />
      }
    >
      <PrintedLine filters={filters} />
      <DeliveryFilters />
      <DeliveryTable
        read={read}
        first={[
          {
            heading: "Webhook",
            cell: ({ webhookId }) => <a href={`/console/webhooks/${webhookId}`}>{names.get(webhookId) ?? webhookId}</a>
          }
        ]}
        empty={<p>Ids have to match exactly. Finished deliveries are deleted after their retention.</p>}
      />
    </Screen>
  )
}
