import { useChange } from "../calls/Queries.ts"
import { SecretOnce } from "../records/SecretOnce.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { useTexts } from "../widgets/Texts.ts"
import { Lifetime, secondsOf } from "./Lifetime.tsx"

/** Makes a personal access token and shows it once (AUT-13). A rotation gives the name of the old token. */
export const NewToken = ({ name: rotated, onClose }: { readonly name?: string; readonly onClose: () => void }) => {
  const create = useChange("POST /access-tokens")
  const { field, texts } = useTexts({ name: rotated ?? "", days: "90" })
  const made = create.data?.data
  if (made !== undefined) {
    return (
      <SecretOnce
        name={`Token ${made.name}`}
        secret={made.token}
        hint={
          rotated === undefined
            ? "Programs send it in a header: “Authorization: Bearer”, a space, and the token."
            : "The old token still works. Put the new one in its place, then revoke the old one."
        }
        onClose={() => {
          create.reset() // the secret leaves the memory of the page
          onClose()
        }}
      />
    )
  }
  const submit = () => {
    create.mutate({ body: { name: texts.name, expiresInSeconds: secondsOf(texts.days) } })
  }
  return (
    <Dialog title={rotated === undefined ? "Make an access token" : `Rotate ${rotated}`} onClose={onClose}>
      <Form action={rotated === undefined ? "Make" : "Rotate"} change={create} onSubmit={submit} out={onClose}>
        {rotated === undefined ? null : (
          <p>A new token is made. The old one works until you revoke it, so that nothing stops in between.</p>
        )}
        <TextField
          label="Name"
          hint="Names the place where the token is used, such as laptop."
          {...field("name")}
          required
        />
        <Lifetime {...field("days")} />
      </Form>
    </Dialog>
  )
}
