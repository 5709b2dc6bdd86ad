import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { SecretOnce } from "../records/SecretOnce.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Copy } from "../widgets/Copy.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { TextField } from "../widgets/Field.tsx"
import { CheckFilter } from "../widgets/Filters.tsx"
import { Form } from "../widgets/Form.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Time } from "../widgets/Time.tsx"
import { Account } from "./Account.tsx"
import { LifeBadge } from "./Issued.tsx"

type Client = Item<"GET /api-clients">

/** Makes an API client and shows its secret once (OAU-23). */
const NewClient = ({ onClose }: { readonly onClose: () => void }) => {
  const create = useChange("POST /api-clients")
  const [name, setName] = useState("")
  const made = create.data?.data
  if (made !== undefined) {
    return (
      <SecretOnce
        name={`Secret of ${made.name}`}
        secret={made.clientSecret}
        hint={
          <>
            Client id: {made.id} <Copy text={made.id} what="the client id" />
            <br />A lost secret cannot be replaced: make a new client instead.
          </>
        }
        onClose={() => {
          create.reset() // the secret leaves the memory of the page
          onClose()
        }}
      />
    )
  }
  const submit = () => {
    create.mutate({ body: { name } })
  }
  return (
    <Dialog title="Make API credentials" onClose={onClose}>
      <Form action="Make" change={create} onSubmit={submit} out={onClose}>
        <p>A client acts with every privilege of your organization. Give it to one system only.</p>
        <TextField label="Name" hint="Names the system, such as payroll." value={name} onChange={setName} required />
      </Form>
    </Dialog>
  )
}

const Revocation = ({ client, onClose }: { readonly client: Client; readonly onClose: () => void }) => {
  const remove = useChange("DELETE /api-clients/:id")
  return (
    <Confirmation
      title={`Revoke ${client.name}?`}
      action="Revoke"
      change={remove}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: client.id } }, announcing(`${client.name} is revoked.`, onClose))}
    >
      <p>The client and its tokens are refused from now on. A revoked client cannot be restored.</p>
    </Confirmation>
  )
}

/** The API credentials of the organization. */
export const ApiClients = () => {
  const may = useMay()
  const [{ cursor, revoked = "" }] = useUrlState()
  const read = useRead("GET /api-clients", {
    query: { cursor, includeDeleted: revoked, sort: "createdAt:desc", pageSize: "50", includeTotal: "true" }
  })
  const [isMaking, setIsMaking] = useState(false)
  const [ending, setEnding] = useState<Client | null>(null)
  return (
    <Screen
      title="API credentials"
      actions={
        may("apiClient:CREATE") ? (
          <button type="button" class="main" onClick={() => setIsMaking(true)}>
            Make API credentials
          </button>
        ) : null
      }
    >
      <p class="quiet">Systems log in with a client id and a secret. A lost secret means a new client.</p>
      <CheckFilter name="revoked" label="Show revoked clients too" />
      <Listing
        read={read}
        caption="API credentials"
        columns={[
          { heading: "Name", cell: ({ name }) => name },
          {
            heading: "Client id",
            cell: ({ id }) => (
              <>
                <code>{id}</code> <Copy text={id} what="the client id" />
              </>
            )
          },
          { heading: "Secret", cell: ({ secretLastFour }) => `…${secretLastFour}` },
          { heading: "State", cell: (client) => <LifeBadge {...client} /> },
          { heading: "Made by", cell: ({ createdBy }) => <Account urn={createdBy?.account} /> },
          { heading: "Made", cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            heading: "Change",
            cell: (client) =>
              client.revokedAt === null && may("apiClient:DELETE") ? (
                <button type="button" class="small danger" onClick={() => setEnding(client)}>
                  Revoke
                </button>
              ) : null
          }
        ]}
        empty={
          <Empty title="There are no API credentials.">
            <p>Make them for each system that calls the API by itself.</p>
          </Empty>
        }
      />
      {isMaking ? <NewClient onClose={() => setIsMaking(false)} /> : null}
      {ending === null ? null : <Revocation client={ending} onClose={() => setEnding(null)} />}
    </Screen>
  )
}
