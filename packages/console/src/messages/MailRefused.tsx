import { useMay } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Time } from "../widgets/Time.tsx"

/** The latest messages to a person that are looked at. */
const latest = "20"

/** Says that no e-mail reaches a person, and why, until the address is another one. Leads to the messages. */
export const MailRefused = ({ personId }: { readonly personId: string }) => {
  const isWanted = useMay()("message:READ")
  const query = { recipientId: personId, sort: "createdAt:desc", pageSize: latest } as const
  const messages = useRead("GET /messages", { query }, { isWanted }).data?.data ?? []
  if (!messages.some(({ unreachable }) => unreachable === true)) return null
  const [last] = messages
    .filter(({ state }) => state === "REFUSED" || state === "NO_ADDRESS")
    .toSorted((one, other) => ((one.endedAt ?? "") > (other.endedAt ?? "") ? -1 : 1))
  return (
    <p class="notice">
      No e-mail reaches this person.{" "}
      {last?.endedAt === undefined ? null : (
        <>
          {last.state === "REFUSED"
            ? "The mail server refused the address on "
            : "There was no address for a message on "}
          <Time at={last.endedAt} />.{" "}
        </>
      )}
      Correct the address, or see the <a href={`/console/messages?recipientId=${personId}`}>messages to this person</a>.
    </p>
  )
}
