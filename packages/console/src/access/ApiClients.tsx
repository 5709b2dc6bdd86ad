import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { SecretOnce } from "../records/SecretOnce.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Copy } from "../widgets/Copy.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Time } from "../widgets/Time.tsx"
import { Account } from "./Account.tsx"
import { LifeBadge } from "./Issued.tsx"

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

const Revoke = ({ id, name, revokedAt }: Item<"GET /api-clients">) =>
  useMay()("apiClient:DELETE") && revokedAt === null ? (
    <Opener
      class="small danger"
      dialog={(close) => (
        <ConfirmedCall
          call="DELETE /api-clients/:id"
          input={{ params: { id } }}
          told={`${name} is revoked.`}
          title={`Revoke ${name}?`}
          action="Revoke"
          onClose={close}
        >
          <p>The client and its tokens are refused from now on. A revoked client cannot be restored.</p>
        </ConfirmedCall>
      )}
    >
      Revoke
    </Opener>
  ) : null

const list: ListKind<"GET /api-clients"> = {
  list: "GET /api-clients",
  title: "API credentials",
  lead: "Systems log in with a client id and a secret. A lost secret means a new client.",
  query: { sort: "createdAt:desc" },
  columns: [
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
    { heading: "Change", cell: (client) => <Revoke {...client} /> }
  ],
  filters: [{ name: "includeDeleted", label: "Show revoked clients too", by: "check" }],
  empty: "There are no API credentials.",
  next: "Make them for each system that calls the API by itself."
}

/** The API credentials of the organization. */
export const ApiClients = () => (
  <ListScreen
    kind={list}
    actions={
      useMay()("apiClient:CREATE") ? (
        <Opener class="main" dialog={(close) => <NewClient onClose={close} />}>
          Make API credentials
        </Opener>
      ) : null
    }
  />
)
