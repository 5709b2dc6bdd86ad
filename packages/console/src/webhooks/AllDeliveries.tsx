import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { deliveries, useDeliveryColumns } from "./Deliveries.tsx"

const list: ListKind<"GET /deliveries"> = {
  ...deliveries,
  list: "GET /deliveries",
  columns: useDeliveryColumns,
  everySeconds: 15,
  next: "Finished deliveries are deleted after their retention."
}

/** The deliveries of all webhooks, newest first: one event, one call or one record, wherever it was sent. */
export const AllDeliveries = () => <ListScreen kind={list} />
