import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Badge, type Tone } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Listing } from "../widgets/Listing.tsx"
import { Time } from "../widgets/Time.tsx"
import { kindNames } from "./Kinds.ts"

type Message = Item<"GET /messages">

const tones: Readonly<Record<Message["state"], Tone>> = {
  QUEUED: "wait",
  SENDING: "wait",
  ACCEPTED: "good",
  REFUSED: "bad",
  EXHAUSTED: "bad",
  UNKNOWN: "bad",
  WITHDRAWN: "wait",
  NO_ADDRESS: "bad"
}

const states: ReadonlyArray<readonly [string, string]> = [
  ["", "any"],
  ["QUEUED", "waits"],
  ["SENDING", "is being sent"],
  ["ACCEPTED", "accepted by the mail server"],
  ["REFUSED", "refused by the mail server"],
  ["EXHAUSTED", "not accepted in time"],
  ["UNKNOWN", "unknown: it may have arrived"],
  ["WITHDRAWN", "withdrawn: nothing was left to say"],
  ["NO_ADDRESS", "not sent: the person has no address"]
]

/** The name of a recipient. The address of a worker or an applicant is in their record only. */
const nameOf = ({ email, type }: Message["recipient"]): string => email ?? `the ${type}`

/** Leads to the record of a person. */
const To = ({ recipient }: { readonly recipient: Message["recipient"] }) =>
  recipient.type === "user" ? (
    <span>{recipient.email}</span>
  ) : (
    <a href={`/console/${recipient.type}s/${recipient.id}`}>{recipient.type}</a>
  )

/** What messages are about. */
const subjects: Readonly<Record<NonNullable<Message["about"]>["type"], string>> = {
  credential: "card",
  captureRequest: "fetch request",
  credentialCheck: "recruitment check"
}

/** Leads to the card, or to the record of the person, which has the requests. A message to officers is about a day. */
const About = ({ about, cause, recipient }: Message) => {
  if (about === undefined) return <>{cause.startsWith("sample ") ? "" : cause}</>
  const screen = about.type === "credential" ? `credentials/${about.id}` : `${recipient.type}s/${recipient.id}`
  return <a href={`/console/${screen}`}>{subjects[about.type]}</a>
}

/** Sends a message again. One that may have arrived needs a confirmation. */
const Resend = ({ message: { id, recipient, state } }: { readonly message: Message }) => {
  const resend = useChange("POST /messages/:id/resend")
  const [isAsking, setIsAsking] = useState(false)
  const send = () =>
    resend.mutate(
      { params: { id } },
      announcing(`The message to ${nameOf(recipient)} is queued.`, () => setIsAsking(false))
    )
  return (
    <>
      <Button class="small" isBusy={resend.isPending} onClick={() => setIsAsking(true)}>
        Send again
      </Button>
      {isAsking ? (
        <Confirmation
          title={`Send the message to ${nameOf(recipient)} again?`}
          action="Send again"
          change={resend}
          tone="main"
          onConfirm={send}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {state === "UNKNOWN"
              ? "It may have arrived already. The person may then get it twice."
              : "Its text is written anew, with what is true now."}
          </p>
        </Confirmation>
      ) : null}
    </>
  )
}

const isResendable = ({ state }: Message): boolean => ["REFUSED", "EXHAUSTED", "UNKNOWN", "NO_ADDRESS"].includes(state)

/** The e-mails to users, workers and applicants: what was sent, and how it ended. */
export const Messages = () => {
  const may = useMay()
  const [{ cursor, kind = "", recipientId = "", state = "" }] = useUrlState()
  const selection = { kind, recipientId, state }
  const query = { ...selection, cursor, sort: "createdAt:desc", pageSize: "50", includeTotal: "true" } as const
  const read = useRead("GET /messages", { query }, { everySeconds: 10 })
  return (
    <Screen
      title="Messages"
      actions={
        <>
          <a class="button" href="/console/messages/settings">
            Settings and words
          </a>
          <ListExport list="GET /messages" name="messages" query={selection} />
        </>
      }
    >
      <PrintedLine filters={selection} />
      {recipientId === "" ? null : (
        <p class="notice">
          Only the messages to one person. <a href="/console/messages">Show all</a>
        </p>
      )}
      <div class="filters">
        <SelectFilter name="state" label="State" options={states} />
        <SelectFilter name="kind" label="Kind" options={[["", "any"], ...kindNames]} />
      </div>
      <Listing
        read={read}
        caption="Messages"
        empty={
          <Empty title={kind === "" && state === "" ? "No message was sent yet." : "No message matches."}>
            <p>Messages follow on the day after they are enabled, if there is something to say.</p>
          </Empty>
        }
        columns={[
          { heading: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
          { heading: "To", cell: ({ recipient }) => <To recipient={recipient} /> },
          {
            heading: "Kind",
            cell: ({ cause, kind }) => (
              <>
                {kindNames.find(([name]) => name === kind)?.[1] ?? kind}
                {cause.startsWith("sample ") ? <Badge value="SAMPLE" /> : null}
              </>
            )
          },
          { heading: "About", cell: (message) => <About {...message} /> },
          { heading: "State", cell: ({ state }) => <Badge value={state} tone={tones[state]} /> },
          { heading: "Answer of the mail server", cell: ({ reply = "" }) => reply },
          {
            heading: "Change",
            cell: (message) => (may("message:UPDATE") && isResendable(message) ? <Resend message={message} /> : null)
          }
        ]}
      />
    </Screen>
  )
}
