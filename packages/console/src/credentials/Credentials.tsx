import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Owner, useOwners } from "../people/Owner.tsx"
import { UnitFilter } from "../records/Unit.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge, DeletedBadge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckFilter, SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { eligibilities } from "./Eligibilities.ts"

type Credential = Item<"GET /credentials">

const columns: ReadonlyArray<Column<Credential>> = [
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
]

/** Credentials by verdict, type, holder and identifier. */
export const Credentials = () => {
  const [{ credentialType = "", cursor, deleted, eligibility = "", query = "", unit = "" }] = useUrlState()
  const types = useRead("GET /credential-types", {})
  const selection = { credentialType, eligibility, includeDeleted: deleted, query, unit }
  const read = useRead("GET /credentials", {
    query: {
      ...selection,
      cursor,
      pageSize: "50",
      includeTotal: "true",
      include: useOwners()
    }
  })
  const isFiltered = credentialType !== "" || eligibility !== "" || query !== "" || unit !== ""
  return (
    <Screen
      title="Credentials"
      actions={
        <>
          <ListExport list="GET /credentials" name="credentials" query={selection} />
          <AddLink privilege="credential:CREATE" href="/console/credentials/new">
            Add a credential
          </AddLink>
        </>
      }
    >
      <PrintedLine filters={selection} />
      <div class="filters">
        <SearchFilter name="query" label="Holder or identifier" />
        <SelectFilter
          name="eligibility"
          label="Verdict"
          options={[["", "any"], ...eligibilities.map((one) => [one, wordsOf(one)] as const)]}
        />
        <SelectFilter
          name="credentialType"
          label="Type"
          options={[
            ["", "any"],
            ...(types.data?.data ?? []).map(({ code, displayName }) => [code, displayName] as const)
          ]}
        />
        <UnitFilter />
        <CheckFilter name="deleted" label="Show deleted" />
      </div>
      <Listing
        read={read}
        caption="Credentials"
        columns={columns}
        empty={<Empty title={isFiltered ? "No credential matches." : "There are no credentials yet."} />}
      />
    </Screen>
  )
}
