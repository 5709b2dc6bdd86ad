import type { Item } from "../calls/Contract.ts"
import { useMe } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { type ListKind, ListSection } from "../listing/ListScreen.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { Account } from "./Account.tsx"
import { OwnMessages } from "./OwnMessages.tsx"

type Session = Item<"GET /sessions">

/** Whether a session is the one of this browser. */
const useIsThis = ({ id }: Session): boolean => useMe()?.bearer.id === id

const Browser = (session: Session) => (
  <>
    {session.userAgent === "" ? "unknown" : session.userAgent}
    {useIsThis(session) ? <Badge value="THIS ONE" tone="good" /> : null}
  </>
)

const End = (session: Session) => {
  const remove = useChange("DELETE /sessions/:id")
  return useIsThis(session) ? null : (
    <>
      <Button
        class="small danger"
        isBusy={remove.isPending}
        onClick={() => remove.mutate({ params: { id: session.id } })}
      >
        End
      </Button>
      <Problem error={remove.error} />
    </>
  )
}

const list: ListKind<"GET /sessions"> = {
  list: "GET /sessions",
  title: "Sessions",
  lead: "Each login in a browser is a session. End those that you do not know.",
  query: { sort: "createdAt:desc" },
  columns: [
    { heading: "Browser", cell: (session) => <Browser {...session} /> },
    { heading: "User", cell: ({ account }) => <Account urn={account} /> },
    { heading: "By", cell: ({ method }) => method },
    { heading: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { heading: "Last used", cell: ({ seenAt }) => <Time at={seenAt} /> },
    { heading: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { heading: "Change", cell: (session) => <End {...session} /> }
  ],
  empty: "There are no sessions."
}

/** The user's own login and messages, with a link to the password, the authenticator app and the recovery codes. */
export const Sessions = () => (
  <Screen
    title="My security"
    actions={
      <a class="button" href="/account" rel="external" target="_self">
        Password, app and recovery codes
      </a>
    }
  >
    <ListSection kind={list} />
    <OwnMessages />
  </Screen>
)
