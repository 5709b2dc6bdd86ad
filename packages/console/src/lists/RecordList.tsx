import type { ComponentChildren } from "preact"
import { useMay } from "../calls/Me.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { AddRecord, RecordActions, type RecordKind, type RecordPath, type Row } from "./RecordDialogs.tsx"

/** The privileges of the actions on a record. */
const changing = ["UPDATE", "DELETE"] as const

/** The screen of a list whose records change: their own actions are in the last column. */
export const RecordList = <Path extends RecordPath>({
  actions,
  kind,
  record
}: {
  readonly kind: ListKind<`GET /${Path}`>
  readonly record: RecordKind
  /** Other actions of the screen. */
  readonly actions?: ComponentChildren
}) => {
  const may = useMay()
  const changes = { heading: "Actions", cell: (row: Row) => <RecordActions kind={record} row={row} /> }
  return (
    <ListScreen
      kind={kind}
      last={changing.some((operation) => may(`${record.entity}:${operation}`)) ? [changes] : []}
      actions={
        <>
          {actions}
          <Opener
            needs={`${record.entity}:CREATE`}
            class="main"
            dialog={(close) => <AddRecord kind={record} onClose={close} />}
          >
            Add {record.noun}
          </Opener>
        </>
      }
    />
  )
}
