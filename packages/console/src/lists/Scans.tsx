import { Account } from "../access/Account.tsx"
import type { Item } from "../calls/Contract.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Badge, optionsOf } from "../widgets/Badge.tsx"
import { Time } from "../widgets/Time.tsx"
import { TypeNames } from "./TypeNames.tsx"

type Scan = Item<"GET /scans">

const statuses = optionsOf<Scan["status"]>(["queued", "unmatched", "not_verifiable"])

const outcomes: Readonly<Record<Scan["outcome"], string>> = {
  MATCHED: "one credential, which is verified",
  NO_CREDENTIAL: "no credential has this number",
  SEVERAL_CREDENTIALS: "several credentials have this number",
  NAME_DIFFERS: "the holder has another name"
}

const list: ListKind<"GET /scans"> = {
  list: "GET /scans",
  file: "scans",
  query: { sort: "createdAt:desc" },
  title: "Scans",
  lead: "Cards that other systems submitted through the older interface, and what was found for each.",
  columns: [
    { heading: "Submitted", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      heading: "Card",
      cell: ({ credentialId, credentialType, identifier }) =>
        credentialId === null ? (
          <>
            <TypeNames codes={[credentialType]} /> {identifier}
          </>
        ) : (
          <a href={`/console/credentials/${credentialId}`}>
            <TypeNames codes={[credentialType]} /> {identifier}
          </a>
        )
    },
    { heading: "Name on the card", cell: ({ firstName, lastName }) => `${firstName} ${lastName}` },
    {
      heading: "Status",
      cell: ({ status }) => <Badge value={status} tone={status === "queued" ? "good" : "wait"} />
    },
    { heading: "Found", cell: ({ outcome }) => outcomes[outcome] },
    { heading: "By", cell: ({ account }) => <Account urn={account} /> }
  ],
  filters: [
    { name: "identifier", label: "Card number", by: "text" },
    { name: "status", label: "Status", by: statuses }
  ],
  empty: "No card was scanned.",
  next: "Scans appear here when a system submits them."
}

/** The cards that other systems submitted. */
export const Scans = () => <ListScreen kind={list} />
