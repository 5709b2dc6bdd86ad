import { useMay } from "../calls/Me.ts"

interface Props {
  readonly id: string
  readonly deletedAt?: string
  readonly unreachable?: true
}

/** Says that no e-mail reaches a person. Leads to the messages, if the user may see them. */
export const MailRefused = ({ deletedAt, id, unreachable }: Props) => {
  const may = useMay()
  if (unreachable === undefined || deletedAt !== undefined) return null
  return (
    <p class="notice">
      No e-mail reaches this person: there is no address, or the mail server refused it. Correct the address
      {may("message:READ") ? (
        <>
          , or see the <a href={`/console/messages?recipientId=${id}`}>messages to this person</a>
        </>
      ) : null}
      .
    </p>
  )
}
