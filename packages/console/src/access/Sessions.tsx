import type { Item } from "../calls/Contract.ts"
import { useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { Account } from "./Account.tsx"
import { OwnMessages } from "./OwnMessages.tsx"

type Session = Item<"GET /sessions">

const End = ({ id }: { readonly id: string }) => {
  const remove = useChange("DELETE /sessions/:id")
  return (
    <>
      <Button class="small danger" isBusy={remove.isPending} onClick={() => remove.mutate({ params: { id } })}>
        End
      </Button>
      <Problem error={remove.error} />
    </>
  )
}

/** The user's own login and messages, with a link to the password, the authenticator app and the recovery codes. */
export const Sessions = () => {
  const me = useMe()
  const [{ cursor }] = useUrlState()
  const read = useRead("GET /sessions", {
    query: { cursor, sort: "createdAt:desc", pageSize: "50", includeTotal: "true" }
  })
  const isThis = ({ id }: Session) => id === me?.bearer.id
  return (
    <Screen
      title="My security"
      actions={
        <a class="button" href="/account" rel="external" target="_self">
          Password, app and recovery codes
        </a>
      }
    >
      <h2>Sessions</h2>
      <p class="quiet">Each login in a browser is a session. End those that you do not know.</p>
      <Listing
        read={read}
        caption="Sessions"
        empty={null}
        columns={[
          {
            heading: "Browser",
            cell: (session) => (
              <>
                {session.userAgent === "" ? "unknown" : session.userAgent}
                {isThis(session) ? <Badge value="THIS ONE" tone="good" /> : null}
              </>
            )
          },
          { heading: "User", cell: ({ account }) => <Account urn={account} /> },
          { heading: "By", cell: ({ method }) => method },
          { heading: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
          { heading: "Last used", cell: ({ seenAt }) => <Time at={seenAt} /> },
          { heading: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          { heading: "Change", cell: (session) => (isThis(session) ? null : <End id={session.id} />) }
        ]}
      />
      <OwnMessages />
    </Screen>
  )
}
