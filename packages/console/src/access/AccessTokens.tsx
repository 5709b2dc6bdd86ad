import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { CheckField } from "../widgets/Field.tsx"
import { CheckFilter } from "../widgets/Filters.tsx"
import { Listing } from "../widgets/Listing.tsx"
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

/** The access tokens of the user and, with the privilege, those of all users. */
export const AccessTokens = () => {
  const me = useMe()
  const [{ cursor, revoked = "" }] = useUrlState()
  const read = useRead("GET /access-tokens", {
    query: { cursor, includeDeleted: revoked, sort: "createdAt:desc", pageSize: "50", includeTotal: "true" }
  })
  const [rotated, setRotated] = useState<string | null>(null)
  const [isMaking, setIsMaking] = useState(false)
  const [ending, setEnding] = useState<Token | null>(null)
  const actionsOf = (token: Token) =>
    token.revokedAt !== null ? null : (
      <div class="actions">
        {token.account === me?.account ? (
          <button type="button" class="small" onClick={() => setRotated(token.name)}>
            Rotate
          </button>
        ) : null}
        <button type="button" class="small danger" onClick={() => setEnding(token)}>
          Revoke
        </button>
      </div>
    )
  return (
    <Screen
      title="Access tokens"
      actions={
        <button type="button" class="main" onClick={() => setIsMaking(true)}>
          Make a token
        </button>
      }
    >
      <p class="quiet">A personal access token acts with the privileges of its owner.</p>
      <CheckFilter name="revoked" label="Show revoked tokens too" />
      <Listing
        read={read}
        caption="Access tokens"
        columns={[
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
          { heading: "Change", cell: actionsOf }
        ]}
        empty={
          <Empty title="There are no tokens.">
            <p>Make one for each program that calls the API in your name.</p>
          </Empty>
        }
      />
      {isMaking ? <NewToken onClose={() => setIsMaking(false)} /> : null}
      {rotated === null ? null : <NewToken name={rotated} onClose={() => setRotated(null)} />}
      {ending === null ? null : <Revocation token={ending} onClose={() => setEnding(null)} />}
    </Screen>
  )
}
