import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { ListExport } from "../widgets/ListExport.tsx"
import { DeliveryFilters, DeliveryTable, useDeliveryQuery, useWebhookNames, webhookColumn } from "./Deliveries.tsx"

/** The deliveries of all webhooks, newest first: one event, one call or one record, wherever it was sent. */
export const AllDeliveries = () => {
  const [{ cursor }] = useUrlState()
  const { filters, query } = useDeliveryQuery()
  const webhook = webhookColumn(useWebhookNames())
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
        first={[webhook]}
        empty={<p>Ids have to match exactly. Finished deliveries are deleted after their retention.</p>}
      />
    </Screen>
  )
}
