import type { ListKind } from "../listing/ListScreen.tsx"
import { AddLink } from "../widgets/AddLink.tsx"
import {
  invitationColumns,
  invitationFields,
  invitationFilters,
  invitationRecords,
  personColumn
} from "./Invitation.tsx"
import type { RecordKind } from "./RecordDialogs.tsx"
import { RecordList } from "./RecordList.tsx"
import { TypeNames } from "./TypeNames.tsx"
import { useTypeOptions } from "./TypeOptions.ts"

export const fetchRecords: RecordKind = {
  ...invitationRecords,
  path: "fetch-requests",
  entity: "captureRequest",
  noun: "a fetch request",
  people: ["worker"],
  added: [{ path: "requestedCredentialTypes", as: "list", options: useTypeOptions }, ...invitationFields]
}

const list: ListKind<"GET /fetch-requests"> = {
  list: "GET /fetch-requests",
  file: "fetch-requests",
  query: { sort: "createdAt:desc" },
  title: "Fetch requests",
  lead: "A fetch request asks a worker for credentials. It completes by itself when the worker has them all.",
  hasPeople: true,
  columns: [
    personColumn,
    {
      heading: "Asked for",
      cell: ({ requestedCredentialTypes }) => <TypeNames codes={requestedCredentialTypes} />
    },
    ...invitationColumns
  ],
  filters: invitationFilters,
  empty: "There are no fetch requests.",
  next: "Ask one worker here, or many at once."
}

/** Which workers are asked for credentials, and how far they are. */
export const FetchRequests = () => (
  <RecordList
    kind={list}
    record={fetchRecords}
    actions={
      <>
        <AddLink privilege="captureRequest:CREATE" href="/console/fetch-requests/many">
          Ask many
        </AddLink>
        <AddLink privilege="captureRequest:UPDATE" href="/console/fetch-requests/reminders">
          Remind many
        </AddLink>
      </>
    }
  />
)
