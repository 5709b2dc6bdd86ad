import { useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { announce, announcing } from "../widgets/Announcement.tsx"
import { Button } from "../widgets/Button.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { CheckField, LinesField, SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { type Kind, kindNames, placeholderHint } from "./Kinds.ts"

type Settings = Output<"GET /message-settings">["data"]
type Language = Settings["language"]
type Template = Settings["standardTemplates"][Language][Kind]

const weekdays: ReadonlyArray<readonly [string, string]> = [
  ["MONDAY", "Monday"],
  ["TUESDAY", "Tuesday"],
  ["WEDNESDAY", "Wednesday"],
  ["THURSDAY", "Thursday"],
  ["FRIDAY", "Friday"],
  ["SATURDAY", "Saturday"],
  ["SUNDAY", "Sunday"]
]

/** A language in its own words. */
const nameOf = (language: string): string =>
  new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language

/** A language, its words by kind, and the placeholders. */
interface Standard {
  readonly language: Language
  readonly template: Template
  readonly placeholders: ReadonlyArray<string>
}

/** What a person has chosen so far. */
const chosenOf = ({
  answerRetentionDays,
  enabled,
  language,
  privacyContact = "",
  reminderDays,
  tellsOfCards,
  tellsOfRequests,
  templates,
  timeOfDay,
  weekday
}: Settings) => ({
  days: String(answerRetentionDays ?? ""),
  enabled,
  language,
  privacyContact,
  reminderDays: reminderDays === undefined ? "" : String(reminderDays),
  tellsOfCards,
  tellsOfRequests,
  templates,
  timeOfDay,
  weekday
})
type Chosen = ReturnType<typeof chosenOf>

const labels: Readonly<Record<Exclude<keyof Chosen, "templates">, string>> = {
  enabled: "Send messages",
  tellsOfCards: "Tell workers and applicants of their own cards that end",
  tellsOfRequests: "Ask workers and applicants by e-mail, remind them, and tell them what was decided",
  reminderDays: "Remind by itself so many days before the last day",
  privacyContact: "Contact for questions about personal data",
  days: "Erase answers that were not approved so many days after their request",
  timeOfDay: "From this time of day",
  weekday: "Day of the weekly digest",
  language: "Language"
}

/** A value as a person reads it: of words the subject. */
const shown = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? String(Reflect.get(value ?? {}, "subject") ?? "the standard words") : String(value)
}

/** The settings to send. Empty fields are none. */
const bodyOf = ({ days, privacyContact, reminderDays, ...others }: Chosen) => ({
  ...others,
  answerRetentionDays: days === "" ? null : Number(days),
  ...(reminderDays === "" ? {} : { reminderDays: Number(reminderDays) }),
  ...(privacyContact.trim() === "" ? {} : { privacyContact })
})

/** Days after the end of a request until an answer is erased, if the organization says nothing. */
const standardDays = 365

/** A sample of a message with these words. Nothing is sent. */
const Preview = ({
  kind,
  language,
  template
}: {
  readonly kind: Kind
  readonly language: Language
  readonly template: Template
}) => {
  const preview = useChange("POST /message-settings/preview")
  const test = useChange("POST /message-settings/sample")
  return (
    <>
      <div class="actions">
        <Button isBusy={preview.isPending} onClick={() => preview.mutate({ body: { kind, language, template } })}>
          Preview
        </Button>
        <Button
          isBusy={test.isPending}
          onClick={() =>
            test.mutate(
              { body: { kind } },
              {
                onSuccess: ({ data }) =>
                  announce(`A sample with the saved words is on its way to ${data.recipient.email ?? "you"}.`)
              }
            )
          }
        >
          Send me a sample
        </Button>
      </div>
      <Problem error={preview.error ?? test.error} />
      {preview.data === undefined ? null : (
        <section aria-label="Preview">
          <p>
            <strong>{preview.data.data.subject}</strong>
          </p>
          <pre>{preview.data.data.text}</pre>
        </section>
      )}
    </>
  )
}

/** The words of a kind: those of the language, or the organization's own. */
const Words = ({
  kind,
  name,
  onChange,
  own,
  standard
}: {
  readonly kind: Kind
  readonly name: string
  readonly own: Template | undefined
  readonly standard: Standard
  readonly onChange: (template: Template | undefined) => void
}) => {
  const may = useMay()
  const template = own ?? standard.template
  return (
    <fieldset>
      <legend>Words of: {name}</legend>
      <CheckField
        label="Use our own words"
        value={own !== undefined}
        onChange={(isOwn) => onChange(isOwn ? standard.template : undefined)}
      />
      {own === undefined ? null : (
        <>
          <TextField
            label="Subject"
            value={template.subject}
            maxLength={200}
            required
            onChange={(subject) => onChange({ ...template, subject })}
          />
          <LinesField
            label="Text"
            hint={placeholderHint(standard.placeholders)}
            rows={10}
            required
            value={template.text}
            onChange={(text) => onChange({ ...template, text })}
          />
        </>
      )}
      {may("message:UPDATE") ? <Preview kind={kind} language={standard.language} template={template} /> : null}
    </fieldset>
  )
}

/** The words that a person has changed: own ones, or undefined for those of the language. */
type TypedWords = Readonly<Partial<Record<Kind, Template | undefined>>>

/** The form keeps only what was changed in it, so that a save never undoes what somebody else has saved meanwhile. */
const SettingsForm = ({ answer }: { readonly answer: Output<"GET /message-settings"> }) => {
  const settings = answer.data
  const may = useMay()
  const save = useChange("PUT /message-settings")
  const [typed, setTyped] = useState<Partial<Chosen>>({})
  const [words, setWords] = useState<TypedWords>({})
  /** What was stored when a field was first changed here. */
  const [bases, setBases] = useState<Readonly<Record<string, unknown>>>({})
  const [isAsking, setAsking] = useState(false)
  const stored = chosenOf(settings)
  const chosen: Chosen = { ...stored, ...typed, templates: { ...stored.templates, ...words } as Chosen["templates"] }
  // What is erased sooner does not come back.
  const erasesSooner = Number(chosen.days || standardDays) < (settings.answerRetentionDays ?? standardDays)
  const storedAt = (field: string): unknown =>
    ({ ...stored, ...stored.templates })[field as keyof Chosen | Kind] ?? null
  const note = (fields: ReadonlyArray<string>) =>
    setBases({ ...Object.fromEntries(fields.map((field) => [field, storedAt(field)])), ...bases })
  const change = (some: Partial<Chosen>) => {
    note(Object.keys(some))
    setTyped({ ...typed, ...some })
  }
  const changeWords = (kind: Kind, template: Template | undefined) => {
    note([kind])
    setWords({ ...words, [kind]: template })
  }
  const changedMeanwhile = Object.keys(bases).filter(
    (field) => JSON.stringify(bases[field]) !== JSON.stringify(storedAt(field))
  )
  const saved = announcing("The settings are saved.", () => {
    setTyped({})
    setWords({})
    setBases({})
    setAsking(false)
  })
  const store = () => save.mutate({ body: bodyOf(chosen), ifMatch: tagOf(answer) }, saved)
  return (
    <Form
      action="Save"
      change={save}
      disabled={!may("message:UPDATE")}
      leaving="Back"
      out="/console/messages"
      stays
      onSubmit={() => (erasesSooner ? setAsking(true) : store())}
    >
      {isAsking ? (
        <Confirmation
          title="Erase answers sooner?"
          action="Save"
          change={save}
          onConfirm={store}
          onClose={() => setAsking(false)}
        >
          <p>
            Answers that were not approved are erased {chosen.days || standardDays} days after their request, with their
            files. Those that are older by now go within a day. Nothing brings them back.
          </p>
        </Confirmation>
      ) : null}
      {changedMeanwhile.length === 0 ? null : (
        <div class="notice" role="status">
          <p>Somebody else has saved other values meanwhile. Save replaces them with yours:</p>
          <ul>
            {changedMeanwhile.map((field) => (
              <li key={field}>
                {kindNames.find(([kind]) => kind === field)?.[1] ?? labels[field as keyof typeof labels]}:{" "}
                {shown(storedAt(field))}
              </li>
            ))}
          </ul>
        </div>
      )}
      {settings.isAvailable ? null : (
        <p class="notice">The operator has not set up a mail server, so no message can be sent.</p>
      )}
      <CheckField label={labels.enabled} value={chosen.enabled} onChange={(enabled) => change({ enabled })} />
      <CheckField
        label={labels.tellsOfCards}
        value={chosen.tellsOfCards}
        onChange={(tellsOfCards) => change({ tellsOfCards })}
      />
      <CheckField
        label={labels.tellsOfRequests}
        value={chosen.tellsOfRequests}
        onChange={(tellsOfRequests) => change({ tellsOfRequests })}
      />
      <TextField
        label={labels.reminderDays}
        hint="Once, if the person was told nothing in these days, and not in the first half of the days to answer. Empty: only when somebody asks for a reminder."
        type="number"
        min={1}
        max={30}
        value={chosen.reminderDays}
        onChange={(reminderDays) => change({ reminderDays })}
      />
      <TextField
        label={labels.privacyContact}
        hint="For the notice of the page on which people answer. Name an address, and where your privacy policy is."
        value={chosen.privacyContact}
        maxLength={300}
        onChange={(privacyContact) => change({ privacyContact })}
      />
      <TextField
        label={labels.days}
        hint="30 to 3,650 after the end of its request; 365 if empty. For applicants who were not engaged, and for answers that nobody has approved."
        type="number"
        value={chosen.days}
        onChange={(days) => change({ days })}
      />
      <TextField
        label={labels.timeOfDay}
        type="time"
        value={chosen.timeOfDay}
        required
        onChange={(timeOfDay) => change({ timeOfDay })}
      />
      <SelectField
        label={labels.weekday}
        value={chosen.weekday}
        options={weekdays}
        onChange={(weekday) => change({ weekday: weekday as Chosen["weekday"] })}
      />
      <SelectField
        label={labels.language}
        value={chosen.language}
        options={Object.keys(settings.standardTemplates).map((tag) => [tag, nameOf(tag)] as const)}
        onChange={(language) => change({ language: language as Chosen["language"] })}
      />
      {kindNames.map(([kind, name]) => (
        <Words
          key={kind}
          kind={kind}
          name={name}
          own={chosen.templates[kind]}
          standard={{
            language: chosen.language,
            template: settings.standardTemplates[chosen.language][kind],
            placeholders: settings.placeholders[kind]
          }}
          onChange={(template) => changeWords(kind, template)}
        />
      ))}
    </Form>
  )
}

/** Whether, when and with which words the organization sends messages. */
export const MessageSettings = () => {
  const read = useRead("GET /message-settings", {})
  return (
    <Screen title="Settings of messages">
      <p class="quiet">
        Users who may change credentials get the digest and the news. Each user can turn these off on the page “My
        security”. Workers and applicants get what you choose here, at the address in their record.
      </p>
      <Loaded read={read}>{(answer) => <SettingsForm answer={answer} />}</Loaded>
    </Screen>
  )
}
