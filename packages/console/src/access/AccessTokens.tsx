import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMe } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { CheckField } from "../widgets/Field.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Time } from "../widgets/Time.tsx"
import { Account } from "./Account.tsx"
import { LifeBadge } from "./Issued.tsx"
import { NewToken } from "./NewToken.tsx"

type Token = Item<"GET /access-tokens">

const Revocation = ({ onClose, token }: { readonly token: Token; readonly onClose: () => void }) => {
  const remove = useChange("DELETE /access-tokens/:id")
  const [isCascade, setIsCascade] = useState(false)
  return (
    <Confirmation
      title={`Revoke ${token.name}?`}
      action="Revoke"
      change={remove}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(
          { params: { id: token.id }, query: { cascade: isCascade ? "true" : "" } },
          announcing(`${token.name} is revoked.`, onClose)
        )
      }
    >
      <p>Programs that use the token ending in {token.lastFour} are refused from now on.</p>
      <CheckField
        label="Also revoke all tokens and clients that were made with it"
        value={isCascade}
        onChange={setIsCascade}
      />
    </Confirmation>
  )
}

const Changes = (token: Token) => {
  const isOwn = token.account === useMe()?.account
  return token.revokedAt !== null ? null : (
    <div class="actions">
      {isOwn ? <Opener dialog={(close) => <NewToken name={token.name} onClose={close} />}>Rotate</Opener> : null}
      <Opener class="small danger" dialog={(close) => <Revocation token={token} onClose={close} />}>
        Revoke
      </Opener>
    </div>
  )
}

const list: ListKind<"GET /access-tokens"> = {
  list: "GET /access-tokens",
  title: "Access tokens",
  lead: "A personal access token acts with the privileges of its owner.",
  query: { sort: "createdAt:desc" },
  columns: [
    {
      heading: "Name",
      cell: ({ lastFour, name }) => (
        <>
          {name} <span class="whole">(…{lastFour})</span>
        </>
      )
    },
    { heading: "State", cell: (token) => <LifeBadge {...token} /> },
    { heading: "Owner", cell: ({ account }) => <Account urn={account} /> },
    { heading: "Last used", cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    { heading: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { heading: "Made", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { heading: "Change", cell: (token) => <Changes {...token} /> }
  ],
  filters: [{ name: "includeDeleted", label: "Show revoked tokens too", by: "check" }],
  empty: "There are no tokens.",
  next: "Make one for each program that calls the API in your name."
}

/** The access tokens of the user and, with the privilege, those of all users. */
export const AccessTokens = () => (
  <ListScreen
    kind={list}
    actions={
      <Opener class="main" dialog={(close) => <NewToken onClose={close} />}>
        Make a token
      </Opener>
    }
  />
)
