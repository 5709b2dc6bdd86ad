import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { Badge, type Tone } from "../widgets/Badge.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Opener } from "../widgets/Opener.tsx"
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

const states: ReadonlyArray<readonly [Message["state"], string]> = [
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

const resendable: ReadonlyArray<Message["state"]> = ["REFUSED", "EXHAUSTED", "UNKNOWN", "NO_ADDRESS"]

/** Sends a message again, after a confirmation: it may have arrived. */
const Resend = ({ id, recipient, state }: Message) =>
  useMay()("message:UPDATE") && resendable.includes(state) ? (
    <Opener
      dialog={(close) => (
        <ConfirmedCall
          call="POST /messages/:id/resend"
          input={{ params: { id } }}
          told={`The message to ${nameOf(recipient)} is queued.`}
          title={`Send the message to ${nameOf(recipient)} again?`}
          action="Send again"
          tone="main"
          onClose={close}
        >
          <p>
            {state === "UNKNOWN"
              ? "It may have arrived already. The person may then get it twice."
              : "Its text is written anew, with what is true now."}
          </p>
        </ConfirmedCall>
      )}
    >
      Send again
    </Opener>
  ) : null

const list: ListKind<"GET /messages"> = {
  list: "GET /messages",
  title: "Messages",
  file: "messages",
  query: { sort: "createdAt:desc" },
  everySeconds: 10,
  columns: [
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
      cell: (message) => <Resend {...message} />
    }
  ],
  filters: [
    { name: "state", label: "State", by: states },
    { name: "kind", label: "Kind", by: kindNames }
  ],
  linked: ["recipientId"],
  empty: "No message was sent yet.",
  next: "Messages follow on the day after they are enabled, if there is something to say."
}

/** The e-mails to users, workers and applicants: what was sent, and how it ended. */
export const Messages = () => (
  <ListScreen
    kind={list}
    actions={
      <a class="button" href="/console/messages/settings">
        Settings and words
      </a>
    }
  />
)
