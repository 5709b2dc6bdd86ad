import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Time } from "../widgets/Time.tsx"

/** The latest messages to a person that are looked at. */
const latest = "20"

/**
 * Says that the mail server refused the last message to a person, with the messages. A later acceptance ends it, and so does a
 * change of the record, which can have another address.
 */
export const MailRefused = ({ changedAt, personId }: { readonly personId: string; readonly changedAt: string }) => {
  const isWanted = useMay()("message:READ")
  const query = { recipientId: personId, sort: "createdAt:desc", pageSize: latest } as const
  const messages = useRead("GET /messages", { query }, { isWanted }).data?.data ?? []
  const ended = messages
    .filter(({ endedAt, state }) => endedAt !== undefined && (state === "ACCEPTED" || state === "REFUSED"))
    .toSorted((one, other) => ((one.endedAt ?? "") > (other.endedAt ?? "") ? -1 : 1))
  const [last] = ended
  if (last?.endedAt === undefined || last.state !== "REFUSED" || last.endedAt < changedAt) return null
  return (
    <p class="notice">
      The mail server refused the address on <Time at={last.endedAt} />. Correct the address, or see the{" "}
      <a href={`/console/messages?recipientId=${personId}`}>messages to this person</a>.
    </p>
  )
}
