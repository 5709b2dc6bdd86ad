import { useState } from "preact/hooks"
import { Account } from "../access/Account.tsx"
import { fileOf } from "../calls/Call.ts"
import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { useUpload } from "../calls/Upload.ts"
import { announce, announcing } from "../widgets/Announcement.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Time } from "../widgets/Time.tsx"
import { Download, FileFacts, octets, sizeOf } from "./StoredFile.tsx"

type Documents = Data<"GET /credentials/:id/documents">
type Document = Documents["documents"][number]
type Reason = Documents["deleted"][number]["reason"]

const reasons: Readonly<Record<Reason, string>> = {
  WRONG_DOCUMENT: "It is the wrong document",
  REPLACED: "Another one replaces it",
  NOT_NEEDED: "It is not needed any more",
  PERSON_ASKED: "The person asked for it",
  OTHER: "Another reason"
}

/** Asks why a document is deleted. Nothing is chosen at first: Enter alone must not delete. */
const DeleteDocument = ({
  credential,
  document,
  onClose
}: {
  readonly credential: string
  readonly document: Document
  readonly onClose: () => void
}) => {
  const remove = useChange("DELETE /credentials/:id/documents/:documentId")
  const [reason, setReason] = useState("")
  const submit = () => {
    const params = { id: credential, documentId: document.id }
    remove.mutate({ params, query: { reason } }, announcing(`${document.name} is deleted.`, onClose))
  }
  return (
    <FormDialog
      title={`Delete ${document.name}?`}
      action="Delete"
      change={remove}
      isTyped={reason !== ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>The file cannot be restored. The card keeps who deleted it and why.</p>
      <SelectField
        label="Reason"
        value={reason}
        options={[["", "Choose a reason"], ...Object.entries(reasons)]}
        onChange={setReason}
        required
      />
    </FormDialog>
  )
}

/** The form that adds a file. */
const AddDocument = ({ credential, space }: { readonly credential: string; readonly space: Documents["space"] }) => {
  const [file, setFile] = useState<File | null>(null)
  const [count, setCount] = useState(0)
  const done = () => {
    announce("The document is uploaded.")
    setFile(null)
    setCount(count + 1) // a file field is emptied by a new one
  }
  const upload = useUpload("POST /credentials/:id/documents", octets, done, { id: credential })
  const isTooLarge = file !== null && file.size > Math.min(space.bytesOfDocument, space.bytes)
  return (
    <Form
      action="Upload"
      change={upload}
      disabled={file === null || isTooLarge}
      onSubmit={() => file !== null && upload.send(file)}
      out={() => {
        setFile(null)
        setCount(count + 1)
      }}
      leaving="Clear"
      stays
    >
      <div class="field">
        <label for="document">Add a document</label>
        <input
          key={count}
          id="document"
          type="file"
          accept=".pdf,.jpg,.jpeg,.png,.heic,application/pdf,image/jpeg,image/png,image/heic"
          aria-describedby="document-hint"
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
        />
        <p id="document-hint" class="quiet">
          PDF, JPEG, PNG or HEIC, at most {sizeOf(space.bytesOfDocument)}. {space.documentsOfRecord} more fit on this
          card, and {sizeOf(space.bytes)} in your organization.
        </p>
        {isTooLarge ? (
          <p class="notice" role="alert">
            This file has {sizeOf(file.size)}. Choose a smaller one.
          </p>
        ) : null}
      </div>
    </Form>
  )
}

const Row = ({
  credential,
  document,
  onDelete
}: {
  readonly credential: string
  readonly document: Document
  readonly onDelete: (() => void) | undefined
}) => {
  const { id, name } = document
  const params = { id: credential, documentId: id }
  return (
    <li>
      <FileFacts file={document} />
      <div class="actions">
        <Download name={name} read={(type) => fileOf("GET /credentials/:id/documents/:documentId", { params }, type)} />
        {onDelete === undefined ? null : (
          <button type="button" class="danger" aria-label={`Delete ${name}`} onClick={onDelete}>
            Delete
          </button>
        )}
      </div>
    </li>
  )
}

/** The documents of a card. The server answers them only to those who reach each owner of the card. */
export const Documents = ({ id }: { readonly id: string }) => {
  const may = useMay()
  const [deleting, setDeleting] = useState<Document | null>(null)
  const read = useRead("GET /credentials/:id/documents", { params: { id } })
  const mayChange = may("credential:UPDATE")
  return (
    <section class="block">
      <h2>Documents</h2>
      <Loaded read={read}>
        {({ data: { deleted, documents, space } }) => (
          <>
            {documents.length === 0 ? <p class="quiet">No document is stored.</p> : null}
            <ul class="timeline">
              {documents.map((document) => (
                <Row
                  key={document.id}
                  credential={id}
                  document={document}
                  onDelete={mayChange ? () => setDeleting(document) : undefined}
                />
              ))}
            </ul>
            <p class="quiet">
              The audit log has each download. Files are not checked for viruses: open only those that you expect.
            </p>
            {deleted.length === 0 ? null : (
              <details>
                <summary>Deleted documents</summary>
                <ul class="timeline">
                  {deleted.map(({ deletedAt, deletedBy, id: documentId, reason }) => (
                    <li key={documentId}>
                      {reasons[reason]} · <Time at={deletedAt} /> · <Account urn={deletedBy} />
                    </li>
                  ))}
                </ul>
              </details>
            )}
            {!mayChange ? null : space.documentsOfRecord > 0 && space.documents > 0 ? (
              <AddDocument credential={id} space={space} />
            ) : (
              <p>
                No more documents fit {space.documents > 0 ? "on this card" : "in your organization"}. Delete one first.
              </p>
            )}
          </>
        )}
      </Loaded>
      {deleting === null ? null : (
        <DeleteDocument credential={id} document={deleting} onClose={() => setDeleting(null)} />
      )}
    </section>
  )
}
