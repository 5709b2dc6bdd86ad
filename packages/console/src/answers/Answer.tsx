import { useState } from "preact/hooks"
import { fileOf, tagOf } from "../calls/Call.ts"
import type { Data, Output } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Download, FileFacts } from "../credentials/StoredFile.tsx"
import { TypeNames } from "../lists/TypeNames.tsx"
import { addressOf } from "../people/Person.ts"
import { Screen } from "../shell/Screen.tsx"
import { announce, announcing } from "../widgets/Announcement.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"
import { tones } from "./AnswerStates.ts"

type Answer = Data<"GET /answers/:id">
type Card = Answer["cards"][number]
type Recorded = NonNullable<NonNullable<Answer["targets"]>[number]["credential"]>["recorded"]
type File = Data<"GET /answers/:id/documents">["documents"][number]

/** Details of a card that can be compared, with their names. */
const detailsOf = ({ expiryDate, holder, identifier, issueNumber, issuingCountry }: Omit<Card, "credentialType">) =>
  [
    ["Number", identifier],
    ["Issue number", issueNumber],
    ["First name", holder?.firstName],
    ["Family name", holder?.lastName],
    ["Date of birth", holder?.birthDate],
    ["Country of issue", issuingCountry],
    ["Last valid day", expiryDate]
  ] as const

const Value = ({ name, text }: { readonly name: string; readonly text: string | undefined }) => {
  if (text === undefined) return <span class="quiet">–</span>
  return /^(Date|Last)/.test(name) ? <CalendarDay day={text} /> : <span>{text}</span>
}

/** What the person entered about a card, beside the card that an approval would correct. */
const Compared = ({
  card,
  credentialId,
  isNew,
  recorded: target
}: {
  readonly card: Card
  readonly credentialId: string | undefined
  readonly isNew: boolean
  readonly recorded: Recorded | undefined
}) => {
  const before = target === undefined ? undefined : detailsOf(target)
  return (
    <section class="block">
      <h2>
        <TypeNames codes={[card.credentialType]} />
      </h2>
      <table>
        <caption class="unseen">What the person entered, and what is recorded</caption>
        <thead>
          <tr>
            <th scope="col">Detail</th>
            <th scope="col">Entered</th>
            <th scope="col">
              {credentialId === undefined ? (
                isNew ? (
                  "Recorded: none, a card will be created"
                ) : (
                  "Recorded"
                )
              ) : (
                <a href={`/console/credentials/${credentialId}`}>Recorded</a>
              )}
            </th>
          </tr>
        </thead>
        <tbody>
          {detailsOf(card).map(([name, text], index) => {
            const recorded = before?.[index]?.[1]
            return text === undefined && recorded === undefined ? null : (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <Value name={name} text={text} />{" "}
                  {before !== undefined && text !== undefined && text !== recorded ? (
                    <Badge value="DIFFERS" tone="wait" />
                  ) : null}
                </td>
                <td>
                  <Value name={name} text={recorded} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** What the officer has seen, so that nothing else is overwritten, and no other file goes to a card. */
const seenIn = ({ targets = [] }: Answer, files: ReadonlyArray<File> | undefined) => ({
  targets: targets.map(({ credential, credentialType }) => ({
    credentialType,
    credential: credential === null ? null : { id: credential.id, tag: credential.tag }
  })),
  ...(files === undefined ? {} : { documents: files.map(({ id }) => id) })
})

/** Writes the cards, after a confirmation. */
const Approve = ({
  answer,
  files,
  onClose
}: {
  readonly answer: Output<"GET /answers/:id">
  readonly files: ReadonlyArray<File> | undefined
  readonly onClose: () => void
}) => {
  const approve = useChange("POST /answers/:id/approve")
  const confirm = () =>
    approve.mutate(
      { params: { id: answer.data.id }, body: seenIn(answer.data, files), ifMatch: tagOf(answer) },
      {
        ...announcing("The cards are written. Their registers are asked now.", onClose),
        onError: ({ status }) => {
          if (status !== 412) return
          announce("Something was changed meanwhile. Look at the answer again before you approve it.")
          onClose()
        }
      }
    )
  return (
    <Confirmation
      title="Approve the answer?"
      action="Approve"
      change={approve}
      tone="main"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        A card with the same number, or one whose details were wrong, is corrected. Others are created. The registers
        are asked, and the person is told.
      </p>
    </Confirmation>
  )
}

const Reject = ({ answer, onClose }: { readonly answer: Output<"GET /answers/:id">; readonly onClose: () => void }) => {
  const reject = useChange("POST /answers/:id/reject")
  const [reason, setReason] = useState("")
  const submit = () =>
    reject.mutate(
      { params: { id: answer.data.id }, body: { reason }, ifMatch: tagOf(answer) },
      announcing("The answer is rejected. A message tells the person.", onClose)
    )
  return (
    <FormDialog
      title="Reject the answer"
      action="Reject"
      change={reject}
      isTyped={reason !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Nothing is written to the records. The person can answer again while the request is open.</p>
      <TextField
        label="Reason"
        hint="The person reads it."
        value={reason}
        onChange={setReason}
        maxLength={500}
        required
      />
    </FormDialog>
  )
}

const Actions = ({
  answer,
  files
}: {
  readonly answer: Output<"GET /answers/:id">
  readonly files: ReadonlyArray<File> | undefined
}) => {
  const may = useMay()
  // What the officer decides on is what was shown when the dialog opened: the person can change the answer meanwhile.
  const [open, setOpen] = useState<{
    readonly does: "approve" | "reject"
    readonly answer: typeof answer
    readonly files: typeof files
  }>()
  const { state } = answer.data
  const mayApprove = may("answer:UPDATE") && may("credential:CREATE") && may("credential:UPDATE")
  const close = () => setOpen(undefined)
  return (
    <>
      {mayApprove && (state === "WAITING" || state === "APPROVING") ? (
        <Button onClick={() => setOpen({ does: "approve", answer, files })}>Approve</Button>
      ) : null}
      {may("answer:UPDATE") && state === "WAITING" ? (
        <Button onClick={() => setOpen({ does: "reject", answer, files })}>Reject</Button>
      ) : null}
      {open?.does === "approve" ? <Approve answer={open.answer} files={open.files} onClose={close} /> : null}
      {open?.does === "reject" ? <Reject answer={open.answer} onClose={close} /> : null}
    </>
  )
}

const personOf = ({ applicant, worker }: Answer) =>
  worker === undefined
    ? ({ type: "applicant", id: applicant?.id ?? "" } as const)
    : ({ type: "worker", id: worker.id } as const)

/** The card that an approval would correct, as the server has read it together with its tag. */
const targetOf = ({ targets = [] }: Answer, { credentialType }: Card) =>
  targets.find((target) => target.credentialType === credentialType)

/** The cards of an answer that waits, beside those that an approval would correct. */
const Cards = ({ answer }: { readonly answer: Answer }) => (
  <>
    {answer.cards.map((card) => {
      const target = targetOf(answer, card)
      const { id } =
        target?.credential ?? answer.credentials?.find((one) => one.credentialType === card.credentialType) ?? {}
      return (
        <Compared
          key={card.credentialType}
          card={card}
          isNew={target?.credential === null}
          credentialId={id}
          recorded={target?.credential?.recorded}
        />
      )
    })}
  </>
)

const FileLine = ({ answerId, file }: { readonly answerId: string; readonly file: File }) => {
  const params = { id: answerId, documentId: file.id }
  return (
    <li>
      <FileFacts file={file} />
      <p>{file.card === undefined ? "The person named no card." : <TypeNames codes={[file.card]} />}</p>
      <div class="actions">
        <Download
          name={file.name}
          read={(type) => fileOf("GET /answers/:id/documents/:documentId", { params }, type)}
        />
      </div>
    </li>
  )
}

const useFiles = (id: string) => useRead("GET /answers/:id/documents", { params: { id } }, { everySeconds: 10 })
type FilesRead = ReturnType<typeof useFiles>

/** The photos and scans that the person has added, and that no approval has moved to a card. */
const Files = ({ answerId, read }: { readonly answerId: string; readonly read: FilesRead }) => (
  <section class="block">
    <h2>Files</h2>
    <Loaded read={read}>
      {({ data: { documents } }) =>
        documents.length === 0 ? (
          <p class="quiet">No file is stored with the answer.</p>
        ) : (
          <>
            <ul class="timeline">
              {documents.map((file) => (
                <FileLine key={file.id} answerId={answerId} file={file} />
              ))}
            </ul>
            <p class="quiet">
              An approval moves each file to its card. The audit log has each download. Files are not checked for
              viruses: open only those that you expect.
            </p>
          </>
        )
      }
    </Loaded>
  </section>
)

/** The decision on an earlier answer, which this one replaces. */
const Before = ({ previous: { at, reason, state } }: { readonly previous: NonNullable<Answer["previous"]> }) => (
  <>
    <Badge value={state} tone={tones[state]} /> <Time at={at} /> {reason}
  </>
)

/** An answer beside the records, with the decision of an officer. */
export const Answer = ({ id }: { readonly id: string }) => {
  const read = useRead("GET /answers/:id", { params: { id }, query: {} }, { everySeconds: 10 })
  const files = useFiles(id)
  return (
    <Screen
      title="Answer"
      actions={read.data === undefined ? null : <Actions answer={read.data} files={files.data?.data.documents} />}
    >
      <Loaded read={read}>
        {({ data }) => (
          <>
            <Facts
              facts={[
                ["State", <Badge value={data.state} tone={tones[data.state]} />],
                ["Person", <a href={addressOf(personOf(data))}>the {personOf(data).type}</a>],
                ["Sent", <Time at={data.submittedAt} />],
                ["Decided", data.decision === undefined ? undefined : <Time at={data.decision.at} />],
                ["Reason", data.decision?.reason],
                ["Before", data.previous === undefined ? undefined : <Before previous={data.previous} />]
              ]}
            />
            <Cards answer={data} />
            <Files answerId={id} read={files} />
            <section class="block">
              <h2>Consent</h2>
              <Facts
                facts={[
                  ["Agreed", <Time at={data.consent.at} />],
                  ["To", data.consent.text],
                  ["Version of the notice", data.consent.version]
                ]}
              />
              <details>
                <summary>The notice</summary>
                {data.consent.notice.split("\n").map((line) => (
                  <p key={line}>{line}</p>
                ))}
              </details>
            </section>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
