import { useId, useState } from "preact/hooks"
import { Account, useUserNames } from "../access/Account.tsx"
import type { Data } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"

type Note = Data<"GET /notes">["notes"][number]

/** The kind of record that notes are about. */
type Kind = "worker" | "applicant" | "task"

const charactersMax = 4000

/** The text of a note, with the people whom it mentions. Markup in it is shown as text. */
export const NoteText = ({ note: { mentions, text } }: { readonly note: Note }) => {
  const names = useUserNames()
  return (
    <>
      <p class="note">
        <bdi>{text}</bdi>
      </p>
      {mentions.length === 0 ? null : (
        <p class="quiet">{mentions.map((id) => `@${names.get(id) ?? "another user"}`).join(", ")}</p>
      )}
    </>
  )
}

/** Writes a note, and mentions a user in it. */
const WriteNote = ({ about }: { readonly about: string }) => {
  const id = useId()
  const write = useChange("POST /notes")
  const names = useUserNames()
  const [text, setText] = useState("")
  const [mention, setMention] = useState("")
  const clear = () => {
    setText("")
    setMention("")
  }
  const submit = () => {
    const body = { about, text, mentions: mention === "" ? [] : [mention] }
    write.mutate({ body }, announcing("The note is saved.", clear))
  }
  return (
    <Form
      action="Save the note"
      change={write}
      disabled={text.trim() === ""}
      onSubmit={submit}
      out={clear}
      leaving="Clear"
      stays
    >
      <div class="field">
        <label for={id}>New note</label>
        <textarea
          id={id}
          rows={3}
          value={text}
          maxLength={charactersMax}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <p id={`${id}-hint`} class="quiet">
          Everybody who may read this record reads it. It cannot be changed, and the person may ask to see it.
        </p>
      </div>
      {names.size === 0 ? null : (
        <SelectField
          label="Mention"
          value={mention}
          options={[["", "nobody"], ...names]}
          onChange={setMention}
          hint="The user finds the note under My mentions, and in the weekly digest."
        />
      )}
    </Form>
  )
}

/** The notes about a record, newest first. */
export const Notes = ({ about, kind }: { readonly about: string; readonly kind: Kind }) => {
  const may = useMay()
  const me = useMe()
  const read = useRead("GET /notes", { query: { about } })
  const remove = useChange("DELETE /notes/:id")
  const [deleting, setDeleting] = useState<Note | null>(null)
  const close = () => setDeleting(null)
  return (
    <>
      <Loaded read={read}>
        {({ data: { notes } }) =>
          notes.length === 0 ? (
            <p class="quiet">There are no notes.</p>
          ) : (
            <ol class="timeline">
              {notes.map((note) => (
                <li key={note.id}>
                  <p>
                    <Account urn={note.account} /> · <Time at={note.createdAt} />
                    {note.about === about ? "" : " · about a task or a merged record"}
                  </p>
                  <NoteText note={note} />
                  {note.account === me?.account || me?.role === "Super Admin" ? (
                    <button type="button" class="small danger" onClick={() => setDeleting(note)}>
                      Delete
                    </button>
                  ) : null}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      {may(`${kind}:UPDATE`) ? <WriteNote about={about} /> : null}
      {deleting === null ? null : (
        <Confirmation
          title="Delete this note?"
          action="Delete"
          change={remove}
          onClose={close}
          onConfirm={() => remove.mutate({ params: { id: deleting.id } }, announcing("The note is deleted.", close))}
        >
          <p>It cannot be restored.</p>
        </Confirmation>
      )}
    </>
  )
}

/** Who looks after a person, and the choice of another user. */
const Caretaker = ({ id, kind }: { readonly id: string; readonly kind: Kind }) => {
  const may = useMay()
  const names = useUserNames()
  const read = useRead("GET /caretakers/:id", { params: { id } })
  const change = useChange("PUT /caretakers/:id")
  return (
    <Loaded read={read}>
      {({ data: { caretaker } }) =>
        may(`${kind}:UPDATE`) && names.size > 0 ? (
          <>
            <SelectField
              label="Looked after by"
              value={caretaker?.id ?? ""}
              options={[
                ["", "nobody"],
                ...names,
                ...(caretaker === null || names.has(caretaker.id) ? [] : [[caretaker.id, "another user"] as const])
              ]}
              onChange={(next) =>
                change.mutate(
                  { params: { id }, body: { caretaker: next === "" ? null : { id: next } } },
                  announcing("Saved.", () => undefined)
                )
              }
              hint="Saved at once."
            />
            <Problem error={change.error} />
          </>
        ) : (
          <p>Looked after by {caretaker === null ? "nobody" : (names.get(caretaker.id) ?? "another user")}.</p>
        )
      }
    </Loaded>
  )
}

/** The notes about a person, and who looks after the person. */
export const PersonNotes = ({ id, kind }: { readonly id: string; readonly kind: "worker" | "applicant" }) => (
  <section class="block">
    <h2>Notes</h2>
    <Caretaker id={id} kind={kind} />
    <Notes about={id} kind={kind} />
  </section>
)
