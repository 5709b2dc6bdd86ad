import type { Item } from "../calls/Contract.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { NamedPerson, nameOfNamed } from "../people/Owner.tsx"
import { Badge, DeletedBadge, wordsOf } from "../widgets/Badge.tsx"
import { Time } from "../widgets/Time.tsx"
import { BanDecision } from "./BanDecision.tsx"

type Ban = Item<"GET /bans">

const eligibilities = (
  ["MAY_NOT_ENGAGE", "REVIEW_REQUIRED", "MAY_ENGAGE"] as const satisfies ReadonlyArray<Ban["eligibility"]>
).map((one) => [one, one === "REVIEW_REQUIRED" ? "possible match" : wordsOf(one)] as const)

const Matches = ({ matches }: Ban) =>
  matches.length === 0 ? (
    <span class="quiet">none</span>
  ) : (
    <ul>
      {matches.map((match) => {
        const text = [match.name, match.reference, match.detail].filter(Boolean).join(", ")
        return <li key={text}>{text}</li>
      })}
    </ul>
  )

const list: ListKind<"GET /bans"> = {
  list: "GET /bans",
  file: "bans",
  query: { sort: "createdAt:desc" },
  title: "Bans",
  lead:
    "Records of registers of banned persons. A ban keeps the worker from every check, and so does a possible match until " +
    "a person decides about it. Operators import the records with “wcs admin import-bans”.",
  hasPeople: true,
  columns: [
    { heading: "Worker", cell: (row) => <NamedPerson {...row} /> },
    { heading: "Register", cell: ({ register }) => register },
    {
      heading: "Verdict",
      cell: ({ deletedAt, eligibility }) => (
        <>
          {eligibility === "REVIEW_REQUIRED" ? (
            <Badge tone="wait" words="possible match" />
          ) : (
            <Badge value={eligibility} />
          )}{" "}
          <DeletedBadge at={deletedAt} />
        </>
      )
    },
    { heading: "Entries of the register", cell: (row) => <Matches {...row} /> },
    { heading: "Decision", cell: (row) => <BanDecision ban={row} name={nameOfNamed(row)} /> },
    { heading: "Checked", cell: ({ checkedAt }) => <Time at={checkedAt} /> }
  ],
  filters: [
    { name: "eligibility", label: "Verdict", by: eligibilities },
    { name: "register", label: "Register, in full", by: "text" },
    { name: "ownerExternalId", label: "Your id of the worker", by: "text" },
    { name: "includeDeleted", label: "Show deleted", by: "check" }
  ],
  empty: "No register has a record about a worker.",
  next: "Records come from the operator of the service, who imports them."
}

/** What registers of banned persons say about workers. */
export const Bans = () => <ListScreen kind={list} />
