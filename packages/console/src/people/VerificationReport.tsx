import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { eligibilities } from "../credentials/Eligibilities.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import type { Option } from "../widgets/Field.tsx"
import { SearchFilter, SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "../widgets/Paging.tsx"
import { type Column, Table } from "../widgets/Table.tsx"
import { CalendarDay } from "../widgets/Time.tsx"

type Row = Item<"GET /reports/verifications">

const statuses = ["ACTIVE", "ON_LEAVE", "INACTIVE", "TERMINATED"] as const

/** The six facts. */
const columns: ReadonlyArray<Column<Row>> = [
  {
    heading: "Worker",
    cell: ({ displayName, workerId }) => <a href={`/console/workers/${workerId}`}>{displayName}</a>
  },
  { heading: "Born", cell: ({ birthDate }) => <CalendarDay day={birthDate} /> },
  {
    heading: "Card",
    cell: ({ credentialId, credentialType, identifier }) =>
      credentialId === null ? (
        <span class="quiet">none</span>
      ) : (
        <a href={`/console/credentials/${credentialId}`}>
          {credentialType} {identifier}
        </a>
      )
  },
  { heading: "Verified on", cell: ({ verifiedOn }) => <CalendarDay day={verifiedOn} /> },
  {
    heading: "Outcome",
    cell: ({ eligibility, statusDetail }) =>
      eligibility === null ? null : (
        <>
          <Badge value={eligibility} /> <span class="quiet">{wordsOf(statusDetail ?? "")}</span>
        </>
      )
  },
  { heading: "Expires", cell: ({ expiryDate }) => <CalendarDay day={expiryDate} /> },
  {
    heading: "Paid or voluntary",
    cell: ({ engagement }) => (engagement === null ? <span class="quiet">unknown</span> : wordsOf(engagement))
  }
]

const keyOf = ({ credentialId, workerId }: Row): string => `${workerId} ${credentialId}`

const chosen = (values: ReadonlyArray<string>): ReadonlyArray<Option> => [
  ["", "any"],
  ...values.map((value) => [value, wordsOf(value)] as const)
]

/** What an auditor asks about each worker: who was verified, by which number, when, with which outcome, until when. */
export const VerificationReport = () => {
  const [{ credentialType = "", cursor, eligibility = "", query: text = "", workerStatus = "" }] = useUrlState()
  const types = useRead("GET /credential-types", {})
  const query = { credentialType, eligibility, query: text, workerStatus }
  const read = useRead("GET /reports/verifications", {
    query: { ...query, cursor, sort: "displayName:asc", pageSize: "50" }
  })
  const sorted = { ...query, sort: "displayName:asc" }
  return (
    <Screen
      title="Verification report"
      actions={<ListExport list="GET /reports/verifications" name="verifications" query={sorted} />}
    >
      <PrintedLine filters={query} />
      <div class="filters">
        <SearchFilter name="query" label="Name or your id" />
        <SelectFilter
          name="credentialType"
          label="Type"
          options={[
            ["", "any"],
            ...(types.data?.data ?? []).flatMap(({ code, displayName, verifiable }) =>
              verifiable ? [[code, displayName] as const] : []
            )
          ]}
        />
        <SelectFilter name="eligibility" label="Outcome" options={chosen(eligibilities)} />
        <SelectFilter name="workerStatus" label="Status" options={chosen(statuses)} />
      </div>
      <Loaded read={read}>
        {({ data, meta }) => (
          <>
            {data.length > 0 ? (
              <Table caption="Verifications" columns={columns} rows={data} keyOf={keyOf} />
            ) : (
              <Empty title={meta.nextCursor === null ? "No worker matches." : "Nobody on this page matches."} />
            )}
            <Paging next={meta.nextCursor} shown={data.length} />
          </>
        )}
      </Loaded>
    </Screen>
  )
}
