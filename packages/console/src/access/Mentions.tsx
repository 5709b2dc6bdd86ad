import { useRead } from "../calls/Queries.ts"
import { Paging } from "../listing/Paging.tsx"
import { NoteText } from "../records/Notes.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Empty } from "../widgets/Empty.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Time } from "../widgets/Time.tsx"
import { Account } from "./Account.tsx"

/** The screen of the record that a note is about. */
const screenOf = (about: string): string => {
  if (about.startsWith("wkr_")) return `/console/workers/${about}`
  return about.startsWith("app_") ? `/console/applicants/${about}` : "/console/tasks"
}

/** The notes that mention the user. */
export const Mentions = () => (
  <Screen title="My mentions">
    <Loaded read={useRead("GET /me/mentions", { query: { cursor: useUrlState()[0].cursor } })}>
      {({ data, meta }) =>
        data.length === 0 && meta.nextCursor === null ? (
          <Empty title="No note mentions you." />
        ) : (
          <>
            <ol class="timeline">
              {data.map((note) => (
                <li key={note.id}>
                  <p>
                    <a href={screenOf(note.about)}>Open the record</a> · <Account urn={note.account} /> ·{" "}
                    <Time at={note.createdAt} />
                  </p>
                  <NoteText note={note} />
                </li>
              ))}
            </ol>
            <Paging next={meta.nextCursor} shown={data.length} />
          </>
        )
      }
    </Loaded>
  </Screen>
)
