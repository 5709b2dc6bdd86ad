import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { TypeNames } from "../lists/TypeNames.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Time } from "../widgets/Time.tsx"
import { stateNames, tones } from "./AnswerStates.ts"

const list: ListKind<"GET /answers"> = {
  list: "GET /answers",
  title: "Answers",
  file: "answers",
  query: { sort: "updatedAt:desc" },
  everySeconds: 10,
  columns: [
    { heading: "Sent", cell: ({ submittedAt }) => <Time at={submittedAt} /> },
    {
      heading: "Answer",
      cell: ({ applicant, id }) => (
        <a href={`/console/answers/${id}`}>{applicant === undefined ? "of a worker" : "of an applicant"}</a>
      )
    },
    {
      heading: "Cards",
      cell: ({ cards }) => <TypeNames codes={cards.map(({ credentialType }) => credentialType)} />
    },
    { heading: "State", cell: ({ state }) => <Badge value={state} tone={tones[state]} /> }
  ],
  filters: [{ name: "state", label: "State", by: stateNames }],
  linked: ["requestId", "workerId", "applicantId"],
  empty: "Nobody has answered a request yet.",
  next: "People answer on the page of the link that a message about their request has."
}

/** What people answered to requests. */
export const Answers = () => <ListScreen kind={list} />
