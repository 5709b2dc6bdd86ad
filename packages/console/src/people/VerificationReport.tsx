import { useRead } from "../calls/Queries.ts"
import { eligibilities } from "../credentials/Eligibilities.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Badge, optionsOf, wordsOf } from "../widgets/Badge.tsx"
import type { Option } from "../widgets/Field.tsx"
import { CalendarDay } from "../widgets/Time.tsx"

/** The types that a register verifies. */
const useVerifiable = (): ReadonlyArray<Option> =>
  (useRead("GET /credential-types", {}).data?.data ?? []).flatMap(({ code, displayName, verifiable }) =>
    verifiable ? [[code, displayName] as const] : []
  )

const list: ListKind<"GET /reports/verifications"> = {
  list: "GET /reports/verifications",
  title: "Verification report",
  file: "verifications",
  query: { sort: "displayName:asc" },
  isCounted: false,
  keyOf: ({ credentialId, workerId }) => `${workerId} ${credentialId}`,
  // the six facts
  columns: [
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
  ],
  filters: [
    { name: "query", label: "Name or your id", by: "words" },
    { name: "credentialType", label: "Type", by: useVerifiable },
    { name: "eligibility", label: "Outcome", by: optionsOf(eligibilities) },
    { name: "workerStatus", label: "Status", by: optionsOf(["ACTIVE", "ON_LEAVE", "INACTIVE", "TERMINATED"]) }
  ],
  empty: "There are no workers yet."
}

/** What an auditor asks about each worker: who was verified, by which number, when, with which outcome, until when. */
export const VerificationReport = () => <ListScreen kind={list} />
