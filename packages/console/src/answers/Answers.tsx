import { useRead } from "../calls/Queries.ts"
import { TypeNames } from "../lists/TypeNames.tsx"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Time } from "../widgets/Time.tsx"
import { stateNames, tones } from "./AnswerStates.ts"

/** What people answered to requests. */
export const Answers = () => {
  const [{ applicantId = "", cursor, requestId = "", state = "", workerId = "" }] = useUrlState()
  const selection = { state, requestId, workerId, applicantId }
  const query = { ...selection, cursor, sort: "updatedAt:desc", pageSize: "50", includeTotal: "true" } as const
  const read = useRead("GET /answers", { query }, { everySeconds: 10 })
  return (
    <Screen title="Answers" actions={<ListExport list="GET /answers" name="answers" query={selection} />}>
      <PrintedLine filters={selection} />
      <div class="filters">
        <SelectFilter name="state" label="State" options={[["", "any"], ...stateNames]} />
      </div>
      <Listing
        read={read}
        caption="Answers"
        empty={
          <Empty title={state === "" ? "Nobody has answered a request yet." : "No answer matches."}>
            <p>People answer on the page of the link that a message about their request has.</p>
          </Empty>
        }
        columns={[
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
        ]}
      />
    </Screen>
  )
}
