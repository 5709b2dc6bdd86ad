import { useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { useTexts } from "../widgets/Texts.ts"
import { CallsField, IntervalField, SecretField, UrlField } from "./SourceFields.tsx"

interface Props {
  readonly answer: Output<"GET /verification-sources/:id">
  /** The name of the register. */
  readonly name: string
  readonly onClose: () => void
}

/** Changes the address, the interval and the limit of a source. Another address needs the secret again. */
export const EditSource = ({ answer, name, onClose }: Props) => {
  const update = useChange("PATCH /verification-sources/:id")
  const [opened] = useState(answer.data)
  const { intervalDays, limits } = opened
  const begun = { url: opened.url, secret: "", days: String(intervalDays), calls: String(limits.callsPerMinute) }
  const { field, texts } = useTexts(begun)
  const { calls, days, secret, url } = texts
  const isMoved = url !== opened.url
  const body = {
    ...(isMoved ? { url, ...(secret === "" ? {} : { secret }) } : {}),
    ...(days === String(intervalDays) ? {} : { intervalDays: Number(days) }),
    ...(calls === String(limits.callsPerMinute) ? {} : { limits: { callsPerMinute: Number(calls) } })
  }
  const isTyped = Object.keys(body).length > 0
  const saved = announcing(`The source of ${name} is saved.`, () => {
    update.reset() // the secret leaves the memory of the page
    onClose()
  })
  return (
    <FormDialog
      title={`Edit the source of ${name}`}
      action="Save"
      change={update}
      disabled={!isTyped}
      isTyped={isTyped}
      onSubmit={() => update.mutate({ params: { id: opened.id }, body, ifMatch: tagOf(answer) }, saved)}
      onClose={onClose}
    >
      <UrlField {...field("url")} />
      {isMoved && opened.hasSecret ? (
        <SecretField
          hint="Needed again, because the address is another one. A secret is never sent to an address that it was not entered for."
          {...field("secret")}
        />
      ) : null}
      <IntervalField {...field("days")} />
      <CallsField {...field("calls")} />
    </FormDialog>
  )
}

/** Replaces the secret of a source. The present one is never shown. */
export const ReplaceSecret = ({ answer, name, onClose }: Props) => {
  const update = useChange("PATCH /verification-sources/:id")
  const { hasSecret, id } = answer.data
  const [secret, setSecret] = useState("")
  const saved = announcing("The secret is stored. Test the source now.", () => {
    update.reset() // the secret leaves the memory of the page
    onClose()
  })
  return (
    <FormDialog
      title={hasSecret ? `Replace the secret of ${name}` : `Enter the secret of ${name}`}
      action={hasSecret ? "Replace" : "Store"}
      change={update}
      isTyped={secret !== ""}
      onSubmit={() => update.mutate({ params: { id }, body: { secret }, ifMatch: tagOf(answer) }, saved)}
      onClose={onClose}
    >
      {hasSecret ? (
        <p>The next question carries the new secret. The present one is erased, and nobody can read it again.</p>
      ) : null}
      <SecretField value={secret} onChange={setSecret} />
    </FormDialog>
  )
}
