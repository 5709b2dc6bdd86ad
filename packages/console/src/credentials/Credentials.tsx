import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { useTypeOptions } from "../lists/TypeOptions.ts"
import { Owner } from "../people/Owner.tsx"
import { unitFilter } from "../records/Unit.tsx"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge, optionsOf } from "../widgets/Badge.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { eligibilities } from "./Eligibilities.ts"

const list: ListKind<"GET /credentials"> = {
  list: "GET /credentials",
  title: "Credentials",
  file: "credentials",
  hasPeople: true,
  columns: [
    {
      heading: "Credential",
      cell: ({ attributes, deletedAt, id }) => (
        <>
          <a href={`/console/credentials/${id}`}>
            {attributes.credentialType} {attributes.identifier}
          </a>{" "}
          <DeletedBadge at={deletedAt} />
        </>
      )
    },
    { heading: "Holder", cell: ({ attributes: { holder } }) => [holder?.firstName, holder?.lastName].join(" ") },
    {
      heading: "Verdict",
      cell: ({ attributes: { eligibility } }) => (eligibility === undefined ? null : <Badge value={eligibility} />)
    },
    { heading: "Expires", cell: ({ attributes }) => <CalendarDay day={attributes.expiryDate} isNear /> },
    {
      heading: "Owner",
      cell: (credential) => <Owner {...credential} />
    },
    { heading: "Changed", cell: ({ updatedAt }) => <Time at={updatedAt} /> }
  ],
  filters: [
    { name: "query", label: "Holder or identifier", by: "words" },
    { name: "eligibility", label: "Verdict", by: optionsOf(eligibilities) },
    { name: "credentialType", label: "Type", by: useTypeOptions },
    unitFilter,
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "There are no credentials yet."
}

/** Credentials by verdict, type, holder and identifier. */
export const Credentials = () => (
  <ListScreen
    kind={list}
    actions={
      <AddLink privilege="credential:CREATE" href="/console/credentials/new">
        Add a credential
      </AddLink>
    }
  />
)
