import { useState } from "preact/hooks"
import { Account, useUserNames } from "../access/Account.tsx"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { LinesField, SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"

type Note = Item<"GET /notes">

/** The kind of record that notes are about. */
type Kind = "worker" | "applicant" | "task"

const charactersMax = 4000
const mentionsMax = 10
const pageSize = "25"

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

/** The users that a note mentions, and the choice of another one. */
const MentionUsers = ({
  chosen,
  onChange
}: {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}) => {
  const names = useUserNames()
  if (names.size === 0) return null
  const others = [...names].filter(([id]) => !chosen.includes(id))
  return (
    <>
      {chosen.length < mentionsMax ? (
        <SelectField
          label="Mention"
          value=""
          options={[["", chosen.length === 0 ? "nobody" : "nobody else"], ...others]}
          onChange={(id) => onChange([...chosen, id])}
          hint="The user finds the note under My mentions, and in the weekly digest."
        />
      ) : (
        <p class="quiet">A note mentions at most {mentionsMax} users.</p>
      )}
      {chosen.length === 0 ? null : (
        <ul class="actions" aria-label="Mentioned users">
          {chosen.map((id) => (
            <li key={id}>
              <button
                type="button"
                class="small"
                aria-label={`Do not mention ${names.get(id)}`}
                onClick={() => onChange(chosen.filter((other) => other !== id))}
              >
                @{names.get(id)} ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Writes a note, and mentions users in it. */
const WriteNote = ({ about, onSaved }: { readonly about: string; readonly onSaved: () => void }) => {
  const write = useChange("POST /notes")
  const [text, setText] = useState("")
  const [mentions, setMentions] = useState<ReadonlyArray<string>>([])
  const clear = () => {
    setText("")
    setMentions([])
  }
  const done = () => {
    clear()
    onSaved()
  }
  const submit = () => {
    write.mutate({ body: { about, text, mentions } }, announcing("The note is saved.", done))
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
      <LinesField
        label="New note"
        hint="Everybody who may read this record reads it. It cannot be changed, and the person may ask to see it."
        rows={3}
        maxLength={charactersMax}
        value={text}
        onChange={setText}
      />
      <MentionUsers chosen={mentions} onChange={setMentions} />
    </Form>
  )
}

/** The notes about a record, newest first. */
export const Notes = ({ about, kind }: { readonly about: string; readonly kind: Kind }) => {
  const may = useMay()
  const me = useMe()
  /** The cursors of the pages before and of this one. The newest notes need none. */
  const [cursors, setCursors] = useState<ReadonlyArray<string>>([])
  const cursor = cursors.at(-1) ?? ""
  const read = useRead("GET /notes", { query: { about, cursor, pageSize } })
  return (
    <>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 && cursor === "" ? (
            <p class="quiet">There are no notes.</p>
          ) : (
            <>
              <ol class="timeline">
                {data.map((note) => (
                  <li key={note.id}>
                    <p>
                      <Account urn={note.account} /> · <Time at={note.createdAt} />
                      {note.about === about ? "" : " · about a task or a merged record"}
                    </p>
                    <NoteText note={note} />
                    {note.account === me?.account || me?.role === "Super Admin" ? (
                      <Opener
                        class="small danger"
                        dialog={(close) => (
                          <ConfirmedCall
                            call="DELETE /notes/:id"
                            input={{ params: { id: note.id } }}
                            told="The note is deleted."
                            title="Delete this note?"
                            action="Delete"
                            onClose={close}
                          >
                            <p>It cannot be restored.</p>
                          </ConfirmedCall>
                        )}
                      >
                        Delete
                      </Opener>
                    ) : null}
                  </li>
                ))}
              </ol>
              {cursor === "" && meta.nextCursor === null ? null : (
                <nav class="paging" aria-label="Pages of notes">
                  {cursor === "" ? null : (
                    <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
                      Newer notes
                    </button>
                  )}
                  {meta.nextCursor === null ? null : (
                    <button type="button" onClick={() => setCursors([...cursors, meta.nextCursor ?? ""])}>
                      Older notes
                    </button>
                  )}
                </nav>
              )}
            </>
          )
        }
      </Loaded>
      {may(`${kind}:UPDATE`) ? <WriteNote about={about} onSaved={() => setCursors([])} /> : null}
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
    {/* What was typed about one person must not stay on the screen of another. */}
    <Notes key={id} about={id} kind={kind} />
  </section>
)
