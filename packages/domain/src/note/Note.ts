import { Data, Result, Schema } from "effect"
import { everyPrivilege, nameOf, type Privilege, type Privileges, readOf } from "../access/Privilege.ts"
import { mayOversee } from "../people/Oversight.ts"
import type { UnitTree } from "../people/Unit.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { createdAt, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { AccountId, isId, NoteId } from "../shared/Id.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"

/** What a note can be about. */
export const noteSubjects = ["worker", "applicant", "task"] as const
export type NoteSubject = (typeof noteSubjects)[number]

/** The kind of record that an id belongs to; undefined if notes cannot be about it. */
export const subjectOf = (id: string): NoteSubject | undefined => noteSubjects.find((kind) => isId(kind, id))

/** The most of a note, and of the notes about one record. */
export const noteLimits = { characters: 4000, ofRecord: 500, mentions: 10 }

// Line feeds and tabs belong to a text, other control characters do not.
const unfit = /[^\P{Cc}\n\t]/u

/** The text of a note. */
export const NoteText = Schema.String.check(
  Schema.isPattern(/\S/, { message: "must not be empty", toJsonSchema: () => ({ minLength: 1, pattern: "\\S" }) }),
  Schema.isMaxCodePoints(noteLimits.characters, { message: `must have at most ${noteLimits.characters} characters` }),
  Schema.makeFilter((text: string) => !unfit.test(text) || "must not contain control characters"),
  Schema.makeFilter((text: string) => text.isWellFormed() || "must be well-formed Unicode")
).annotate({ valueFormat: `a text of 1 to ${noteLimits.characters} characters` })

/** A note of a user about a record. It never changes. */
export interface Note {
  readonly id: string
  readonly tenantId: string
  /** The id of the record. */
  readonly about: string
  /** The id of the person whom it concerns: also for a task about a card or a ban; null for one about a source. */
  readonly personId: string | null
  /** The URN of its author. */
  readonly account: string
  readonly text: string
  /** The ids of the users whom it mentions. */
  readonly mentions: ReadonlyArray<string>
  readonly createdAt: Instant
}

/** The body of a new note. */
export const NoteWrite = Schema.Struct({
  about: Schema.String.annotateKey({ description: "Id of the worker, applicant or task." }),
  text: NoteText.annotateKey({ description: "The note. It cannot be changed, only deleted." }),
  mentions: Schema.optionalKey(
    Schema.Array(AccountId).check(
      Schema.isMaxLength(noteLimits.mentions, { message: `must have at most ${noteLimits.mentions} users` })
    )
  ).annotateKey({ description: "Ids of users who shall see the note. Each must be able to read the person." })
})
export type NoteWrite = typeof NoteWrite.Type

/** A note as the API shows it. */
export const NoteView = Schema.Struct({
  id: NoteId,
  type: typeField("note"),
  about: Schema.String.annotate({ description: "Id of the record that the note is about." }),
  text: Schema.String.annotate({ description: "The text of the note." }),
  mentions: Schema.Array(AccountId).annotate({ description: "Ids of the users whom the note mentions." }),
  account: Schema.String.annotate({ description: "URN of the account that wrote the note." }),
  createdAt
})
export type NoteView = typeof NoteView.Type

export const shownNote = ({ about, account, createdAt: at, id, mentions, text }: Note): NoteView => ({
  ...{ id, type: "note", about, text, mentions, account, createdAt: toRfc3339(at) }
})

/** The notes about a record, newest first. `about` is required. */
export const notesOfRecord: Timeline<"about"> = {
  type: "note",
  filters: { about: undefined },
  ends: false,
  newestFirst: true
}

/** Returns the cursor text after a note that mentions a user. */
export const toMentionCursor = ({ createdAt, id }: Pick<Note, "createdAt" | "id">): string =>
  ListQuery.toCursorText(["mention", createdAt, id])

/** Parses the cursor of a list of mentions. */
export const parseMentionCursor = (
  text: string | undefined
): Result.Result<Pick<Note, "createdAt" | "id"> | undefined, InvalidArgument> => {
  if (text === undefined) return Result.succeed(undefined)
  const [type, createdAt, id, ...more] = ListQuery.fromCursorText(text)
  return type === "mention" && Number.isSafeInteger(createdAt) && typeof id === "string" && more.length === 0
    ? Result.succeed({ createdAt: Number(createdAt), id })
    : ListQuery.foreignCursor
}

/** The privilege to read the notes about a record, and the one to write one. */
export const privilegesFor = (subject: NoteSubject): { readonly read: Privilege; readonly write: Privilege } => ({
  read: readOf(subject),
  write: { entityType: subject, operation: "UPDATE" }
})

/** Whether a caller may delete a note. The author may, and a Super Admin. */
export const mayDelete = (
  { account }: Pick<Note, "account">,
  caller: { readonly account: string; readonly privileges: Privileges; readonly limitedTo?: ReadonlyArray<string> }
): boolean =>
  account === caller.account ||
  (caller.limitedTo === undefined && everyPrivilege.every((name) => caller.privileges.has(name)))

/** A user as a reader of notes. */
export interface Reader {
  readonly privileges: Privileges
  readonly limitedTo?: ReadonlyArray<string>
  readonly isActive: boolean
}

/**
 * Whether a user may be mentioned in a note, or look after a person: an active user who may read the record and, if limited
 * to units, reaches the unit of the person.
 */
export const mayRead = (
  { isActive, limitedTo, privileges }: Reader,
  subject: NoteSubject,
  tree: UnitTree,
  unit: string | undefined
): boolean => isActive && privileges.has(nameOf(privilegesFor(subject).read)) && mayOversee(limitedTo, tree, unit)

/** There is no such note, or it is about nothing that the caller may read. */
export class NoteNotFound extends Data.TaggedError("NoteNotFound")<{ readonly noteId: string }> {}

/** Another user wrote the note. */
export class NotAuthor extends Data.TaggedError("NotAuthor")<{ readonly noteId: string }> {}

/** The record has as many notes as it may have. */
export class NotesFull extends Data.TaggedError("NotesFull")<{ readonly most: number }> {}
