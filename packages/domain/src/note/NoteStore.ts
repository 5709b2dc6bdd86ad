import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Note } from "./Note.ts"

/** Stores notes, and which user looks after which person. Infrastructure failures are defects. */
export class NoteStore extends Context.Service<
  NoteStore,
  {
    /** Stores a note with its mentions, if `decide` allows it by the number of notes about the record. */
    readonly insert: <E>(
      note: Note,
      audit: AuditEntry,
      decide: (others: number) => Result.Result<void, E>
    ) => Effect.Effect<void, E>

    /**
     * A page of the notes about a record. Those of a worker include the notes about its tasks, and those of workers that were
     * merged into it.
     */
    readonly list: (
      tenantId: string,
      about: string,
      selection: Pick<TimelineSelection<"about">, "after" | "direction" | "includeTotal" | "pageSize">
    ) => Effect.Effect<TimelinePage<Note>>

    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<Note>>

    /** Deletes a note for good, with its mentions. Does nothing if there is none. */
    readonly remove: (tenantId: string, id: string, audit: AuditEntry) => Effect.Effect<void>

    /** The notes that mention a user, newest first: those after a time, and those before another note. */
    readonly mentioning: (
      tenantId: string,
      accountId: string,
      between: { readonly since?: Instant; readonly before?: Pick<Note, "createdAt" | "id"> | undefined },
      limit: number
    ) => Effect.Effect<ReadonlyArray<Note>>

    /** The ids of the users who look after these people, by the ids of the people. At most 500. */
    readonly caretakers: (
      tenantId: string,
      personIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, string>>

    /** Makes a user the one who looks after a person, or nobody. */
    readonly setCaretaker: (
      tenantId: string,
      personId: string,
      accountId: string | null,
      audit: AuditEntry
    ) => Effect.Effect<void>
  }
>()("@wcs/domain/NoteStore") {}
